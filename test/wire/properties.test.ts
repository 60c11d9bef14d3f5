// Random messages and random damage. A failure prints the seed; CROSSGATE_SEED repeats it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dictionary } from '../../src/dictionary/mod.ts';
import { Validator } from '../../src/dictionary/mod.ts';
import { Framer, FrameWriter, fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { mutationCampaign, randomStream } from '../support/random/codec-mutations.ts';
import { type Random, randomDraft, randomNumbers } from '../support/random/random-message.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

const seed = Number(process.env.CROSSGATE_SEED ?? (Date.now() ^ (process.pid << 8)) >>> 0);
const MUTATIONS = Number(process.env.MUTATIONS ?? 200_000);
const LIMITS = { frameBytesMax: 65_536, fieldsMax: 2_000 };

const versions: readonly [string, Dictionary[], Validator][] = (() => {
  const [fix42, fix44, transport] = ['FIX42.xml', 'FIX44.xml', 'FIXT11.xml'].map(dictionary);
  const later = ['FIX50SP2.xml', 'FIX50SP1.xml', 'FIX50.xml'].map(dictionary);
  return [
    ['FIX.4.2', [fix42!], new Validator(fix42!)],
    ['FIX.4.4', [fix44!], new Validator(fix44!)],
    ...later.map((application): [string, Dictionary[], Validator] => [
      'FIXT.1.1',
      [transport!, application],
      new Validator({ transport: transport!, applications: [application] }),
    ]),
  ];
})();

for (const [beginString, dictionaries, validator] of versions) {
  test(`${dictionaries.at(-1)!.version}: random messages of every type round-trip validly (seed ${seed})`, () => {
    const writer = new FrameWriter();
    const random = randomNumbers(seed);
    const header = {
      beginString,
      senderCompID: 'XG',
      targetCompID: 'OMS',
      msgSeqNum: 1,
      sendingTime: '20261121-10:00:00.000',
    };
    for (const definition of dictionaries.flatMap((each) => [...each.messages.values()])) {
      for (let i = 0; i < 40; i++) {
        const draft = randomDraft(definition, random);
        const view = viewOf(writer.encode(header, draft));
        expect(view, `${definition.name}`).not.toBeNull();
        const body = Array.from({ length: view!.fieldCount - 8 }, (_, at) => [
          view!.tagAt(at + 7),
          view!.stringAt(at + 7),
        ]);
        const { tags, values } = draft;
        expect(body).toEqual(tags.map((tag, at) => [tag, values[at]]));
        expect(validator.validate(view!), definition.name).toBeNull();
      }
    }
  });
}

const stream = (random: Random, messages: number): Buffer => randomStream(versions[1]![1][0]!, random, messages);

/** Everything said of a stream cut at these places: a message as its bytes, a notice as its reason. */
function said(bytes: Buffer, cuts: readonly number[]): string[] {
  const framer = new Framer(LIMITS);
  const all: string[] = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    framer.push(bytes.subarray(from, to));
    from = to;
    for (let found = framer.next(); found !== null; found = framer.next()) {
      all.push(found.kind === 'message' ? Buffer.from(found.view.bytes()).toString('latin1') : found.notice.reason);
    }
  }
  return all;
}

test(`any chunking of a stream gives the same frames (seed ${seed})`, () => {
  const arbitrary = fc
    .tuple(fc.integer({ min: 0, max: 0x7fff_ffff }), fc.array(fc.nat({ max: 10_000 }), { maxLength: 40 }))
    .map(([from, at]) => ({ bytes: stream(randomNumbers(from), 12), at }));
  checkProperty(
    fc.property(arbitrary, ({ bytes, at }) => {
      const cuts = at.map((cut) => cut % bytes.length).sort((a, b) => a - b);
      const found = said(bytes, cuts);
      expect(found).toEqual(said(bytes, []));
      expect(found.join('')).toBe(bytes.toString('latin1'));
    }),
    300,
  );
});

test(`any chunking of a damaged stream gives the same messages (seed ${seed})`, () => {
  const random = randomNumbers(seed);
  const messages = (all: string[]): string[] => all.filter((each) => each.startsWith('8='));
  for (let i = 0; i < 400; i++) {
    const bytes = stream(random, 6);
    for (let k = random(4); k >= 0; k--) bytes[random(bytes.length)] = random(256);
    const cuts = Array.from({ length: random(30) }, () => random(bytes.length)).sort((a, b) => a - b);
    expect(messages(said(bytes, cuts))).toEqual(messages(said(bytes, [])));
  }
});

test(`${MUTATIONS} mutated inputs give a frame, a notice or nothing; nothing throws (seed ${seed})`, () => {
  const { frames, valid, notices, nothing } = mutationCampaign(MUTATIONS, seed);
  expect(Math.min(frames, valid, notices, nothing)).toBeGreaterThan(0);
});

/** CPU time of one pass over `bytes` in ms, the best of five. */
function passMs(bytes: Buffer, limits = { frameBytesMax: 64 << 20, fieldsMax: 1 << 22 }): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    const framer = new Framer(limits);
    const before = process.cpuUsage();
    framer.push(bytes);
    for (let found = framer.next(); found !== null; found = framer.next()) {
      if (found.kind === 'message') {
        versions[1]![2].validate(found.view);
        found.view.groupEntries(453);
      }
    }
    return process.cpuUsage(before).user / 1000;
  });
  return Math.min(...times);
}

test('hostile inputs cost no more than linear time', () => {
  const grows: [string, (n: number) => Buffer][] = [
    ['fields', (n) => fromPrintable(`35=D|49=A|56=B|34=1|52=x|${'58=x|'.repeat(n)}`)],
    [
      'a group count of 2^31 over many entries',
      (n) => fromPrintable(`35=D|453=2147483648|${'448=x|447=D|'.repeat(n)}`),
    ],
    ['nested counts', (n) => fromPrintable(`35=D|453=9|448=x|${'802=9|523=x|'.repeat(n)}`)],
    ['beginnings of frames', (n) => Buffer.from('8=FIX.4.4\x019=5'.repeat(n))],
    ['beginnings with far BodyLengths', (n) => Buffer.from('8=FIX.4.4\x019=90\x01'.repeat(n))],
    ['data lengths that lie', (n) => fromPrintable(`35=B|${'95=9999999|96=x|'.repeat(n)}`)],
    ['digits', (n) => fromPrintable(`35=B|34=${'9'.repeat(n)}|`)],
    ['garbage', (n) => Buffer.alloc(n * 10, 0x38)],
  ];
  for (const [name, make] of grows) {
    passMs(make(2_000));
    const small = passMs(make(20_000));
    const large = passMs(make(200_000));
    // Ten times the input; the slack is for a busy machine, quadratic cost would be a hundred times.
    expect(large, `${name}: ${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`).toBeLessThan(Math.max(small, 4) * 40);
  }
});
