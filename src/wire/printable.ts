// FIX text as people write and read it, both ways: `8=FIX.4.4|9=…|35=0|…`, `^A` for SOH, with a log's prefix or without.
// Leaves names of tags and values to the dictionary.

import { redactedText } from '../base/redacted-text.ts';
import { latin1 } from './latin1.ts';
import { writeCheckSum } from './secrets.ts';

const SOH = '\u0001';

/**
 * Bytes as text for a log or a screen: SOH shown as `|`, every other control character as `?`, so that a message can
 * never steer a terminal. Secrets are not masked: pass the copy that `maskSecrets` makes.
 */
export function toPrintable(bytes: Uint8Array): string {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < copy.length; i++) {
    const c = copy[i]!;
    if (c === 0x01) copy[i] = 0x7c;
    else if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) copy[i] = 0x3f;
  }
  return latin1(copy, 0, copy.length);
}

/**
 * The same for what people are shown: what has the shape of a secret inside a value, or in what is no message, is blacked
 * out. The values of secret fields are for `maskSecrets`.
 */
export function toRedacted(bytes: Uint8Array): string {
  const fields = Buffer.from(bytes).toString('latin1').split(SOH);
  return toPrintable(Buffer.from(fields.map(redactedText).join(SOH), 'latin1'));
}

/**
 * One message from text: fields separated by SOH, `|` or `^A`; anything before `8=FIX` (a log's prefix) and after the
 * CheckSum is cut. BeginString is added if there is none, and BodyLength and CheckSum if they are missing or written
 * `9=…`, `10=…`; given as numbers they stay, right or wrong. For tests and tools, so it never fails: text that is no
 * message comes out as bytes that do not frame.
 */
export function fromPrintable(text: string, beginString = 'FIX.4.4'): Buffer {
  const begin = text.search(/(?<!\d)8=FIX/);
  const fields = (begin === -1 ? text.trim() : text.slice(begin))
    .replace(/[\r\n]+$/, '')
    .replaceAll('^A', SOH)
    .replaceAll('|', SOH)
    .split(SOH);
  if (fields.at(-1) === '') fields.pop();
  if (begin === -1 && fields[0] === '') fields.shift();
  const head = begin === -1 ? `8=${beginString}` : fields.shift()!;
  const givenLength = fields[0]?.startsWith('9=') ? fields.shift()!.slice(2) : '';
  const trailer = fields.findIndex((field) => field.startsWith('10='));
  const givenCheckSum = trailer === -1 ? '' : fields[trailer]!.slice(3);
  const bodyFields = trailer === -1 ? fields : fields.slice(0, trailer);
  const body = Buffer.from(bodyFields.map((field) => field + SOH).join(''), 'latin1');
  const bodyLength = /^-?\d+$/.test(givenLength) ? givenLength : String(body.length);
  const keepsCheckSum = /^\d+$/.test(givenCheckSum);
  const frame = Buffer.concat([
    Buffer.from(`${head}${SOH}9=${bodyLength}${SOH}`, 'latin1'),
    body,
    Buffer.from(`10=${keepsCheckSum ? givenCheckSum : '000'}${SOH}`, 'latin1'),
  ]);
  if (keepsCheckSum) return frame;
  let sum = 0;
  for (let i = 0; i < frame.length - 7; i++) sum += frame[i]!;
  writeCheckSum(frame, frame.length - 4, sum);
  return frame;
}
