// A day run again from its journal: identical when it is, and the first difference named when it is not.

import { expect, onTestFinished, test, vi } from 'vitest';
import { versionOf } from '../../src/engine/sessions/dictionaries.ts';
import { Gateway } from '../../src/gateway/mod.ts';
import { isSame, type ReplayedFrame, type ReplayedRecord } from '../../src/replay/journaled-frame.ts';
import { DayReplay } from '../../src/replay/pure-day.ts';
import { sessionRecord, startRecord } from '../../src/runtime/journaled-input.ts';
import { type MessageValidator, Session, type SessionConfig, type SessionInput } from '../../src/session/mod.ts';
import { JournalState } from '../../src/store/journal-state.ts';
import type { JournalRecord } from '../../src/store/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { ACCEPTOR_CONFIG, GATEWAY_SESSION } from './session-config.ts';

const gateway = {
  sessions: [],
  referenceRange: { first: '1', last: '99' },
  terminalWaitMs: 1,
  lookup: { firstMs: 1, largestMs: 1, alarmAfter: 1 },
  pendingAlarmMs: 1,
};
const { sessionId } = ACCEPTOR_CONFIG;
const validator = { validate: () => null };
const AT = Date.UTC(2026, 10, 21, 9, 30);

const CRASH = { machine: 'gateway', input: { kind: 'sessionDown', sessionId, end: 'crash' } };

/**
 * A day of one session, as the engine writes it: started, logged on, a TestRequest answered, killed and started again.
 * `apart`: that the session was cut off stood in a frame of its own, as it did once.
 */
function day(apart = false): ReplayedFrame[] {
  const fold = new JournalState();
  const frames: ReplayedFrame[] = [];
  let session: Session;
  const write = (records: ReplayedRecord[]): void => {
    const at = AT + frames.length;
    frames.push({ frame: frames.length + 1, at, records });
    for (const record of records) fold.apply(record as JournalRecord, at);
  };
  const start = (): void => {
    session = new Session(ACCEPTOR_CONFIG, validator, fold.sessions().get(sessionId) ?? null);
    write([startRecord(gateway)]);
    write([sessionRecord(ACCEPTOR_CONFIG, GATEWAY_SESSION)]);
  };
  const tell = (input: SessionInput, told: unknown): void => {
    const effects = session.handle(input, AT + frames.length);
    const said = effects.flatMap((effect) => (effect.kind === 'persist' ? [effect.record] : []));
    const json =
      told === null
        ? []
        : [{ kind: 'exchangeInput' as const, json: JSON.stringify({ machine: sessionId, input: told }) }];
    write([...json, ...said]);
  };
  const message = (body: string, authentication: 'accepted' | 'notLogon'): void => {
    const raw = fromPrintable(body);
    const input: SessionInput = { kind: 'message', view: viewOf(raw)!, authentication: { kind: authentication } };
    tell(
      input,
      authentication === 'notLogon'
        ? null
        : { kind: 'message', raw: raw.toString('latin1'), authentication: { kind: authentication } },
    );
  };
  for (const round of [0, 1]) {
    start();
    if (round === 1) {
      const off = { kind: 'state' as const, sessionId, loggedOn: false };
      const told = { kind: 'exchangeInput' as const, json: JSON.stringify(CRASH) };
      for (const records of apart ? [[off], [told]] : [[told, off]]) write(records);
    }
    const first = 1 + round * 2;
    tell({ kind: 'connected', remote: 'x' }, { kind: 'connected', remote: 'x' });
    message(`35=A|49=OMS|56=XG|34=${first}|52=20261121-09:30:00|98=0|108=30|`, 'accepted');
    message(`35=1|49=OMS|56=XG|34=${first + 1}|52=20261121-09:30:00|112=here|`, 'notLogon');
  }
  return frames;
}

function replay(
  frames: readonly ReplayedFrame[],
  validatorOf: (session: SessionConfig) => MessageValidator = () => validator,
) {
  const fold = new JournalState();
  const replayed = new DayReplay({
    fold: {
      apply: (record, at) => fold.apply(record as JournalRecord, at),
      sessions: () => fold.sessions(),
      orders: fold.orders,
    },
    validator: validatorOf,
  });
  for (const frame of frames) {
    const difference = replayed.frame(frame);
    if (difference !== null) return { difference, counts: replayed.counts };
  }
  return { difference: replayed.end(), counts: replayed.counts };
}

test.each([false, true])(
  'a day with a crash and a restart comes out identical (end and cancels apart: %s)',
  (apart) => {
    const { difference, counts } = replay(day(apart));
    expect(difference).toBeNull();
    expect(counts).toMatchObject({ starts: 2, inbound: 4, outbound: 4, skipped: 0 });
  },
);

test('each session is validated by the dictionary of the version that it speaks', () => {
  const of = (id: string, defaultApplVerID: '7' | '8' | '9') =>
    ({ ...ACCEPTOR_CONFIG, sessionId: id, beginString: 'FIXT.1.1', defaultApplVerID }) as const;
  const records = [
    startRecord(gateway),
    sessionRecord(of('a', '7'), { ...GATEWAY_SESSION, sessionId: 'a' }),
    sessionRecord(of('b', '9'), { ...GATEWAY_SESSION, sessionId: 'b' }),
  ];
  const versions: string[] = [];
  const { difference } = replay(
    records.map((record, i) => ({ frame: i + 1, at: AT + i, records: [record] })),
    (session) => {
      versions.push(versionOf(session));
      return validator;
    },
  );
  expect(difference).toBeNull();
  expect(versions).toEqual(['FIXT.1.1/7', 'FIXT.1.1']);
});

