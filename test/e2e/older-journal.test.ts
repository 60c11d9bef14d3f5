// A gateway with another journal than the one it wrote last, with real processes: the exchange, which remembers, runs
// in its own process and outlives every gateway.

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tag, toPrintable } from '../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { ACME, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const SLOW = 180_000;
const ROOT = join(import.meta.dirname, '../..');
let home: GatewayHome;
let exchange: LineProcess;
let url: string;

beforeEach(async () => {
  home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', { 'fix.listen.1': undefined });
  await home.configure('ACME_OMS.yaml', { cancelOnDisconnect: { on: 'off' }, 'limits.priceBandPercent': 'off' });
  const sim = ['src/cli/main.ts', 'sim', '--port', '0', '--keys', home.secrets, '--liquidity', 'off', '--json'];
  exchange = new LineProcess(process.execPath, sim, { cwd: ROOT });
  url = (JSON.parse(await exchange.line(/"url"/)) as { url: string }).url;
}, SLOW);
afterEach(async () => {
  await home.remove();
  await exchange.kill();
});

const journal = (): string => join(home.state, 'journal');

async function crossgate(...args: string[]): Promise<string> {
  const child = new LineProcess(process.execPath, ['src/cli/main.ts', ...args, '--state', home.state], { cwd: ROOT });
  const code = await child.ended();
  if (code !== 0) throw new Error(child.lines.join('\n'));
  return child.lines.join('\n');
}

async function enter(fix: FixConnection, clOrdID: string): Promise<string> {
  fix.send(limitOrder(clOrdID, '0.01', '50000'));
  return (await fix.expect('New', report(clOrdID, '0', '0'))).string(Tag.OrderID)!;
}

async function first(gateway: GatewayProcess): Promise<FixConnection> {
  const fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD });
  return fix;
}

/**
 * It runs, says why it admits no session, and ends the connection of a Logon; `reset` asks for 141=Y, and then gets the
 * reason.
 */
async function expectHeld(gateway: GatewayProcess, reset: boolean): Promise<void> {
  const line = await gateway.process.line(/accepts no Logon/);
  expect(line).toMatch(/the exchange has references of this gateway that its journal does not have/);
  const fix = await openFix(gateway.fixPort, ACME);
  fix.send(`35=A|98=0|108=30|141=${reset ? 'Y' : 'N'}|554=${PASSWORD}|`);
  await fix.expectClosed();
  expect(fix.received.map((view) => toPrintable(view.bytes()))).toEqual(
    reset ? [expect.stringMatching(/35=5\|.*58=No Logon is accepted: the journal of this gateway is older/)] : [],
  );
  await gateway.process.line(/No Logon is accepted: the journal of this gateway is older/);
}

test(
  'J3 without its journal no Logon until an operator sets numbers and opens; references go on',
  async () => {
    let gateway = await home.start(url);
    // A first start at an exchange that has nothing of ours is nothing to be held for.
    const before = await first(gateway);
    const lost = await enter(before, 'a-1');
    await gateway.kill();
    await rm(journal(), { recursive: true });
    gateway = await home.start(url);
    await expectHeld(gateway, true);
    await gateway.process.line(/"alarm":"journal-replaced"/);
    await gateway.process.line(/"alarm":"journal-behind-exchange"/);
    await gateway.kill();
    gateway = await home.start(url);
    await expectHeld(gateway, false);

    const { nextSenderMsgSeqNum } = before;
    const numbers = ['--sender', '50', '--target', String(nextSenderMsgSeqNum)];
    await crossgate('sessions', 'reset', 'ACME_OMS', ...numbers, '--why', 'the disk is new');
    expect(await crossgate('sessions', 'open', '--why', 'the disk is new')).toMatch(/Sessions may log on/);
    await expect(crossgate('sessions', 'open', '--why', 'again')).rejects.toThrow(/Nothing keeps sessions/);
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection, answer } = await reconnect(gateway.fixPort, ACME, again);
    expect(answer.int(Tag.MsgSeqNum)).toBe(50);
    expect(await enter(connection, 'a-2')).not.toBe(lost);
    await gateway.kill();

    // Adopted orders stay adopted.
    gateway = await home.start(url);
    expect(gateway.process.lines.join('\n')).toMatch(/ready for orders/);
  },
  SLOW,
);

test(
  "J3 without the journal a template's counterparty is barred like any other",
  async () => {
    for (const file of ['VENUE_OMS.yaml', 'MIDDLE_OFFICE.yaml']) await rm(join(home.sessions, file));
    await home.configure('ACME_OMS.yaml', { template: true, targetCompID: '*' });
    let gateway = await home.start(url);
    await enter(await first(gateway), 't-1');
    await gateway.kill();
    await rm(journal(), { recursive: true });
    gateway = await home.start(url);
    await expectHeld(gateway, true);
    await crossgate('sessions', 'open', '--why', 'the disk is new');
    await first(gateway);
  },
  SLOW,
);

test(
  'J3 an older copy of the journal: no Logon until an operator opens; its content stays known',
  async () => {
    let gateway = await home.start(url);
    const before = await first(gateway);
    const kept = await enter(before, 'b-1');
    await gateway.interrupt();
    const copy = join(home.folder, 'copy');
    await cp(journal(), copy, { recursive: true });
    gateway = await home.start(url);
    const { connection } = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
    await enter(connection, 'b-2');
    await gateway.interrupt();
    await rm(journal(), { recursive: true });
    await cp(copy, journal(), { recursive: true });

    gateway = await home.start(url);
    await expectHeld(gateway, true);
    await gateway.process.line(/it was replaced by an older copy/);
    await crossgate('sessions', 'open', '--why', 'restored from the copy of noon');
    const after = (await reconnect(gateway.fixPort, ACME, { password: PASSWORD })).connection;
    after.send('35=H|11=b-1|55=BTCUSDC|54=1');
    const status = await after.expect('the status', report('b-1', 'I'));
    expect(status.string(Tag.OrderID)).toBe(kept);
  },
  SLOW,
);

test(
  'J3 a missing journal without orders at the exchange alarms and admits; unread ones bar all',
  async () => {
    let gateway = await home.start(url);
    await first(gateway);
    await gateway.kill();
    await rm(journal(), { recursive: true });
    gateway = await home.start(url);
    await gateway.process.line(/"alarm":"journal-replaced"/);
    await first(gateway);
    await gateway.kill();

    exchange.signal('SIGSTOP');
    gateway = await home.start(url);
    const fix = await openFix(gateway.fixPort, ACME);
    fix.send(`35=A|98=0|108=30|141=N|554=${PASSWORD}|`);
    await fix.expectClosed();
    // Without a word: QuickFIX C++ counts a Logout instead of a report that waits for it.
    expect(fix.received).toEqual([]);
    await gateway.process.line(/No Logon is accepted yet: account/);
    exchange.signal('SIGCONT');
    // It lets sessions in by itself once it has compared.
    for (let attempt = 1; ; attempt++) {
      const next = await openFix(gateway.fixPort, ACME);
      try {
        await logOn(next, { password: PASSWORD });
        break;
      } catch (error) {
        if (attempt === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
  },
  SLOW,
);
