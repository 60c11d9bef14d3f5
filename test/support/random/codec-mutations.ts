// Damaged messages through framer, validator and readers: each gives a frame, a notice or nothing, never an exception.
// Every frame is one by a check that shares nothing with the framer.

import { type Dictionary, Validator } from '../../../src/dictionary/mod.ts';
import { Framer, FrameWriter, MessageView, viewOf } from '../../../src/wire/mod.ts';
import { dictionary } from '../generated.ts';
import { type Random, randomDraft, randomNumbers } from './random-message.ts';

const LIMITS = { frameBytesMax: 65_536, fieldsMax: 2_000 };
const SOH = '\u0001';
/** Messages that are damaged, of each version. */
const ORIGINALS = 64;
const ALPHABET = [0x01, 0x3d, 0x30, 0x39, 0x38, 0x31, 0xff, 0x00, 0x2d, 0x2e];

interface MutationCounts {
  readonly frames: number;
  readonly valid: number;
  readonly notices: number;
  readonly nothing: number;
}

interface Version {
  readonly validator: Validator;
  readonly originals: readonly Buffer[];
}

/** Some frames of several types, as one stream. */
export function randomStream(source: Dictionary, random: Random, messages: number): Buffer {
  const writer = new FrameWriter();
  const definitions = [...source.messages.values()];
  const frames = Array.from({ length: messages }, (_, at) => {
    const header = {
      beginString: source.beginString,
      senderCompID: 'A',
      targetCompID: 'B',
      msgSeqNum: at + 1,
      sendingTime: '20261121-10:00:00',
    };
    return writer.encode(header, randomDraft(definitions[random(definitions.length)]!, random));
  });
  return Buffer.concat(frames);
}

function versions(random: Random): Version[] {
  const [fix42, fix44, fixt11, fix50sp2] = ['FIX42.xml', 'FIX44.xml', 'FIXT11.xml', 'FIX50SP2.xml'].map(dictionary);
  const of = (validator: Validator, source: Dictionary): Version => ({
    validator,
    originals: Array.from({ length: ORIGINALS }, () => randomStream(source, random, 1)),
  });
  return [
    of(new Validator(fix42!), fix42!),
    of(new Validator(fix44!), fix44!),
    of(new Validator({ transport: fixt11!, applications: [fix50sp2!] }), fix50sp2!),
  ];
}

/**
 * Damage, read and count. `onProgress` is called every 100,000 inputs.
 * @throws Error of whatever went wrong, with the input as base64
 */
export function mutationCampaign(
  mutations: number,
  seed: number,
  onProgress: (done: number) => void = () => {},
): MutationCounts {
  const random = randomNumbers(seed);
  const all = versions(random);
  const counts = { frames: 0, valid: 0, notices: 0, nothing: 0 };
  const view = new MessageView();
  for (let i = 0; i < mutations; i++) {
    const version = all[i % all.length]!;
    const bytes = mutated(version.originals[random(ORIGINALS)]!, random);
    try {
      read(bytes, view, version.validator, random, counts);
    } catch (error) {
      throw new Error(`input ${i} of seed ${seed}: ${bytes.toString('base64')}`, { cause: error });
    }
    if ((i + 1) % 100_000 === 0) onProgress(i + 1);
  }
  return counts;
}

function read(
  bytes: Buffer,
  view: MessageView,
  validator: Validator,
  random: Random,
  counts: { -readonly [K in keyof MutationCounts]: number },
): void {
  const framer = new Framer(LIMITS, view);
  // One in four comes in two pieces.
  const cut = random(4) === 0 ? random(bytes.length) : bytes.length;
  const before = counts.frames + counts.notices;
  for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    framer.push(piece);
    for (let found = framer.next(); found !== null; found = framer.next()) {
      if (found.kind === 'garbled') {
        counts.notices++;
        continue;
      }
      counts.frames++;
      if (!isFrame(found.view.bytes())) throw new Error('what was given as a frame is none');
      const plain = viewOf(found.view.copyBytes())!;
      if (!haveSameFields(found.view, plain)) throw new Error('fields differ');
      const fault = validator.validate(found.view);
      if (fault?.text !== validator.validate(plain)?.text) throw new Error('faults differ');
      if (fault === null) counts.valid++;
      readAll(found.view);
    }
  }
  if (counts.frames + counts.notices === before) counts.nothing++;
}