test('`store import` between starts is no difference, killed or not; within a day it is', () => {
  const frames = day();
  const to = { series: 1, nextSenderMsgSeqNum: 9, nextTargetMsgSeqNum: 9 };
  const sent = {
    kind: 'outbound',
    sessionId: 'other',
    series: 1,
    msgSeqNum: 8,
    msgType: '8',
    resendable: true,
  } as const;
  const messages: ReplayedRecord = { ...sent, raw: fromPrintable('35=8|49=XG|56=OTHER|34=8|52=20261121-09:30:00|') };
  const numbers: ReplayedRecord = { kind: 'numbers', sessionId: 'other', from: to, to, who: 'pat', why: 'moves here' };
  const imported: ReplayedRecord[][] = [[messages], [numbers, { kind: 'audit', action: 'import' }, messages]];
  const secondStart = frames.findLastIndex(({ records }) => JSON.stringify(records).includes('"start'));
  const withImport = (at: number, records: ReplayedRecord[][]): ReplayedFrame[] =>
    frames
      .toSpliced(at, 0, ...records.map((one) => ({ frame: 0, at: AT, records: one })))
      .map((frame, k) => ({ ...frame, frame: k + 1 }));
  expect(replay(withImport(secondStart, imported)).difference).toBeNull();
  expect(replay(withImport(secondStart, imported.slice(0, 1))).difference).toBeNull();
  expect(replay(withImport(frames.length, imported)).difference).toBeNull();
  const nobodys = { told: 'nothing that the journal has', recorded: { kind: 'outbound' }, replayed: null };
  expect(replay(withImport(secondStart + 2, imported.slice(0, 1))).difference).toMatchObject(nobodys);
  expect(replay(withImport(frames.length, imported.slice(0, 1))).difference).toMatchObject(nobodys);
});

test('one changed byte of one message is found, in its frame', () => {
  const frames = day();
  const at = frames.findLastIndex(({ records }) => records.some(({ kind }) => kind === 'outbound'));
  const records = frames[at]!.records.map((record) =>
    record.kind === 'outbound'
      ? { ...record, raw: Buffer.from(record.raw.map((byte, i) => (i === 30 ? byte ^ 1 : byte))) }
      : record,
  );
  const { difference } = replay(frames.with(at, { ...frames[at]!, records }));
  expect(difference).toMatchObject({ frame: at + 1, recorded: { kind: 'outbound' }, replayed: { kind: 'outbound' } });
});

test('a record that is missing or too much is found', () => {
  const frames = day();
  const at = frames.findIndex(({ records }) => records.some(({ kind }) => kind === 'outbound'));
  const frame = frames[at]!;
  const less = { ...frame, records: frame.records.slice(0, -1) };
  expect(replay(frames.with(at, less)).difference).toMatchObject({ frame: at + 1, recorded: null });
  const more = { ...frame, records: [...frame.records, frame.records.at(-1)!] };
  expect(replay(frames.with(at, more)).difference).toMatchObject({ frame: at + 1, replayed: null });
});

test('a message that no input of the journal explains is a difference', () => {
  const frames = day();
  const at = frames.length - 1;
  const records = frames[at]!.records.filter(({ kind }) => kind !== 'inbound');
  const { difference } = replay(frames.with(at, { ...frames[at]!, records }));
  expect(difference).toMatchObject({ told: 'nothing that the journal has', replayed: null });
});

test('frames before the first start are left out', () => {
  const { counts } = replay([{ frame: 0, at: AT, records: [{ kind: 'audit', action: 'logout' }] }]);
  expect(counts).toMatchObject({ starts: 0, skipped: 1 });
});

test('an older journal does not say how a session was logged off: that is no difference', () => {
  const off = { kind: 'state', sessionId, loggedOn: false } as const;
  expect(isSame(off, { ...off, end: 'logout' })).toBe(true);
  expect(isSame({ ...off, end: 'disconnect' }, { ...off, end: 'logout' })).toBe(false);
});

test('a price that was heard seconds before the order that is checked against it sets no clock back', () => {
  const told: number[] = [];
  const { handle } = Gateway.prototype;
  const spy = vi.spyOn(Gateway.prototype, 'handle').mockImplementation(function (this: Gateway, input, now) {
    told.push(now);
    return handle.call(this, input, now);
  });
  onTestFinished(() => spy.mockRestore());
  const prices = { machine: 'gateway', input: { kind: 'referencePrices', prices: [['BTCUSDC', '60000', AT]] } };
  const tick = { machine: 'gateway', input: { kind: 'tick' } };
  const input = (json: unknown): ReplayedRecord => ({ kind: 'exchangeInput', json: JSON.stringify(json) });
  const replay = new DayReplay({ fold: new JournalState(), validator: () => validator });
  const frames: ReplayedFrame[] = [
    { frame: 1, at: AT, records: [startRecord(gateway)] },
    { frame: 2, at: AT + 3000, records: [input(tick)] },
    { frame: 3, at: AT + 3001, records: [input(tick), input(prices)] },
  ];
  for (const frame of frames) expect(replay.frame(frame)).toBeNull();
  expect(told).toEqual([AT + 3000, AT + 3001]);
});
