// Many sessions behind one port of the real engine: separated by BeginString, CompIDs, SubIDs and LocationIDs.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FixEngine, startAcceptor } from '../../../src/mod.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

const PAIR = { senderCompID: 'XGATE', targetCompID: 'OMS' } as const;
const loggedOn: string[] = [];
let engine: FixEngine;

beforeAll(async () => {
  engine = await startAcceptor({
    port: 0,
    sessions: [
      PAIR,
      { ...PAIR, beginString: 'FIX.4.2' },
      { ...PAIR, targetCompID: 'OTHER' },
      { ...PAIR, targetSubID: 'DESK1' },
      { ...PAIR, targetSubID: 'DESK2', senderSubID: 'GW' },
      { ...PAIR, targetLocationID: 'NY' },
    ],
    application: {
      onMessage: () => {},
      onLogon: (session) => {
        loggedOn.push(session.sessionID);
      },
    },
  });
});

afterAll(async () => {
  await engine.close();
});

async function logOn(fields: string, beginString = 'FIX.4.4', senderCompID = 'OMS'): Promise<FixConnection> {
  const connection = await openFix(engine.port, { senderCompID, targetCompID: 'XGATE', beginString });
  connection.send(`35=A|${fields}98=0|108=30|`);
  return connection;
}

test.each([
  ['FIX.4.4:XGATE->OMS', 'FIX.4.4', 'OMS', ''],
  ['FIX.4.2:XGATE->OMS', 'FIX.4.2', 'OMS', ''],
  ['FIX.4.4:XGATE->OTHER', 'FIX.4.4', 'OTHER', ''],
  ['FIX.4.4:XGATE->OMS/DESK1', 'FIX.4.4', 'OMS', '50=DESK1|'],
  ['FIX.4.4:XGATE/GW->OMS/DESK2', 'FIX.4.4', 'OMS', '50=DESK2|57=GW|'],
  ['FIX.4.4:XGATE->OMS//NY', 'FIX.4.4', 'OMS', '142=NY|'],
])('%s', async (sessionId, beginString, senderCompID, fields) => {
  const connection = await logOn(fields, beginString, senderCompID);
  const answer = await connection.next();
  expect(answer.msgType).toBe('A');
  expect(loggedOn.at(-1)).toBe(sessionId);
  // The answer carries the session's own SubIDs and LocationIDs, the other way round.
  for (const [theirs, ours] of [
    [Tag.SenderSubID, Tag.TargetSubID],
    [Tag.TargetSubID, Tag.SenderSubID],
    [Tag.SenderLocationID, Tag.TargetLocationID],
  ] as const) {
    expect(answer.string(ours)).toBe(new RegExp(`(?:^|\\|)${theirs}=([^|]*)`).exec(fields)?.[1] ?? null);
  }
  connection.send(`35=5|${fields}`);
  expect((await connection.next()).msgType).toBe('5');
  connection.destroy();
});

test('all of them at once, each with numbers of its own', async () => {
  const fields = ['', '50=DESK1|', '50=DESK2|57=GW|', '142=NY|'];
  const connections = await Promise.all(fields.map((own) => logOn(`${own}141=Y|`)));
  for (const connection of connections) expect((await connection.next()).msgType).toBe('A');
  for (const [i, connection] of connections.entries()) connection.send(`35=1|${fields[i]}112=${i}|`);
  for (const [i, connection] of connections.entries()) {
    const heartbeat = await connection.next();
    expect([heartbeat.msgType, heartbeat.int(Tag.MsgSeqNum), heartbeat.string(Tag.TestReqID)]).toEqual([
      '0',
      2,
      `${i}`,
    ]);
  }
  for (const [i, connection] of connections.entries()) {
    connection.send(`35=5|${fields[i]}`);
    expect((await connection.next()).msgType).toBe('5');
    connection.destroy();
  }
});

test('SubIDs that no session has mean the session without, where there is one', async () => {
  const connection = await logOn('50=NOBODY|141=Y|');
  const answer = await connection.next();
  expect(answer.string(Tag.TargetSubID)).toBeNull();
  expect(loggedOn.at(-1)).toBe('FIX.4.4:XGATE->OMS');
  connection.destroy();
});

test('CompIDs that no session has: no answer, the connection ends', async () => {
  const connection = await logOn('50=DESK1|', 'FIX.4.4', 'STRANGER');
  await connection.expectClosed();
  expect(connection.received).toEqual([]);
});
