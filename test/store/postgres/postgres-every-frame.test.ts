// The connection to PostgreSQL is cut at every frame of its protocol, before it and behind it, in a short life of a journal.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Journal } from '../../../src/store/mod.ts';
import { openPostgresJournal } from '../../../src/store/postgres/journal.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { FrameCutter } from '../frame-cutter.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { inbound, outbound, SESSION } from '../records.ts';

const requirement = await containerEngine();
const LAST = 5;

describeWith(requirement, 'a journal in PostgreSQL', () => {
  let server: PostgresServer;
  let cutter: FrameCutter;
  let direct: string;
  let cutting: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
    direct = await server.createDatabase();
    cutter = await FrameCutter.open({ host: '127.0.0.1', port: server.proxy.port });
    const through = new URL(direct);
    through.port = String(cutter.port);
    cutting = through.href;
    await (await openPostgresJournal({ url: direct, journal: 'first' })).close();
  }, 120_000);
  afterAll(async () => {
    await cutter?.close();
    await server?.stop();
  });

  /** Repeat until it succeeds, as a journal's user does. */
  async function insist<T>(act: () => Promise<T>): Promise<T> {
    for (let left = 100; ; left--) {
      try {
        return await act();
      } catch (error) {
        if (left === 0 || (error as { code?: string }).code !== 'XG_JOURNAL_WRITE_FAILED') throw error;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  /** Open it; a lease with a cut answer is not awaited. */
  const openThrough = (journal: string): Promise<Journal> =>
    insist(async () => {
      const expire = `update crossgate_lease set expires_at = clock_timestamp() where name = '${journal}'`;
      await server.query(expire, databaseOf(direct));
      return await openPostgresJournal({
        url: cutting,
        journal,
        leaseMs: 60_000,
        requestTimeoutMs: 2_000,
      });
    });

  /** Two lives of a journal, with resends. */
  async function live(name: string): Promise<void> {
    let journal = await openThrough(name);
    for (let n = 1; n <= LAST; n++) {
      if (n === 4) {
        await journal.close().catch(() => {});
        journal = await openThrough(name);
      }
      const ended = { kind: 'order', key: `o-${n}`, record: `{"n":${n}}`, ended: [`c|${n}`] } as const;
      journal.append([inbound(n), outbound(n), ended], n);
      await insist(() => journal.sync());
      const sent = await insist(() =>
        journal.loadOutbound(SESSION, 1, 1, 99).catch((error: unknown) => {
          throw Object.assign(new Error(String(error)), { code: 'XG_JOURNAL_WRITE_FAILED' });
        }),
      );
      expect(sent.map(({ msgSeqNum }) => msgSeqNum)).toEqual(Array.from({ length: n }, (_, k) => k + 1));
    }
    await journal.close().catch(() => {});
  }

  async function check(name: string): Promise<void> {
    await server.query(
      `update crossgate_lease set expires_at = clock_timestamp() where name = '${name}'`,
      databaseOf(direct),
    );
    // Past the proxy in this process, which stands still while an ended order is looked for.
    const journal = await openPostgresJournal({ url: server.past(direct), journal: name, leaseMs: 60_000 });
    const frames: number[] = [];
    for await (const { frame } of journal.entries()) frames.push(frame);
    const all = Array.from({ length: LAST }, (_, k) => k + 1);
    expect(frames).toEqual(all.flatMap((n) => [n, n, n]));
    expect(journal.recovered.sessions.get(SESSION)?.numbers).toMatchObject({
      nextSenderMsgSeqNum: LAST + 1,
      nextTargetMsgSeqNum: LAST + 1,
    });
    for (const n of all) expect(journal.endedOrders.find(`c|${n}`)).toBe(`{"n":${n}}`);
    await journal.close();
  }

  test('J1 cut at every frame of the protocol, before or behind it, it has every batch once and in order', async () => {
    cutter.cut = null;
    cutter.frames = 0;
    await live('whole');
    const whole = cutter.frames;
    await check('whole');
    // Every one with CROSSGATE_FRAME_STEP=1, which takes minutes; else some of them, others each time.
    const step = Number(process.env.CROSSGATE_FRAME_STEP ?? '61');
    const from = Number(process.env.CROSSGATE_SEED ?? Date.now()) % step;
    for (let at = 1 + from; at <= whole; at += step) {
      for (const passes of [false, true]) {
        const name = `cut-${at}-${passes}`;
        cutter.frames = 0;
        cutter.log.length = 0;
        cutter.cut = { at, passes };
        try {
          await live(name);
          await check(name);
        } catch (error) {
          throw new Error(
            `cut at frame ${at} of ${whole}, ${passes ? 'behind' : 'before'} it (${cutter.log.slice(at - 4, at).join(' ')})`,
            { cause: error },
          );
        }
      }
    }
  }, 600_000);
});
