// The sum of records, where it decides which may leave the journal.

import { expect, test } from 'vitest';
import { JournalState } from '../../src/store/journal-state.ts';
import type { JournalRecord } from '../../src/store/mod.ts';
import { inbound, OTHER, outbound, reset, SESSION } from './records.ts';

const proven = (series: number, msgSeqNum: number, sessionId = SESSION) =>
  ({ kind: 'proven', sessionId, series, msgSeqNum }) as const;

test("J1 needs segments from a present series' start, or with unproven reports", () => {
  const state = new JournalState();
  const neededAfter = (segment: number, ...records: Parameters<JournalState['apply']>[0][]): number => {
    state.segment = segment;
    for (const record of records) state.apply(record, segment);
    return state.firstNeededSegment();
  };
  expect(neededAfter(1)).toBe(Number.POSITIVE_INFINITY);
  expect(neededAfter(1, inbound(1), outbound(1))).toBe(1);
  expect(neededAfter(3, outbound(2))).toBe(1);
  // The reset leaves two reports owed: one is proven later, then the other.
  expect(neededAfter(4, reset(2))).toBe(1);
  expect(neededAfter(5, proven(1, 1))).toBe(1);
  expect(neededAfter(5, proven(1, 2))).toBe(4);
  expect(neededAfter(6, outbound(1, SESSION, 2))).toBe(4);
  // A series that begins with its first message, as after damage.
  expect(neededAfter(7, proven(2, 1), outbound(1, SESSION, 3))).toBe(7);
  expect(neededAfter(8, inbound(1, OTHER))).toBe(7);
  expect(neededAfter(9, proven(3, 1), reset(4))).toBe(8);
  expect(state.oldestSeries(SESSION)).toBe(4);
});

test("J1 finds an operator's numbers until they are set, a reset comes, or it logs off", () => {
  const state = new JournalState();
  const asked = () =>
    state
      .sessions()
      .get(SESSION)
      ?.asked?.map(({ why, nextTargetMsgSeqNum }) => [why, nextTargetMsgSeqNum]);
  const ask = (why: string, nextTargetMsgSeqNum: number, more = {}): void => {
    const input = {
      kind: 'setNumbers',
      nextSenderMsgSeqNum: null,
      nextTargetMsgSeqNum,
      reset: false,
      ...more,
      who: 'ann',
      why,
    };
    state.apply({ kind: 'exchangeInput', json: JSON.stringify({ machine: SESSION, input }) }, 1);
  };
  const numbers = (why: string, nextTargetMsgSeqNum: number, series = 1): JournalRecord => {
    const from = { series: 1, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 2 };
    return { kind: 'numbers', sessionId: SESSION, from, to: { ...from, nextTargetMsgSeqNum, series }, who: 'ann', why };
  };
  for (const record of [inbound(1), outbound(1)]) state.apply(record, 1);
  ask('by phone', 40);
  ask('by mail', 50);
  ask('by phone', 60);
  ask('now', 1, { within: true });
  expect(asked()).toEqual([
    ['by phone', 40],
    ['by mail', 50],
    ['by phone', 60],
  ]);
  state.apply(numbers('SequenceReset(4) gap fill', 40), 2);
  state.apply(numbers('by phone', 40), 2);
  state.apply(numbers('by mail', 50), 2);
  expect(asked()).toEqual([['by phone', 60]]);
  state.apply(numbers('reset time', 1, 2), 2);
  expect(asked()).toBeUndefined();
  ask('again', 70);
  state.apply({ kind: 'state', sessionId: SESSION, loggedOn: false }, 3);
  expect(asked()).toBeUndefined();
  // That it was set, or not, is lost in a damaged place.
  ask('and again', 80);
  state.apply({ kind: 'state', sessionId: SESSION, loggedOn: true }, 3);
  expect(asked()).toBeUndefined();
});

test('J1 keeps two numbers set singly for one reason until each is set', () => {
  const state = new JournalState();
  for (const record of [inbound(1), outbound(1)]) state.apply(record, 1);
  const sender = { kind: 'setNumbers', nextSenderMsgSeqNum: 40, nextTargetMsgSeqNum: null, reset: false };
  const target = { ...sender, nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: 50 };
  const ask = (input: object): void => {
    const json = JSON.stringify({ machine: SESSION, input: { ...input, who: 'ann', why: 'by phone' } });
    state.apply({ kind: 'exchangeInput', json }, 1);
  };
  const asked = () =>
    state
      .sessions()
      .get(SESSION)
      ?.asked?.map(({ nextSenderMsgSeqNum, nextTargetMsgSeqNum }) => [nextSenderMsgSeqNum, nextTargetMsgSeqNum]);
  ask(sender);
  ask(target);
  // The next start asks again.
  ask(sender);
  expect(asked()).toEqual([
    [null, 50],
    [40, null],
  ]);
  const from = { series: 1, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 2 };
  const set = { kind: 'numbers', sessionId: SESSION, from, who: 'ann', why: 'by phone' } as const;
  state.apply({ ...set, to: { ...from, nextSenderMsgSeqNum: 40 } }, 2);
  expect(asked()).toEqual([[null, 50]]);
  state.apply({ ...set, to: { ...from, nextSenderMsgSeqNum: 40, nextTargetMsgSeqNum: 50 } }, 2);
  expect(asked()).toBeUndefined();
});

test('J1 a reset behind a Logout leaves the old numbers, also with a logon behind a gap', () => {
  const state = new JournalState();
  const from = { series: 1, nextSenderMsgSeqNum: 3, nextTargetMsgSeqNum: 1 };
  const began = {
    kind: 'numbers',
    sessionId: SESSION,
    who: 'settings',
    why: 'numbers begin again at each logout',
  } as const;
  for (const record of [
    outbound(2),
    { kind: 'state', sessionId: SESSION, loggedOn: true },
    { kind: 'state', sessionId: SESSION, loggedOn: false, end: 'logout' },
    { ...began, from, to: { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 } },
  ] as const) {
    state.apply(record, 1);
  }
  expect(state.sessions().get(SESSION)?.before).toEqual(from);
});

test('J1 a message in the numbers of our unanswered reset is next there and confirms none', () => {
  const state = new JournalState();
  const before = () => state.sessions().get(SESSION)?.before;
  for (const record of [inbound(8), { kind: 'state', sessionId: SESSION, loggedOn: true } as const, reset(2)]) {
    state.apply(record, 1);
  }
  expect(before()).toEqual({ series: 1, nextSenderMsgSeqNum: 9, nextTargetMsgSeqNum: 9 });
  state.apply(inbound(9), 2);
  expect(before()).toEqual({ series: 1, nextSenderMsgSeqNum: 9, nextTargetMsgSeqNum: 10 });
  expect(state.sessions().get(SESSION)?.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
  state.apply(inbound(1, SESSION, 2), 3);
  state.apply(inbound(10), 4);
  expect(before()).toBeUndefined();
});