/** True if the fields of a message lie in it as those of the other do, for any finder. */
function haveSameFields(one: MessageView, other: MessageView): boolean {
  let differs = (one.fieldCount ^ other.fieldCount) | (one.dataFaultAt ^ other.dataFaultAt);
  const shift = one.start - other.start;
  for (let i = 0; i < one.fieldCount; i++) {
    differs |= one.tagAt(i) ^ other.tagAt(i);
    differs |= one.valueStart(i) - other.valueStart(i) - shift;
    differs |= one.valueEnd(i) - other.valueEnd(i) - shift;
  }
  return differs === 0;
}

function readAll(view: MessageView): void {
  for (let i = 0; i < view.fieldCount; i++) {
    view.stringAt(i);
    view.intAt(i);
    view.decimalAt(i);
    view.utcTimestampNsAt(i);
    if (view.tagAt(i) === 453) view.groupEntries(453);
  }
}

/** The value of BodyLength and where the body begins, if the text begins with the two fields that it must. */
function bodyOf(text: string): { readonly bodyLength: string; readonly at: number } | null {
  const [first = '', second = ''] = text.split(SOH, 2);
  if (!/^8=FIX[T\d.]*$/.test(first) || !/^9=\d+$/.test(second)) return null;
  return { bodyLength: second.slice(2), at: first.length + second.length + 2 };
}

/** BeginString, a BodyLength that is right, a CheckSum that is right, in the plainest way. */
function isFrame(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  const body = bodyOf(text);
  const trailer = text.slice(-8);
  if (body === null || trailer[0] !== SOH || !/^10=\d{3}$/.test(trailer.slice(1, 7)) || trailer[7] !== SOH)
    return false;
  let sum = 0;
  for (let i = 0; i < bytes.length - 7; i++) sum += bytes[i]!;
  return body.at + Number(body.bodyLength) + 7 === text.length && Number(trailer.slice(4, 7)) === sum % 256;
}

/** One of: a byte changed, bytes cut out, doubled or swapped in; half of them with the CheckSum made right again. */
function mutated(original: Buffer, random: Random): Buffer {
  const at = random(original.length);
  let bytes = Buffer.from(original);
  switch (random(5)) {
    case 0:
      bytes[at] = random(256);
      break;
    case 1:
      bytes[at] = ALPHABET[random(ALPHABET.length)]!;
      break;
    case 2:
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(at + 1 + random(8), bytes.length))]);
      break;
    case 3:
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(at + 1), at), bytes.subarray(at)]);
      break;
    default:
      bytes[at] = ALPHABET[random(ALPHABET.length)]!;
      bytes[random(bytes.length)] = ALPHABET[random(ALPHABET.length)]!;
  }
  if (random(2) === 0) repair(bytes);
  return bytes;
}

/** Make BodyLength, where it has as many digits as before, and CheckSum right again: the damage then reaches the readers. */
function repair(bytes: Buffer): void {
  if (bytes.length < 30) return;
  const body = bodyOf(bytes.toString('latin1', 0, 30));
  if (body !== null) {
    const bodyLength = String(bytes.length - 7 - body.at);
    const { length } = bodyLength;
    if (length === body.bodyLength.length) bytes.write(bodyLength, body.at - length - 1, 'latin1');
  }
  let sum = 0;
  for (let i = 0; i < bytes.length - 7; i++) sum += bytes[i]!;
  bytes.write(String(sum % 256).padStart(3, '0'), bytes.length - 4, 'latin1');
}
