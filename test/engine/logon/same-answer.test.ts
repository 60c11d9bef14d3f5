// S1 A stranger cannot find out which CompIDs exist: neither by the bytes of the answer nor by the work behind it. The work is counted
// in hashes, since a test must not measure time.

import { scryptSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HashJob } from '../../../src/engine/logon/hash-job.ts';
import { HashQueue } from '../../../src/engine/logon/hash-queue.ts';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { Passwords } from '../../../src/engine/logon/passwords.ts';
import { JournalHealth } from '../../../src/engine/sessions/journal-health.ts';
import { SessionEngine } from '../../../src/engine/sessions/session-engine.ts';
import { openMemoryStore } from '../../../src/store/mod.ts';
import { DataFields } from '../../../src/wire/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';
import { ENGINE_LIMITS } from '../../support/session/engine-host.ts';
import { sessionConfig, validatorOf } from '../../support/session/session-machine.ts';

const PASSWORD = 'the right password';
const COST = 8;
let engine: SessionEngine;
let jobs: HashJob[] = [];

async function open(failedLogonsPerMinute: number): Promise<void> {
  jobs = [];
  const queue = new HashQueue(async (job) => {
    jobs.push(job);
    return scryptSync(job.password, job.salt, job.bytes, job.cost);
  });
  const hash = await hashPassword(PASSWORD, COST);
  const config = sessionConfig({});
  engine = new SessionEngine({
    journal: openMemoryStore(10_000),
    journalHealth: new JournalHealth(),
    application: { handle: () => {}, deadline: () => null },
    recorder: null,
    passwords: new Passwords(null, Date.now, () => {}, queue),
    limits: { ...ENGINE_LIMITS, failedLogonsPerMinute },
    dictionaries: new Map([
      [
        config.beginString,
        {
          names: [],
          dataFields: DataFields.STANDARD,
          newValidator: () => validatorOf({}, config.beginString) as never,
        },
      ],
    ]),
    log: () => {},
    now: Date.now,
    keepsRecentMessages: false,
    busyPollMicros: 0,
  });
  const access = { signature: null, certificate: null, passwordOverlapMs: null, onRefusal: 'logout' } as const;
  for (const [targetCompID, more, enabled] of [
    ['KNOWN', { allowFrom: [] }, true],
    ['ELSEWHERE', { allowFrom: ['10.0.0.0/8'] }, true],
    ['CERTIFIED', { allowFrom: [], certificate: { commonName: 'OMS', fingerprints: [] } }, true],
    ['DISABLED', { allowFrom: [] }, false],
    ['LIVE', { allowFrom: [] }, true],
  ] as const)
    engine.addSession({
      source: 'the test',
      session: { ...config, targetCompID, sessionId: `${config.beginString}:${config.senderCompID}->${targetCompID}` },
      password: { reference: 'the test', read: () => hash },
      access: { ...access, ...more },
      connect: null,
      durability: 'process',
      listeners: [],
      enabled,
    });
  await engine.listen({ name: 'fix', host: '127.0.0.1', port: 0, tls: null, allowFrom: [], proxyFrom: [] });
}

beforeEach(() => open(1_000));
afterEach(async () => {
  engine.stop();
  engine.dropConnections('the test is over');
  await engine.closeListeners();
  engine.stop();
});

const peer = (compID: string) =>
  openFix(engine.addresses[0]!.port, { senderCompID: compID, targetCompID: sessionConfig({}).senderCompID });

/** The answer to a Logon, and the costs of its hashes. */
async function logOn(compID: string, fields: string): Promise<{ answer: number; costs: number[] }> {
  const before = jobs.length;
  const stranger = await peer(compID);
  stranger.send(`35=A|98=0|108=30|141=Y|${fields}`);
  await stranger.expectClosed();
  return { answer: stranger.received.length, costs: jobs.slice(before).map(({ cost }) => cost.N) };
}

test('S1 unknown CompID, wrong password, address, certificate, disabled and live session look alike', async () => {
  const live = await peer('LIVE');
  live.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}|`);
  expect((await live.next()).msgType).toBe('A');
  for (const password of ['a wrong password', PASSWORD])
    for (const compID of ['KNOWN', 'ELSEWHERE', 'CERTIFIED', 'DISABLED', 'LIVE', 'UNKNOWN', 'NOBODY']) {
      if (compID === 'KNOWN' && password === PASSWORD) continue;
      expect([compID, await logOn(compID, `554=${password}|`)]).toEqual([compID, { answer: 0, costs: [2 ** COST] }]);
    }
  // Without a password nothing is hashed, for any name.
  for (const compID of ['KNOWN', 'ELSEWHERE', 'DISABLED', 'LIVE', 'UNKNOWN'])
    expect([compID, await logOn(compID, '')]).toEqual([compID, { answer: 0, costs: [] }]);
  live.destroy();
});

test('S1 an address that has failed too often costs no hash any more, with any name', async () => {
  engine.stop();
  await engine.closeListeners();
  await open(3);
  for (let n = 0; n < 3; n++) expect((await logOn(`UNKNOWN_${n}`, '554=guess|')).costs).toHaveLength(1);
  for (const compID of ['UNKNOWN_0', 'UNKNOWN_9', 'KNOWN', 'DISABLED', 'LIVE', 'ELSEWHERE'])
    expect([compID, await logOn(compID, '554=guess|')]).toEqual([compID, { answer: 0, costs: [] }]);
});
