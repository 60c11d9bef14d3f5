// The duties of every journal, of any kind. Run by one test file per implementation.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionNumbers } from '../../src/session/mod.ts';
import type { Journal, JournalEntry, JournalRecord } from '../../src/store/mod.ts';
import { comparable, everyKind, inbound, OTHER, outbound, rawMessage, reset, SESSION } from './records.ts';

/** A place where a journal lives; `open` may be called again after `close` or `crash`. */
export interface JournalPlace {
  open(): Promise<Journal>;
  /** Let go of the open journal as a killed process would: without a word. */
  crash(journal: Journal): Promise<void>;
  /** For a journal with a `write` that only begins to send: wait for its end. */
  written?(journal: Journal): Promise<void>;
  remove(): Promise<void>;
}

async function collect(journal: Journal): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of journal.entries()) entries.push(entry);
  return entries;
}

export function journalContract(name: string, createPlace: () => Promise<JournalPlace>): void {
  describe(`every journal: ${name}`, () => {
    let place: JournalPlace;
    let journal: Journal;
    beforeEach(async () => {
      place = await createPlace();
      journal = await place.open();
    });
    afterEach(async () => {
      await journal.close();
      await place.remove();
    });

    async function reopen(): Promise<void> {
      await journal.close();
      journal = await place.open();
    }

    test('a new journal is fresh and empty, and is not fresh when it is opened again', async () => {
      expect(journal.recovered.fresh).toBe(true);
      expect(journal.recovered.sessions.size).toBe(0);
      await reopen();
      expect(journal.recovered.fresh).toBe(false);
      expect(journal.recovered.notes).toEqual([]);
    });

    test('every kind of record is read back as it was written, in order, with frame and time', async () => {
      const records = everyKind();
      journal.append(records.slice(0, 5), 1_700_000_000_001);
      journal.append(records.slice(5), 1_700_000_000_002);
      await journal.sync();
      await reopen();
      const entries = await collect(journal);
      expect(entries.map(({ record }) => comparable(record))).toEqual(records.map(comparable));
      expect(entries[0]).toMatchObject({ at: 1_700_000_000_001, frame: 1 });
      expect(entries.at(-1)).toMatchObject({ at: 1_700_000_000_002, frame: 2 });
    });

    test('J1 the expected target number is recovered from the record of the inbound message that it counts', async () => {
      journal.append([inbound(1)], 1);
      journal.append([inbound(2), outbound(1)], 2);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)).toEqual({
        sessionId: SESSION,
        numbers: { series: 1, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 3 },
        loggedOn: false,
        provenMsgSeqNum: 0,
        countedAt: 2,
        unsent: { from: 1, isSure: true },
      });
    });

    test('S2 recovers messages made since logoff as unsent, or as doubtful behind a Logon', async () => {
      const unsent = (): unknown => journal.recovered.sessions.get(SESSION)?.unsent ?? null;
      const state = (loggedOn: boolean) => ({ kind: 'state', sessionId: SESSION, loggedOn }) as const;
      for (const [records, known] of [
        [[outbound(1), state(true), outbound(2)], null],
        [[state(false)], { from: 3, isSure: true }],
        [[outbound(3), outbound(4)], { from: 3, isSure: true }],
        [[outbound(5), state(true)], { from: 3, isSure: false }],
        [[state(false), outbound(6)], { from: 3, isSure: false }],
        [[{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 6 } as const], { from: 3, isSure: false }],
        [[outbound(7), state(true)], null],
        [[reset(2)], null],
        [[state(false)], { from: 1, isSure: true }],
      ] as const) {
        journal.append([...records], 1);
        await reopen();
        expect(unsent(), JSON.stringify(records)).toEqual(known);
      }
    });

    test("recovers the last counted message's time; Logouts and unnumbered ones do not count", async () => {
      journal.append([inbound(1)], 10);
      journal.append([{ ...outbound(1), msgType: '5', resendable: false }], 20);
      journal.append([{ kind: 'state', sessionId: SESSION, loggedOn: false }], 30);
      journal.append([reset(2, OTHER)], 40);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)?.countedAt).toBe(10);
      expect(journal.recovered.sessions.get(OTHER)?.countedAt).toBe(40);
    });

    test('recovers our Logout as the last word of a session until its end is recorded', async () => {
      const logout = (msgSeqNum: number) => ({ ...outbound(msgSeqNum), msgType: '5', resendable: false });
      const state = (loggedOn: boolean) => ({ kind: 'state', sessionId: SESSION, loggedOn }) as const;
      const steps: readonly (readonly [records: JournalRecord[], known: boolean | undefined])[] = [
        // As it refuses a Logon.
        [[logout(1)], undefined],
        [[state(true), outbound(2)], undefined],
        [[logout(3), outbound(4)], true],
        [[state(false)], undefined],
      ];
      for (const [records, saidLogout] of steps) {
        journal.append(records, 1);
        await reopen();
        expect(journal.recovered.sessions.get(SESSION)?.saidLogout).toBe(saidLogout);
      }
    });

    test('keeps numbers, logged-on state and proofs of sessions apart', async () => {
      journal.append([outbound(1), outbound(2), outbound(1, OTHER)], 1);
      journal.append([{ kind: 'state', sessionId: OTHER, loggedOn: true }], 2);
      journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 2 }], 3);
      journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 1 }], 4);
      await reopen();
      const one = journal.recovered.sessions.get(SESSION);
      const other = journal.recovered.sessions.get(OTHER);
      expect(one).toMatchObject({ numbers: { nextSenderMsgSeqNum: 3 }, loggedOn: false, provenMsgSeqNum: 2 });
      expect(other).toMatchObject({ numbers: { nextSenderMsgSeqNum: 2 }, loggedOn: true, provenMsgSeqNum: 0 });
    });

    test('a reset begins a new series: numbers begin again, nothing of it is proven', async () => {
      journal.append([outbound(1), { kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 1 }], 1);
      journal.append([reset(2), outbound(1, SESSION, 2)], 2);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)).toMatchObject({
        numbers: { series: 2, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 1 },
        provenMsgSeqNum: 0,
      });
    });

    test('recovers the end of a reset within the session until new numbers are used or set', async () => {
      const change = (from: SessionNumbers, to: SessionNumbers): JournalRecord => {
        return { kind: 'numbers', sessionId: SESSION, from, to, who: 'ann', why: 'agreed' };
      };
      const [first, second, third, fourth] = [1, 2, 3, 4].map((series) => {
        return { series, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };
      }) as [SessionNumbers, SessionNumbers, SessionNumbers, SessionNumbers];
      const agreed = { series: 3, nextSenderMsgSeqNum: 40, nextTargetMsgSeqNum: 50 };
      const steps: readonly (readonly [records: JournalRecord[], known: SessionNumbers | undefined])[] = [
        [[change(first, second)], undefined],
        [[{ kind: 'state', sessionId: SESSION, loggedOn: true }], undefined],
        [[change({ ...second, nextTargetMsgSeqNum: 9 }, third)], { ...second, nextTargetMsgSeqNum: 9 }],
        [[change(third, agreed)], undefined],
        [[change(agreed, fourth), outbound(1, SESSION, 4)], agreed],
        [[inbound(1, SESSION, 4)], undefined],
      ];
      for (const [records, known] of steps) {
        journal.append(records, 1);
        await reopen();
        expect(journal.recovered.sessions.get(SESSION)?.before).toEqual(known);
      }
    });

    test('knows the series ended by a configured reset until the new numbers are used', async () => {
      const [old, begun, again] = [
        { series: 1, nextSenderMsgSeqNum: 7, nextTargetMsgSeqNum: 5 },
        { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
        { series: 3, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
      ];
      const change = (from: SessionNumbers, to: SessionNumbers, who: string): JournalRecord => {
        return { kind: 'numbers', sessionId: SESSION, from, to, who, why: 'numbers begin again' };
      };
      const logout: JournalRecord = { kind: 'state', sessionId: SESSION, loggedOn: false, end: 'logout' };
      const steps: readonly (readonly [records: JournalRecord[], known: SessionNumbers | undefined])[] = [
        [[logout], undefined],
        [[change(old, begun, 'settings')], old],
        [[outbound(1, SESSION, 2)], old],
        // Nothing was counted in the numbers between.
        [[logout, change({ ...begun, nextSenderMsgSeqNum: 2 }, again, 'settings')], old],
        [[inbound(1, SESSION, 3)], undefined],
        [[logout, change(again, { ...begun, series: 4 }, 'ann')], undefined],
      ];
      for (const [records, known] of steps) {
        journal.append(records, 1);
        await reopen();
        expect(journal.recovered.sessions.get(SESSION)?.before).toEqual(known);
      }
    });

    test('that 1 was set as the expected number within a series is known until a new one begins', async () => {
      const change = (from: SessionNumbers, to: SessionNumbers): JournalRecord => {
        return { kind: 'numbers', sessionId: SESSION, from, to, who: 'ann', why: 'agreed' };
      };
      const begun = { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };
      const used = { series: 2, nextSenderMsgSeqNum: 7, nextTargetMsgSeqNum: 5 };
      const first = { ...used, nextTargetMsgSeqNum: 1 };
      const steps: readonly (readonly [record: JournalRecord, known: true | undefined])[] = [
        [change({ ...begun, series: 1 }, begun), undefined],
        [change(begun, used), undefined],
        [change(used, first), true],
        [change(first, { ...begun, series: 3 }), undefined],
      ];
      for (const [record, known] of steps) {
        journal.append([record], 1);
        await reopen();
        expect(journal.recovered.sessions.get(SESSION)?.firstByHand).toBe(known);
      }
    });

    test('recovers an owed reset with its requester until numbers restart', async () => {
      const change = (from: SessionNumbers, to: SessionNumbers, who: string): JournalRecord => {
        return { kind: 'numbers', sessionId: SESSION, from, to, who, why: `said by ${who}` };
      };
      const first = { series: 1, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 1 };
      const set = { ...first, nextTargetMsgSeqNum: 9 };
      const begun = { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };
      const steps: readonly (readonly [record: JournalRecord, known: string | undefined])[] = [
        [outbound(1), undefined],
        [change(first, first, 'application'), 'said by application'],
        [change(first, first, 'schedule'), 'said by schedule'],
        [outbound(2), 'said by schedule'],
        [change(first, set, 'ann'), 'said by schedule'],
        [change(begun, { ...set, series: 2 }, 'session'), 'said by schedule'],
        [change({ ...set, series: 2 }, { ...begun, series: 3 }, 'schedule'), undefined],
      ];
      for (const [record, known] of steps) {
        journal.append([record], 1);
        await reopen();
        const { due, dueBy } = journal.recovered.sessions.get(SESSION)!;
        expect([due, dueBy]).toEqual([known, known?.slice('said by '.length)]);
      }
    });

    test('S11 recovers a begun import until its numbers are set or the session is released', async () => {
      const begun = (sessionId: string): JournalRecord[] => [
        { kind: 'state', sessionId, loggedOn: false, importBegun: true },
        outbound(1, sessionId, 2),
      ];
      const parts: JournalRecord[][] = [
        [{ kind: 'state', sessionId: SESSION, loggedOn: true }, inbound(1)],
        [...begun(SESSION), ...begun(OTHER)],
        [
          { ...reset(3), who: 'schedule' },
          { ...reset(4), who: 'settings' },
        ],
        [{ ...reset(5), who: 'desk' }],
        [{ kind: 'damageAccepted', sessionId: OTHER, who: 'desk', why: 'compared' }],
      ];
      const seen: unknown[] = [];
      for (const [k, records] of parts.entries()) {
        journal.append(records, 1_700_000_000_000 + k);
        await journal.sync();
        await reopen();
        const { sessions } = journal.recovered;
        seen.push([SESSION, OTHER].map((id) => [sessions.get(id)?.importBegun, sessions.get(id)?.loggedOn]));
      }
      expect(seen).toEqual([
        [
          [undefined, true],
          [undefined, undefined],
        ],
        [
          [true, true],
          [true, false],
        ],
        [
          [true, true],
          [true, false],
        ],
        [
          [undefined, true],
          [true, false],
        ],
        [
          [undefined, true],
          [undefined, false],
        ],
      ]);
    });

    test('S2 reports of ended series that were neither proven nor sent again are owed, and can be read', async () => {
      journal.append([outbound(1), outbound(2), { kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 1 }], 1);
      journal.append([reset(2), outbound(1, SESSION, 2)], 2);
      journal.append([reset(3)], 3);
      journal.append([outbound(1, SESSION, 3)], 4);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)?.ended).toEqual([
        { series: 1, from: 2, to: 2 },
        { series: 2, from: 1, to: 1 },
      ]);
      expect((await journal.loadOutbound(SESSION, 1, 2, 2)).map(({ msgSeqNum }) => msgSeqNum)).toEqual([2]);
      journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 2 }], 5);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)?.ended).toEqual([{ series: 2, from: 1, to: 1 }]);
    });

    test('the last record of an order and the highest nonce of a credential win', async () => {
      journal.append([{ kind: 'order', key: 'a', record: '1' }], 1);
      journal.append([{ kind: 'order', key: 'b', record: '1' }], 2);
      journal.append([{ kind: 'order', key: 'a', record: '2' }], 3);
      for (const nonce of ['999', '1000', '998']) journal.append([{ kind: 'nonce', credential: 'main', nonce }], 4);
      await reopen();
      expect([...journal.recovered.orders]).toEqual([
        ['a', '2'],
        ['b', '1'],
      ]);
      expect(journal.recovered.nonces.get('main')).toBe('1000');
    });

    test('finds outbound messages for a resend unwritten, written, synced and after a restart', async () => {
      journal.append([outbound(1)], 11);
      const expected = [{ series: 1, msgSeqNum: 1, msgType: '8', resendable: true, at: 11 }];
      expect(await journal.loadOutbound(SESSION, 1, 1, 9)).toMatchObject(expected);
      journal.write();
      expect(await journal.loadOutbound(SESSION, 1, 1, 9)).toMatchObject(expected);
      await journal.sync();
      expect(await journal.loadOutbound(SESSION, 1, 1, 9)).toMatchObject(expected);
      await reopen();
      const [message] = await journal.loadOutbound(SESSION, 1, 1, 9);
      expect(message).toMatchObject(expected[0]!);
      expect(Buffer.from(message!.raw)).toEqual(Buffer.from(outbound(1).raw));
    });

    test("a resend reads its own session's unwritten messages, despite equal numbers", async () => {
      const of = (sessionId: string): JournalRecord & { kind: 'outbound' } => ({
        ...outbound(1, sessionId),
        raw: rawMessage(`8=FIX.4.4|9=5|35=8|34=1|56=${sessionId.slice(-3)}|10=000|`),
      });
      const texts = async (): Promise<string[]> => {
        const all = await Promise.all([SESSION, OTHER].map((one) => journal.loadOutbound(one, 1, 1, 9)));
        return all.map((messages) => messages.map(({ raw }) => Buffer.from(raw).toString('latin1')).join());
      };
      const expected = [SESSION, OTHER].map((one) => of(one).raw.toString());
      journal.append([of(SESSION)], 1);
      journal.append([of(OTHER)], 2);
      expect(await texts()).toEqual(expected);
      journal.write();
      expect(await texts()).toEqual(expected);
      await reopen();
      expect(await texts()).toEqual(expected);
    });

    test('a resend reads resendable messages only, of its series and session only, ascending, within its range', async () => {
      for (let n = 1; n <= 3000; n++) journal.append([outbound(n, SESSION, 1, n % 3 !== 0), outbound(n, OTHER)], n);
      await journal.sync();
      journal.append([reset(2), outbound(1, SESSION, 2), outbound(2, SESSION, 2)], 3001);
      const numbers = (await journal.loadOutbound(SESSION, 1, 1020, 1030)).map(({ msgSeqNum }) => msgSeqNum);
      expect(numbers).toEqual([1021, 1022, 1024, 1025, 1027, 1028, 1030]);
      expect(await journal.loadOutbound(SESSION, 1, 1, 3000)).toHaveLength(2000);
      expect((await journal.loadOutbound(SESSION, 2, 1, 3000)).map(({ at }) => at)).toEqual([3001, 3001]);
      expect(await journal.loadOutbound('FIX.4.4:XGATE->NOBODY', 1, 1, 9)).toEqual([]);
      expect(await journal.loadOutbound(SESSION, 1, 5, 4)).toEqual([]);
    });

    test('S2 the series before a reset can still be read for repeating reports not proven received', async () => {
      journal.append([outbound(1), outbound(2)], 1);
      journal.append([reset(2), outbound(1, SESSION, 2)], 2);
      await reopen();
      const old = await journal.loadOutbound(SESSION, 1, 1, 99);
      expect(old.map(({ msgSeqNum, series }) => [series, msgSeqNum])).toEqual([
        [1, 1],
        [1, 2],
      ]);
    });

    test('S9 recovers debts of untaken numbers as unasked until sent', async () => {
      const change = (from: SessionNumbers, to: SessionNumbers): JournalRecord => {
        return { kind: 'numbers', sessionId: SESSION, from, to, who: 'session', why: 'a reset, and back' };
      };
      const numbers = (series: number, next: number): SessionNumbers => {
        return { series, nextSenderMsgSeqNum: next, nextTargetMsgSeqNum: next };
      };
      const owed = async (...records: JournalRecord[]): Promise<unknown> => {
        journal.append(records, 1);
        await reopen();
        return journal.recovered.sessions.get(SESSION)?.ended;
      };
      // A reset that was asked for, and one within a session that is taken back.
      await owed(outbound(1), change(numbers(1, 2), numbers(2, 1)));
      await owed({ kind: 'state', sessionId: SESSION, loggedOn: true }, outbound(1, SESSION, 2));
      await owed(change(numbers(2, 2), numbers(3, 1)), outbound(1, SESSION, 3));
      const asked = { series: 1, from: 1, to: 1 };
      const unasked = [2, 3].map((series) => ({ series, from: 1, to: 1, isUnasked: true }));
      expect(await owed(change(numbers(3, 2), numbers(4, 2)))).toEqual([asked, ...unasked]);
      expect(await owed(outbound(2, SESSION, 3))).toEqual([asked, unasked[0], { ...unasked[1], to: 2 }]);
      const proven = { kind: 'proven', sessionId: SESSION, msgSeqNum: 1 } as const;
      expect(await owed({ ...proven, series: 2 })).toEqual([asked, { ...unasked[1], to: 2 }]);
    });

    test("S2 reads a waiting report after an ended series' debt, and owes it after a start", async () => {
      journal.append([outbound(1), outbound(2)], 1);
      journal.append([reset(2), outbound(1, SESSION, 2)], 2);
      journal.append([outbound(3, SESSION, 1), outbound(2, SESSION, 2)], 3);
      const owed = await journal.loadOutbound(SESSION, 1, 2, 9);
      expect(owed.map(({ msgSeqNum, at }) => [msgSeqNum, at])).toEqual([
        [2, 1],
        [3, 3],
      ]);
      journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 2 }], 4);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)).toMatchObject({
        numbers: { series: 2, nextSenderMsgSeqNum: 3 },
        ended: [{ series: 1, from: 3, to: 3 }],
      });
      expect((await journal.loadOutbound(SESSION, 1, 3, 3)).map(({ msgSeqNum }) => msgSeqNum)).toEqual([3]);
      journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 3 }], 5);
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)).not.toHaveProperty('ended');
    });

    test('bytes are copied by append: the caller may reuse its buffer at once', async () => {
      const raw = rawMessage('35=8|58=before|');
      journal.append(
        [{ kind: 'outbound', sessionId: SESSION, series: 1, msgSeqNum: 1, msgType: '8', resendable: true, raw }],
        1,
      );
      raw.fill(0x21);
      const [message] = await journal.loadOutbound(SESSION, 1, 1, 1);
      expect(Buffer.from(message!.raw)).toEqual(rawMessage('35=8|58=before|'));
    });

    test('a message of one megabyte is recorded and read back', async () => {
      const raw = Buffer.alloc(1_048_576, 'm');
      const large = {
        kind: 'outbound',
        sessionId: SESSION,
        series: 1,
        msgSeqNum: 1,
        msgType: 'B',
        resendable: true,
        raw,
      } as const;
      journal.append([large, outbound(2)], 1);
      await reopen();
      const messages = await journal.loadOutbound(SESSION, 1, 1, 2);
      expect(messages.map((message) => message.raw.length)).toEqual([1_048_576, outbound(2).raw.length]);
    });

    test('written records survive the death of the process; appended ones do not', async () => {
      journal.append([inbound(1)], 1);
      journal.write();
      await place.written?.(journal);
      journal.append([inbound(2)], 2);
      await place.crash(journal);
      journal = await place.open();
      expect(journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(2);
      journal.append([inbound(2)], 3);
      await reopen();
      expect((await collect(journal)).map(({ frame, at }) => [frame, at])).toEqual([
        [1, 1],
        [2, 3],
      ]);
    });

    test('syncs requested during one share the next, and each covers earlier appends', async () => {
      const all: Promise<void>[] = [];
      for (let n = 1; n <= 50; n++) {
        journal.append([inbound(n)], n);
        all.push(journal.sync());
      }
      await Promise.all(all);
      await place.crash(journal);
      journal = await place.open();
      expect(journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(51);
    });

    test('reading the message log does not disturb appending', async () => {
      for (let n = 1; n <= 20; n++) journal.append([inbound(n)], n);
      let seen = 0;
      for await (const _ of journal.entries()) {
        journal.append([outbound(++seen)], seen);
        if (seen === 20) break;
      }
      await reopen();
      expect(journal.recovered.sessions.get(SESSION)?.numbers).toMatchObject({
        nextSenderMsgSeqNum: 21,
        nextTargetMsgSeqNum: 21,
      });
    });
  });
}
