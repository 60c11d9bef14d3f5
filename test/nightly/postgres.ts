// Kills of a gateway over PostgreSQL at random moments, then take-overs by a node that stands by, at a small journal and at a large
// one: `npm run nightly -- postgres [kills] [seed] [megabytes]`. Nothing may be lost or doubled, and a take-over takes the lease and
// 1.5 s at most, however long the journal is. CROSSGATE_NIGHTLY_POSTGRES names a server; without it, one runs in a container.

import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Client } from 'pg';
import { type JournalRecord, openPostgresJournal } from '../../src/store/mod.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { crashCampaign } from '../support/campaigns/crash-campaign.ts';
import { type FixConnection, logOn, openFix, report } from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import { GatewayProcess } from '../support/processes/gateway-process.ts';
import type { LineProcess } from '../support/processes/line-process.ts';

const KILLS_PER_ROUND = 25;
const LEASE_MS = 5_000;
const BEHIND_LEASE_MS_MAX = 1_500;
const TAKE_OVERS = 10;
const JOURNAL = 'crossgate';
const RETRY_MS = 20;

interface Databases {
  create(): Promise<string>;
  stop(): Promise<void>;
}

async function databases(): Promise<Databases> {
  const named = process.env.CROSSGATE_NIGHTLY_POSTGRES;
  if (named === undefined) {
    const server = await PostgresServer.start();
    return { create: async () => server.past(await server.createDatabase()), stop: () => server.stop() };
  }
  let count = 0;
  const create = async (): Promise<string> => {
    const url = new URL(named);
    const name = `crossgate_nightly_${process.pid}_${++count}`;
    const client = new Client({ connectionString: named });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    url.pathname = `/${name}`;
    return url.href;
  };
  return { create, stop: async () => {} };
}

/** Messages and ended orders of another session, until the journal has that size. */
async function fill(url: string, megabytes: number): Promise<void> {
  const journal = await openPostgresJournal({ url, journal: JOURNAL, requestTimeoutMs: 30_000, leaseMs: 60_000 });
  const sessionId = 'FIX.4.4:EXCHANGE_TEST->OTHER';
  const [inbound, outbound] = [Buffer.alloc(190, 'i'), Buffer.alloc(290, 'o')];
  for (let n = 1, bytes = 0; bytes < megabytes * 1_048_576; n++) {
    const both = { sessionId, series: 1, msgSeqNum: n } as const;
    const records: JournalRecord[] = [
      { kind: 'inbound', ...both, nextTargetMsgSeqNum: n + 1, msgType: 'D', raw: inbound },
      { kind: 'outbound', ...both, msgType: '8', resendable: true, raw: outbound },
      { kind: 'order', key: `old-${n}`, record: `{"v":2,"n":${n},"text":"${'x'.repeat(560)}"}`, ended: [`old-${n}`] },
    ];
    journal.append(records, Date.now());
    bytes += 1_100;
    if (n % 5_000 === 0) await journal.sync();
  }
  await journal.close();
}

/** Log on as soon as the node lets it, with `reset` or without; when it was let in. */
async function whenLetIn(port: number, fix: FixConnection | null): Promise<{ connection: FixConnection; at: number }> {
  for (;;) {
    const connection = await openFix(port, ACME).catch(() => null);
    if (connection !== null) {
      connection.nextSenderMsgSeqNum = fix?.nextSenderMsgSeqNum ?? 1;
      const answer = await logOn(connection, { password: PASSWORD, reset: fix === null }).catch(() => null);
      if (answer !== null) return { connection, at: performance.now() };
      connection.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Milliseconds from each kill until the next node has let the OMS in, beyond the lease. */
async function takeOvers(house: ExchangeHouse, url: string): Promise<number[]> {
  await writeFile(join(house.home.secrets, 'postgres.url'), url, { mode: 0o600 });
  const store = { kind: 'postgres', url: 'file:secrets/postgres.url', journal: JOURNAL, standby: 'wait' };
  await house.home.configure('gateway.yaml', { store: { ...store, leaseMs: LEASE_MS } });
  const begin = async (k: number): Promise<LineProcess> => {
    const state = join(house.home.folder, `node-${k}`);
    await cp(house.home.secrets, join(state, 'secrets'), { recursive: true });
    return house.home.begin(house.simulator.url, { CROSSGATE_STATE: state });
  };
  const first = await house.start();
  const { fixPort } = first;
  let active = first.process;
  let { connection } = await whenLetIn(fixPort, null);
  const tookMs: number[] = [];
  for (let k = 1; k <= TAKE_OVERS; k++) {
    const next = await begin(k);
    await next.line(/this node stands by/, 60_000);
    for (let i = 0; i < 50; i++) {
      const clOrdID = `o-${k}-${i}`;
      connection.send(limitOrder(clOrdID, '0.001', '50000'));
      await connection.expect('New', report(clOrdID, '0', '0'));
    }
    const killed = performance.now();
    await active.kill('SIGKILL');
    const last = connection;
    const letIn = await whenLetIn(fixPort, last);
    connection = letIn.connection;
    tookMs.push(Math.round(letIn.at - killed - LEASE_MS));
    await GatewayProcess.ready(next);
    active = next;
  }
  connection.destroy();
  return tookMs;
}

async function measure(url: string, name: string): Promise<boolean> {
  const house = await exchangeHouse({
    'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' }, 'limits.openOrdersMax': 100_000 },
  });
  try {
    const tookMs = await takeOvers(house, url);
    console.log(`${name}: from kill -9 to a Logon, beyond the lease of ${LEASE_MS} ms: ${tookMs.join(', ')} ms`);
    return tookMs.every((ms) => ms <= BEHIND_LEASE_MS_MAX);
  } finally {
    await house.close();
  }
}

/** Whether everything agreed in the end, and each take-over was in time. */
export async function run([
  kills = '100',
  seed = String(Date.now() % 1_000_000),
  megabytes = '500',
]: readonly string[]): Promise<boolean> {
  console.log(
    `${kills} kills, seed ${seed}, then ${TAKE_OVERS} take-overs at a small journal and at one of ${megabytes} MB`,
  );
  const server = await databases();
  let held = true;
  try {
    for (let left = Number(kills), round = Number(seed); left > 0; left -= KILLS_PER_ROUND, round++) {
      const options = { kills: Math.min(left, KILLS_PER_ROUND), seed: round, atSyncs: false };
      try {
        console.log(JSON.stringify(await crashCampaign({ ...options, postgres: await server.create() })));
      } catch (error) {
        held = false;
        console.error(`seed ${round}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    held = (await measure(await server.create(), 'small journal')) && held;
    const large = await server.create();
    await fill(large, Number(megabytes));
    held = (await measure(large, `journal of ${megabytes} MB`)) && held;
  } finally {
    await server.stop();
  }
  return held;
}
