// Open alarms: when an alarm is sent, sent again, escalated, acknowledged, silenced and closed.

import { expect, test } from 'vitest';
import { AlarmBook, type AlarmRules } from '../../../src/ops/alarms/alarm-book.ts';

const RULES: AlarmRules = { repeatMs: 300, escalateAfter: 4, escalateWithinMs: 1_000, closeAfterMs: 2_000 };
const WORD = { by: 'pat', why: 'known' };

const alarm = (at: number, name = 'slow-consumer', session = 'A->B') => ({
  at,
  alarm: name,
  text: `${name} at ${at}`,
  fields: { session, number: `${at}` },
});

test('sends the first occurrence at once and counts repetitions until their time', () => {
  const book = new AlarmBook(RULES);
  expect(book.raise(alarm(0))).toMatchObject({
    reason: 'raised',
    alarm: { count: 1, severity: 'warning' },
    endsAt: 2_000,
  });
  expect(book.raise(alarm(100))).toBeNull();
  expect(book.due(299)).toEqual([]);
  expect(book.due(300)).toMatchObject([{ reason: 'repeated', alarm: { count: 2, text: 'slow-consumer at 100' } }]);
  expect(book.due(600)).toEqual([]);
  expect(book.raise(alarm(700))).toMatchObject({ reason: 'repeated', alarm: { count: 3, firstAt: 0, lastAt: 700 } });
});

test('counts alarms of other sessions by themselves', () => {
  const book = new AlarmBook(RULES);
  expect(book.raise(alarm(0))).not.toBeNull();
  expect(book.raise(alarm(1, 'slow-consumer', 'A->C'))).toMatchObject({ reason: 'raised' });
  expect(book.list(1)).toHaveLength(2);
});

test('escalates once when an alarm is frequent, though acknowledged', () => {
  const book = new AlarmBook(RULES);
  const { id } = book.raise(alarm(0))!.alarm;
  expect(book.acknowledge(id, { ...WORD, at: 1 })).toMatchObject({ acknowledged: { by: 'pat' } });
  expect(book.raise(alarm(400))).toBeNull();
  expect(book.raise(alarm(500))).toBeNull();
  expect(book.raise(alarm(600))).toMatchObject({
    reason: 'escalated',
    alarm: { severity: 'critical', isEscalated: true, acknowledged: null },
  });
  expect(book.raise(alarm(650))).toBeNull();
  expect(book.due(900)).toMatchObject([{ reason: 'repeated', alarm: { severity: 'critical' } }]);
});

test('does not escalate when the same number of occurrences takes longer', () => {
  const book = new AlarmBook(RULES);
  const sent = [0, 400, 800, 1_200, 1_600].map((at) => book.raise(alarm(at))?.reason);
  expect(sent).toEqual(['raised', 'repeated', 'repeated', 'repeated', 'repeated']);
});

test('sends nothing that is silenced, for one session or for all, until the silence ends', () => {
  const book = new AlarmBook(RULES);
  const about = { ...WORD, alarm: 'slow-consumer', at: 0 };
  expect(book.silence({ ...about, session: 'A->B', until: 500 })).toMatchObject({ id: '1' });
  expect(book.raise(alarm(10))).toBeNull();
  expect(book.raise(alarm(20, 'slow-consumer', 'A->C'))).not.toBeNull();
  expect(book.raise(alarm(30, 'late-fill'))).not.toBeNull();
  expect(book.list(30).map(({ silencedUntil }) => silencedUntil)).toEqual([null, null, 500]);
  expect(book.due(499)).toEqual([]);
  // An alarm raised in silence is sent behind it.
  expect(book.due(500)).toMatchObject([{ reason: 'raised', alarm: { count: 1 } }]);
  expect(book.silences(500)).toEqual([]);
  expect(book.silence({ ...about, session: null, until: 5_000 })).toMatchObject({ id: '2' });
  expect(book.raise(alarm(600, 'slow-consumer', 'A->D'))).toBeNull();
  expect(book.endSilence('2')).toBe(true);
  expect(book.endSilence('2')).toBe(false);
  expect(book.due(700)).toHaveLength(1);
});

test('closes an alarm that is not raised again, and opens it anew', () => {
  const book = new AlarmBook(RULES);
  const { id } = book.raise(alarm(0))!.alarm;
  expect(book.list(1_999)).toHaveLength(1);
  expect(book.list(2_000)).toEqual([]);
  expect(book.acknowledge(id, { ...WORD, at: 2_000 })).toBeNull();
  expect(book.raise(alarm(3_000))).toMatchObject({ reason: 'raised', alarm: { count: 1 } });
});

test('keeps a bounded number of open alarms and of silences', () => {
  const book = new AlarmBook(RULES);
  for (let i = 0; i < 1_100; i++) book.raise(alarm(i, 'slow-consumer', `S${i}`));
  expect(book.list(1_100)).toHaveLength(1_000);
  const about = { ...WORD, alarm: 'late-fill', session: null, at: 0, until: 9_000 };
  const made = Array.from({ length: 101 }, () => book.silence(about));
  expect(made.filter((one) => one === null)).toHaveLength(1);
});
