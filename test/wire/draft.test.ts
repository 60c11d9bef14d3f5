// Drafts with fields as bytes in shared memory: a change of one never shows in another, or in a frame.

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { FrameWriter, MessageDraft, toPrintable, viewOf } from '../../src/wire/mod.ts';
import { HEADER, HEADER_AT } from './frame-header.ts';

test('a message goes out as it was handed over, even if fields are added later', () => {
  const header = { ...HEADER, sendingTime: HEADER_AT };
  const writer = new FrameWriter();
  const write = (draft: MessageDraft): Buffer => writer.encode(header, draft);
  for (const length of [1, 100, 900, 2_000]) {
    const given = length === 1 ? 'é' : 'é\u0101'.repeat(length);
    const draft = new MessageDraft('8').header(57, 'a').header(115, 'b').add(37, '1').add(58, given);
    const asItWas = draft.asItIs();
    const frames = [write(asItWas)];
    const later = draft.add(17, 'first').asItIs();
    draft.add(39, '2').header(50, 'c');
    frames.push(write(new MessageDraft('0').add(112, 'between')), write(later));
    frames.push(write(draft.addTime(60, HEADER_AT).addDecimal(44, Decimal.of('1.5'))));
    const text = given.replaceAll('\u0101', '?');
    const bodies = [`37=1|58=${text}|`, '112=between|', `37=1|58=${text}|17=first|`];
    bodies.push(`37=1|58=${text}|17=first|39=2|60=20261121-10:00:00.000|44=1.5|`);
    for (const [i, frame] of frames.entries()) {
      expect(viewOf(frame), bodies[i]).not.toBeNull();
      expect(
        toPrintable(frame)
          .split('|52=20261121-10:00:00.000|56=OMS|')[1]
          ?.replace(/^(57|115)=\w+\|(115=\w+\|)?/, '')
          .replace(/10=\d{3}\|$/, ''),
      ).toBe(bodies[i]);
    }
    expect(frames.map((frame) => ['115', '57', '50'].map((tag) => viewOf(frame)!.string(Number(tag))))).toEqual([
      ['b', 'a', null],
      [null, null, null],
      ['b', 'a', null],
      ['b', 'a', 'c'],
    ]);
    expect([later.tags, later.headerTags]).toEqual([
      [37, 58, 17],
      [57, 115],
    ]);
    // Odd characters are known by what took the fields over.
    expect(later.get(58)).toBe(given);
  }
});

test('one draft goes out on several sessions as it is: no header is written over the one before it', () => {
  const writer = new FrameWriter();
  for (const sendingTime of [HEADER.sendingTime, HEADER_AT]) {
    const draft = new MessageDraft('8').header(57, 'trader').add(37, '1').add(58, 'a\u0101');
    const frames = ['OMS', 'DROPCOPY', 'X', 'OMS'].map((targetCompID, i) =>
      writer.encode({ ...HEADER, targetCompID, msgSeqNum: 9 + i, sendingTime }, draft),
    );
    expect(
      frames.map((frame) => [viewOf(frame)?.string(56), viewOf(frame)?.int(34), viewOf(frame)?.string(58)]),
    ).toEqual([
      ['OMS', 9, 'a?'],
      ['DROPCOPY', 10, 'a?'],
      ['X', 11, 'a?'],
      ['OMS', 12, 'a?'],
    ]);
  }
});

test('drafts filled in turns do not write into each other', () => {
  const writer = new FrameWriter();
  const drafts = Array.from({ length: 40 }, () => new MessageDraft('B'));
  for (let round = 0; round < 30; round++)
    for (const [i, draft] of drafts.entries()) draft.add(58, `${i} ${round}`.repeat(i));
  for (const [i, draft] of drafts.entries()) {
    const view = viewOf(writer.encode({ ...HEADER, msgSeqNum: i + 1 }, draft))!;
    expect(view.fieldCount - 8, `${i}`).toBe(i === 0 ? 0 : 30);
    if (i > 0) expect(view.stringAt(view.indexOf(58) + 29)).toBe(`${i} 29`.repeat(i));
  }
});

test('a draft as text shows header, groups and data readably, and no secret', () => {
  const draft = new MessageDraft('BE').header(57, 'DESK').add(923, 'u-1').add(554, 'hunter2').add(58, 'Zürich 東京');
  draft.add(453, '1').add(448, 'A\x01\x1b').add(95, '3').add(96, 'a\x01b');
  expect(draft.toString()).toBe('35=BE|57=DESK|923=u-1|554=*******|58=Zürich 東京|453=1|448=A??|95=3|96=***|');
  expect(inspect(draft)).toBe(draft.toString());
  expect(`${new MessageDraft('0')}`).toBe('35=0|');
});

test('fields of one draft go into many, data and texts of a character set included, and stay as they are', () => {
  const writer = new FrameWriter();
  const body = new MessageDraft('B').add(58, 'Zürich').add(95, '3').add(96, 'a\x01b').add(148, 'x'.repeat(2_000));
  for (const id of ['1', '22']) {
    const draft = new MessageDraft('B').add(262, id).append(body).add(33, '0');
    const plain = new MessageDraft('B').add(262, id).add(58, 'Zürich').add(95, '3').add(96, 'a\x01b');
    plain.add(148, 'x'.repeat(2_000)).add(33, '0');
    expect(toPrintable(writer.encode(HEADER, draft))).toBe(toPrintable(writer.encode(HEADER, plain)));
  }
  expect(body.get(58)).toBe('Zürich');
});
