// After an uncaught error: a line in the log, an exit code, and a journal that the next start takes over.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../../../src/cli/options/version.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { ACME, limitOrder, PASSWORD } from '../../support/processes/exchange-house.ts';
import { GatewayHome, type GatewayProcess } from '../../support/processes/gateway-process.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const BUG = `process.once('SIGUSR2', () => { throw new Error('a bug beside 554=correct horse'); });`;
let home: GatewayHome;

beforeAll(async () => {
  home = await GatewayHome.create();
});
afterAll(async () => await home?.remove());

test('a bug is logged without secrets and ends the process with 70; the next start takes over', async () => {
  const preload = `--import data:text/javascript,${encodeURIComponent(BUG)}`;
  const gateway = await home.start(null, { NODE_OPTIONS: preload });
  process.kill(gateway.process.pid, 'SIGUSR2');
  expect(await gateway.process.ended()).toBe(70);
  const told = JSON.parse(gateway.process.lines.find((line) => line.includes('a bug in crossgate')) ?? '{}');
  expect(told).toMatchObject({ level: 'error', stack: expect.stringContaining('Error: a bug beside 554=') });
  expect(gateway.process.lines.join('\n')).not.toContain('correct horse');
  const again = await home.start(null);
  expect(again.process.lines.join('\n')).not.toContain('damaged');
  await again.interrupt();
});

/** A gateway machine that throws at whatever names a ClOrdID(11) or a side that it is given. */
const POISONED = (gateway: string): string => `
  const { Gateway } = await import(${JSON.stringify(gateway)});
  const { handle } = Gateway.prototype;
  Gateway.prototype.handle = function (input, now) {
    const effects = handle.call(this, input, now);
    if (input.kind === 'message' && /^poison/.test(input.view.string(11) ?? '')) throw new Error('a bug in an order');
    if (input.kind === 'order' && Number(input.order.price) === ${POISONED_PRICE}) throw new Error('a bug in an order frame');
    return effects;
  };`;
const POISONED_PRICE = '50123.4';

