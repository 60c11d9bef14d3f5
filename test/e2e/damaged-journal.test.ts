// A bad CRC in the middle of a gateway's journal, with real processes. Sessions with possibly lost records are kept out
// until an operator admits them, the others trade, and the exchange's part of the loss is found.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openJournal } from '../../src/store/mod.ts';
import { SegmentReader } from '../../src/store/segments/segment-reader.ts';
import { recoverJournal } from '../../src/store/snapshots/recovery.ts';
import { Tag, toPrintable } from '../../src/wire/mod.ts';
import {
  type FixConnection,
  type Identity,
  logOn,
  openFix,
  reconnect,
  report,
} from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const SLOW = 180_000;
const VENUE = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
const VENUE_ACCOUNT = { account: 'VENUE-2', tradingAccount: '111000000000002', credential: 'primary' };
let house: ExchangeHouse;

beforeEach(async () => {
  const stays = { cancelOnDisconnect: { on: 'off' }, 'limits.priceBandPercent': 'off' };
  house = await exchangeHouse({ 'ACME_OMS.yaml': stays, 'VENUE_OMS.yaml': { ...stays, accounts: [VENUE_ACCOUNT] } });
}, SLOW);
afterEach(async () => await house.close());

const segment = (): string => join(house.home.state, 'journal', '00000001.xgj');

async function crossgate(...args: string[]): Promise<{ code: number | string; text: string }> {
  const cwd = join(import.meta.dirname, '../..');
  const child = new LineProcess(process.execPath, ['src/cli/main.ts', ...args, '--state', house.home.state], { cwd });
  return { code: await child.ended(), text: child.lines.join('\n') };
}

async function first(gateway: GatewayProcess, who: Identity): Promise<FixConnection> {
  const fix = await openFix(gateway.fixPort, who);
  await logOn(fix, { password: PASSWORD });
  return fix;
}

async function enter(fix: FixConnection, clOrdID: string): Promise<string> {
  const order = limitOrder(clOrdID, '0.01', '50000');
  fix.send(clOrdID.startsWith('v') ? order.replace(/\|1=\d+\|/, `|1=${VENUE_ACCOUNT.account}|`) : order);
  return (await fix.expect(`New of ${clOrdID}`, report(clOrdID, '0', '0'))).string(Tag.OrderID)!;
}

/** Put zeros over the records of an order; returns where the first lay. */
async function lose(clOrdID: string): Promise<number> {
  const reader = await SegmentReader.open(segment());
  if (reader === 'empty') throw new Error('there is no journal');
  const bytes = readFileSync(segment());
  let offset: number | null = null;
  for (let frames = await reader.nextFrames(); frames !== null; frames = await reader.nextFrames()) {
    for (const frame of frames) {
      if (!frame.payload.includes(clOrdID)) continue;
      offset ??= frame.offset;
      const start = frame.offset + frame.payloadAt;
      bytes.fill(0, start, start + frame.payload.length);
    }
  }
  await reader.close();
  writeFileSync(segment(), bytes);
  return offset!;
}

async function readyz(gateway: GatewayProcess): Promise<{ status: number; reasons: string }> {
  const line = await gateway.process.line(/^ {2}console {2,}http/);
  const response = await fetch(new URL('/readyz', /http\S+/.exec(line)![0]));
  const { reasons } = (await response.json()) as { reasons: string[] };
  return { status: response.status, reasons: reasons.join('\n') };
}

