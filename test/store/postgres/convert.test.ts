// `crossgate store convert`: a journal in blocks becomes tables. blocks.sql is a database that the program before left: blocks 1 to 4
// were deleted after their years, and an order is open since the first of them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { convertBlocks, inspectRows, type Journal, openPostgresJournal, verifyRows } from '../../../src/store/mod.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { inbound, outbound, SESSION } from '../records.ts';

const requirement = await containerEngine();
const BLOCKS = readFileSync(join(import.meta.dirname, 'blocks.sql'), 'utf8');

describeWith(requirement, 'a journal in blocks of PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  const opened: Journal[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    url = server.past(await server.createDatabase());
    await sql(BLOCKS);
  });
  afterEach(async () => {
    for (const journal of opened.splice(0)) await journal.close();
  });

  const sql = (text: string): Promise<Record<string, unknown>[]> => server.query(text, databaseOf(url));
  const place = () => ({ url, journal: 'main' });
  async function open(): Promise<Journal> {
    const journal = await openPostgresJournal({ ...place(), leaseMs: 60_000 });
    opened.push(journal);
    return journal;
  }

  test('is refused by a gateway and by a reader, which name the command', async () => {
    const refused = {
      code: 'XG_CONFIG_INVALID',
      message: expect.stringMatching(/main .*is in blocks of an earlier version: .*`crossgate store convert`/),
    };
    await expect(open()).rejects.toMatchObject(refused);
    await expect(inspectRows(place())).rejects.toMatchObject(refused);
    await expect(verifyRows(place())).rejects.toMatchObject(refused);
    // The lease was given back.
    expect((await convertBlocks(place())).problems).toEqual([]);
  });

  test('J1 J4 becomes tables with the same numbers, orders, nonces and records', async () => {
    const seen: number[] = [];
    const conversion = await convertBlocks(place(), (done, blocks) => seen.push(done, blocks));
    expect(seen).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13].flatMap((block) => [block, 13]));
    expect(conversion).toEqual({ blocks: 13, converted: 9, records: 33, skipped: [], problems: [] });
    const journal = await open();
    const { sessions, orders, nonces, fresh } = journal.recovered;
    expect(fresh).toBe(false);
    expect(sessions.get(SESSION)).toMatchObject({
      numbers: { series: 2, nextSenderMsgSeqNum: 9, nextTargetMsgSeqNum: 9 },
      provenMsgSeqNum: 0,
      unsent: { from: 1, isSure: true },
    });
    expect(sessions.get('FIX.4.2:XGATE->THIRD')).toMatchObject({
      numbers: { series: 1, nextSenderMsgSeqNum: 3, nextTargetMsgSeqNum: 3 },
      provenMsgSeqNum: 1,
      end: 'logout',
    });
    // The import that was under way is under way still.
    expect(sessions.get('FIX.4.4:XGATE->DESK')).toMatchObject({ importBegun: true, end: 'disconnect' });
    expect([...orders]).toEqual([
      ['open', '{"open":true}'],
      ['order-1', '{"clOrdID":"ä"}'],
    ]);
    expect([...nonces]).toEqual([['main', '1700000000000001']]);
    for (const n of [1, 4, 5, 8]) {
      for (const name of ['c', 'x']) expect(journal.endedOrders.find(`${name}|${n}`)).toBe(`{"n":${n}}`);
    }
    expect((await journal.loadOutbound(SESSION, 2, 1, 99)).map(({ msgSeqNum }) => msgSeqNum)).toEqual([5, 6, 7, 8]);
    const frames: number[] = [];
    for await (const { frame } of journal.entries()) frames.push(frame);
    expect(frames).toHaveLength(33);
    expect([frames[0], frames.at(-1)]).toEqual([6, 15]);
    journal.append([inbound(9, SESSION, 2), outbound(9, SESSION, 2)], 20);
    await journal.sync();
  });

  test('goes on behind the last commit of a conversion that was interrupted', async () => {
    const interrupted = convertBlocks(place(), (done) => {
      if (done === 8) throw new Error('killed');
    });
    await expect(interrupted).rejects.toThrow('killed');
    await expect(open()).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
    const seen: number[] = [];
    expect((await convertBlocks(place(), (done) => seen.push(done))).converted).toBe(5);
    expect(seen[0]).toBe(9);
    expect((await open()).recovered.orders.size).toBe(2);
  });

  test('a block that cannot be read stops the conversion, which names it and goes on once it is back', async () => {
    const damage = 'set payload = set_byte(payload, 60, 255 - get_byte(payload, 60)) where block = 7';
    await sql(`update crossgate_block ${damage}`);
    const refused = {
      code: 'XG_JOURNAL_CORRUPT',
      message: expect.stringMatching(/row 7 of crossgate_block is damaged; restore it .*--skip-damaged/),
    };
    await expect(convertBlocks(place())).rejects.toMatchObject(refused);
    await sql(`update crossgate_block ${damage}`);
    expect((await convertBlocks(place())).converted).toBe(7);
  });

  test('leaves out damaged and missing blocks if asked to, and reports the frames that are lost', async () => {
    await sql(
      'update crossgate_block set payload = set_byte(payload, 60, 255 - get_byte(payload, 60)) where block = 7',
    );
    await sql('delete from crossgate_block where block = 9');
    const conversion = await convertBlocks(place(), () => {}, true);
    expect(conversion).toMatchObject({ converted: 9, problems: [] });
    expect(conversion.skipped).toEqual([
      { block: 7, firstFrame: 9, lastFrame: 9, problem: 'row 7 of crossgate_block is damaged' },
      { block: 9, firstFrame: 11, lastFrame: 11, problem: 'row 9 of crossgate_block is missing' },
    ]);
    const audit = await sql(
      'select frame::int, action, detail from crossgate_audit where who like $$store%$$ order by entry',
    );
    expect(audit).toMatchObject([
      { frame: 9, action: 'skip damaged block', detail: 'frames 9 to 9 are lost: row 7 of crossgate_block is damaged' },
      { frame: 11, action: 'skip damaged block' },
    ]);
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(9);
  });

  test('a node that writes the blocks is not disturbed', async () => {
    await sql("update crossgate_lease set expires_at = clock_timestamp() + interval '1 minute'");
    const renew = "update crossgate_lease set expires_at = expires_at + interval '1 second'";
    const renewing = setInterval(() => void sql(renew).catch(() => {}), 200);
    await expect(convertBlocks(place())).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    clearInterval(renewing);
  });
});