describe('an input that ends the process returns after the restart', () => {
  let house: GatewayHome;
  let env: Record<string, string>;

  beforeAll(async () => {
    house = await GatewayHome.create();
    await house.configure('ACME_OMS.yaml', { cancelOnDisconnect: { on: 'off' } });
    await house.writePasswords(PASSWORD);
    const bug = join(house.folder, 'bug.mjs');
    await writeFile(bug, POISONED(new URL('../../../src/gateway/gateway.ts', import.meta.url).href));
    env = { NODE_OPTIONS: `--import ${pathToFileURL(bug).href}` };
  });
  afterAll(async () => await house?.remove());

  /** Log on with the number behind what was sent. */
  async function resume(gateway: GatewayProcess, sent: Map<number, string>): Promise<FixConnection> {
    const reset = sent.size === 0;
    const next = reset ? 1 : Math.max(0, ...sent.keys()) + 1;
    const { connection, answer } = await reconnect(gateway.fixPort, ACME, {
      password: PASSWORD,
      reset,
      nextSenderMsgSeqNum: next,
    });
    sent.set(next, 'Logon');
    expect(answer.msgType).toBe('A');
    return connection;
  }

  async function crossgate(...args: string[]): Promise<string> {
    const cwd = join(import.meta.dirname, '../../..');
    const child = new LineProcess(process.execPath, ['src/cli/main.ts', ...args, '--state', house.state], { cwd });
    await child.ended();
    return child.lines.join('\n');
  }

  /** Answer the ResendRequest(2) of the gateway with what was sent. */
  async function resend(fix: FixConnection, sent: ReadonlyMap<number, string>): Promise<void> {
    const asked = await fix.expect('the ResendRequest', (view) => view.msgType === '2');
    for (let seqNum = asked.int(Tag.BeginSeqNo)!; seqNum < fix.nextSenderMsgSeqNum; seqNum++) {
      const body = sent.get(seqNum) ?? 'Logon';
      if (body === 'Logon') fix.send(`35=4|123=Y|36=${seqNum + 1}`, { seqNum, possDup: true });
      else fix.send(body, { seqNum, possDup: true });
    }
  }

  test('an order is put aside the third time with a j, and the orders around it are taken', async () => {
    const sent = new Map<number, string>();
    const poison = limitOrder('poison-1', '0.5', '50000.0');
    let gateway = await house.start(null, env);
    let fix = await resume(gateway, sent);
    sent.set(fix.send(poison), poison);
    expect(await gateway.process.ended()).toBe(70);
    expect(gateway.process.lines.join('\n')).toMatch(
      /it was taking 35=D 34=2 11=poison-1 of session FIX.4.4:EXCHANGE_TEST->ACME_OMS/,
    );
    gateway = await house.start(null, env);
    expect(gateway.process.lines.join('\n')).toMatch(
      /a bug ended this gateway while it was taking 35=D 34=2 11=poison-1.*it is taken once more/,
    );
    fix = await resume(gateway, sent);
    await resend(fix, sent);
    expect(await gateway.process.ended()).toBe(70);
    gateway = await house.start(null, env);
    fix = await resume(gateway, sent);
    await resend(fix, sent);
    const refusal = await fix.expect('the j', (view) => view.msgType === 'j');
    expect([45, 372, 379, 380, 58].map((tag) => refusal.string(tag))).toEqual([
      '2',
      'D',
      'poison-1',
      '0',
      'This message cannot be accepted: it ended this gateway before; its operators know',
    ]);
    expect(gateway.process.lines.join('\n')).toMatch(/"alarm":"input-put-aside"/);
    fix.send(limitOrder('sound-1', '0.5', '50000.0'));
    await fix.expect('the New', report('sound-1', '0'));
    await gateway.interrupt();
  }, 240_000);

  test('leaves out an order that the exchange reports a third time; all others continue', async () => {
    let gateway = await house.start(null, env);
    const { connection } = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
    connection.send(limitOrder('frame-1', '0.5', POISONED_PRICE));
    expect(await gateway.process.ended()).toBe(70);
    // The exchange repeats it at once, to a start too.
    const second = await house.start(null, env).catch(() => null);
    if (second !== null) expect(await second.process.ended()).toBe(70);
    gateway = await house.start(null, env);
    expect(gateway.process.lines.join('\n')).toMatch(
      /"text":"order \d+ \(BTCUSDC\) as the exchange tells it ended this gateway 2 times/,
    );
    const again = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
    again.connection.send(limitOrder('sound-2', '0.5', '50000.0'));
    await again.connection.expect('the New', report('sound-2', '0'));
    await gateway.interrupt();
  }, 240_000);

  test('a session that ended it repeatedly is kept out until admitted, and the others are not', async () => {
    const sessionId = 'FIX.4.4:EXCHANGE_TEST->ACME_OMS';
    const noted = { version: VERSION, interruptions: [], sessions: {}, keptOut: [sessionId] };
    await writeFile(join(house.state, 'interrupted.json'), JSON.stringify(noted));
    const gateway = await house.start(null);
    const first = await openFix(gateway.fixPort, ACME);
    first.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}`);
    const refusal = await first.expect('the Logout', (view) => view.msgType === '5');
    expect(refusal.string(Tag.Text)).toBe(
      'No Logon is accepted: messages of this session ended the gateway repeatedly, an operator has to open it',
    );
    const venue = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
    const other = await reconnect(gateway.fixPort, venue, { password: PASSWORD });
    expect(other.answer.msgType).toBe('A');
    expect(await crossgate('sessions', 'list')).toMatch(/^ACME_OMS +kept out /m);
    expect(await crossgate('sessions', 'open', 'ACME_OMS', '--why', 'mended')).toContain('The session may log on.');
    const again = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
    expect(again.answer.msgType).toBe('A');
    await gateway.interrupt();
  }, 240_000);
});