test(
  'a bad CRC in the middle bars its session with file, offset, command; others trade',
  async () => {
    let gateway = await house.home.start(house.simulator.url);
    const acme = await first(gateway, ACME);
    const venue = await first(gateway, VENUE);
    await enter(acme, 'a-kept');
    const lost = await enter(acme, 'a-lost');
    await enter(venue, 'v-1');
    await gateway.kill();
    const offset = await lose('a-lost');

    gateway = await house.home.start(house.simulator.url);
    const place = new RegExp(
      `00000001\\.xgj: a frame is damaged at offset ${offset}: frames? \\d.*lost.*; no Logon is accepted of`,
    );
    const alarm = await gateway.process.line((line) => line.includes('journal-damaged') && place.test(line));
    expect(alarm).toMatch(/EXCHANGE_TEST->ACME_OMS/);
    expect(alarm).not.toMatch(/VENUE_OMS/);
    expect(alarm).toMatch(/crossgate store verify/);
    expect(alarm).toMatch(/crossgate sessions open/);
    // The order that is lost works on the exchange: found when the accounts were compared.
    await gateway.process.line((line) => line.includes('own-reference-unknown') && line.includes(lost));
    const health = await readyz(gateway);
    expect(health.status).toBe(503);
    expect(health.reasons).toMatch(place);
    const verified = await crossgate('store', 'verify');
    expect(verified).toMatchObject({ code: 1 });
    expect(verified.text).toMatch(new RegExp(`00000001\\.xgj: a frame is damaged at offset ${offset}`));

    const venueAgain = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: venue.nextSenderMsgSeqNum };
    const trading = (await reconnect(gateway.fixPort, VENUE, venueAgain)).connection;
    await enter(trading, 'v-2');
    const refused = await openFix(gateway.fixPort, ACME);
    refused.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}|`);
    await refused.expectClosed();
    expect(refused.received.map((view) => toPrintable(view.bytes()))).toEqual([
      expect.stringMatching(/35=5\|.*58=No Logon is accepted: records of this session/),
    ]);
    await gateway.process.line(/No Logon is accepted: records of this session/);

    const listed = await crossgate('sessions', 'list');
    expect(listed.text).toMatch(/^ACME_OMS +kept out /m);
    expect(listed.text).not.toMatch(/^VENUE_OMS +kept out /m);
    const shown = await crossgate('sessions', 'show', 'ACME_OMS', '--messages', '0');
    expect(shown.text).toMatch(/^kept out .* a frame is damaged at offset .*crossgate sessions open ACME_OMS/m);

    const { nextSenderMsgSeqNum } = acme;
    const numbers = ['--sender', '50', '--target', String(nextSenderMsgSeqNum)];
    expect((await crossgate('sessions', 'reset', 'ACME_OMS', ...numbers, '--why', 'agreed by phone')).code).toBe(0);
    // Its account has an order unknown here.
    expect((await readyz(gateway)).reasons).toMatch(/1 on 111000000000001 up to/);
    expect((await crossgate('sessions', 'open', '--why', 'seen on the exchange')).text).toMatch(/may log on/);
    const acmeAgain = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection, answer } = await reconnect(gateway.fixPort, ACME, acmeAgain);
    expect(answer.int(Tag.MsgSeqNum)).toBe(50);
    expect(await enter(connection, 'a-next')).not.toBe(lost);
    connection.send('35=H|11=a-kept|55=BTCUSDC|54=1');
    await connection.expect('the order from before', report('a-kept', 'I', '0'));
    await gateway.kill();
    const { state, ended } = await recoverJournal(join(house.home.state, 'journal'), 'pass');
    ended.close();
    expect(state.keptDamage()).toMatchObject([{ isFound: true, acceptedForAll: true }]);

    // Accepted places stay accepted.
    gateway = await house.home.start(house.simulator.url);
    expect(gateway.process.lines.join('\n')).not.toMatch(/journal-damaged|but:/);
  },
  SLOW,
);

test(
  'an unreadable order record bars its session with file, offset, command; others trade',
  async () => {
    let gateway = await house.home.start(house.simulator.url);
    const acme = await first(gateway, ACME);
    const venue = await first(gateway, VENUE);
    await enter(acme, 'a-1');
    await enter(venue, 'v-1');
    await gateway.kill();
    const directory = join(house.home.state, 'journal');
    const journal = await openJournal({ directory, now: Date.now });
    const [key, record] = [...journal.recovered.orders].find(([one]) => one.endsWith('|a-1'))!;
    journal.append([{ kind: 'order', key, record: record.replace('"v":2', '"v":3') }], Date.now());
    await journal.close();

    gateway = await house.home.start(house.simulator.url);
    const alarm = await gateway.process.line((line) => line.includes('record-unreadable'));
    expect(alarm).toMatch(/00000001\.xgj, offset \d+: the record \S+\|a-1 cannot be understood/);
    expect(alarm).toMatch(/no Logon is accepted of FIX\.4\.4:EXCHANGE_TEST->ACME_OMS, .*crossgate sessions open NAME/);
    expect((await readyz(gateway)).reasons).toMatch(/\|a-1 cannot be understood/);
    const venueAgain = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: venue.nextSenderMsgSeqNum };
    await enter((await reconnect(gateway.fixPort, VENUE, venueAgain)).connection, 'v-2');
    const refused = await openFix(gateway.fixPort, ACME);
    refused.send(`35=A|98=0|108=30|554=${PASSWORD}|`);
    await refused.expectClosed();
    await gateway.process.line(/No Logon is accepted: records of this session/);
    const shown = await crossgate('sessions', 'show', 'ACME_OMS', '--messages', '0');
    expect(shown.text).toMatch(/^kept out .*\|a-1 cannot be understood.*crossgate sessions open ACME_OMS/m);
    expect((await crossgate('sessions', 'open', 'ACME_OMS', '--why', 'compared')).text).toMatch(/may log on/);
    await gateway.kill();

    // A record set aside stays so, and the ClOrdID stays used.
    gateway = await house.home.start(house.simulator.url);
    const acmeAgain = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: acme.nextSenderMsgSeqNum };
    const { connection } = await reconnect(gateway.fixPort, ACME, acmeAgain);
    connection.send(limitOrder('a-1', '0.01', '50000'));
    await connection.expect('a refusal of the same ClOrdID', report('a-1', '8', '8'));
    await enter(connection, 'a-2');
    expect(gateway.process.lines.join('\n')).not.toMatch(/record-unreadable|but:/);
  },
  SLOW,
);

test(
  'a record without a known owner bars all: opening one by name is refused, all works',
  async () => {
    let gateway = await house.home.start(house.simulator.url);
    await gateway.kill();
    const journal = await openJournal({ directory: join(house.home.state, 'journal'), now: Date.now });
    journal.append([{ kind: 'order', key: 'kill|all|', record: '{"v":7}' }], Date.now());
    await journal.close();
    gateway = await house.home.start(house.simulator.url);
    const shown = await crossgate('sessions', 'show', 'ACME_OMS', '--messages', '0');
    expect(shown.text).toMatch(/^kept out .*kill\|all\| cannot be understood.*run `crossgate sessions open`/m);
    const one = await crossgate('sessions', 'open', 'ACME_OMS', '--why', 'compared');
    expect([one.code, one.text]).toEqual([1, expect.stringContaining('an unknown owner')]);
    expect((await crossgate('sessions', 'open', '--why', 'compared')).code).toBe(0);
    await first(gateway, ACME);
  },
  SLOW,
);
