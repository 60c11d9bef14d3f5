// A recorded day sent again: at a running gateway, where it must be answered as before, and doctored, where every change must
// show. Real processes, real sockets, a real journal.

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';

const SLOW = 180_000;
let house: ExchangeHouse;

beforeEach(async () => {
  house = await exchangeHouse();
});
afterEach(async () => await house.close());

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function crossgate(...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, REPLAY_PASSWORD: PASSWORD },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number>((resolve) => child.on('close', (exit) => resolve(exit ?? -1)));
  return { code, out, err };
}

/** Some of everything: accepted, replaced, cancelled, filled, refused by the gateway, refused by the session. */
async function trade(fixPort: number, round: string): Promise<void> {
  const { connection: oms } = await reconnect(fixPort, ACME, { password: PASSWORD });
  oms.send(limitOrder(`${round}a-1`, '0.02', '50000'));
  await oms.expect('New', report(`${round}a-1`, '0'));
  oms.send(
    limitOrder(`${round}a-2`, '0.02', '50000').replace('35=D', `35=G|41=${round}a-1`).replace('44=50000', '44=50001'),
  );
  await oms.expect('Replaced', report(`${round}a-2`, '5', '0'));
  oms.send(`35=F|41=${round}a-2|11=${round}a-3|1=111000000000001|55=BTCUSDC|54=1|60=20261121-09:30:00.000`);
  await oms.expect('Canceled', report(`${round}a-3`, '4', '4'));
  oms.send(limitOrder(`${round}b-1`, '0.02', '50000').replace('BTCUSDC', 'NOSUCH'));
  await oms.expect('the refusal', report(`${round}b-1`, '8', '8'));
  const bad = oms.send(limitOrder(`${round}c-1`, '0.02', '50000').replace('54=1', '54=x'));
  await oms.expect('the Reject(3)', (view) => view.msgType === '3' && view.int(Tag.RefSeqNum) === bad);
  oms.send(limitOrder(`${round}d-1`, '0.02', '50000', '59=3'));
  await oms.expect('the end of the IOC', report(`${round}d-1`, 'C'));
  oms.send('35=R|131=q-1|146=1|55=BTCUSDC');
  await oms.expect('the reject of what FIX does not carry here', (view) => view.msgType === 'j');
  oms.send('35=5');
  await oms.expectClosed();
}

function elementsOf(xml: string): string[] {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => names.push(name));
  parser.write(xml).close();
  return names;
}

test(
  "R1 a day's journal replayed at the running gateway is answered equally, a doctored log not",
  async () => {
    const gateway = await house.start();
    await trade(gateway.fixPort, 'x');
    const target = ['--target', `127.0.0.1:${gateway.fixPort}`, '--password', 'env:REPLAY_PASSWORD'];
    const short = ['--timeout', '1500', '--settle', '200'];

    const same = await crossgate('replay', house.home.state, '--session', 'ACME_OMS', ...target);
    expect(same.out + same.err).toContain(' 7 answered as in the log, 0 differently');
    expect(same.code).toBe(0);

    const all = await crossgate('log', house.home.state, '--raw', '--session', 'ACME_OMS');
    const replayed = all.out.split('\n').filter((line) => /\|35=D\|/.test(line) && /\|11=R[0-9a-z]+-/.test(line));
    expect(replayed).toHaveLength(4);
    expect(all.out.split('\n').filter((line) => /\|35=A\|.*\|464=Y\|/.test(line))).toHaveLength(2);

    // The first session of the day only, as text; one answer changed, one removed, one request refused elsewhere.
    const lines = all.out.split('\n');
    const day = lines.slice(
      0,
      lines.findIndex((line) => /\|464=Y\|/.test(line)),
    );
    const text = day
      .filter((line) => !/\|35=3\|/.test(line))
      .join('\n')
      .replace(/(\|150=8\|.*?\|58=)[^|]*/, '$1something else');
    const file = join(house.home.folder, 'doctored.log');
    await writeFile(file, text);
    const json = join(house.home.folder, 'result.json');
    const junit = join(house.home.folder, 'result.xml');
    const doctored = await crossgate('replay', file, ...target, ...short, '--json', json, '--junit', junit);
    expect(doctored.out).toMatch(/Text\(58\) is .*, in the log something else/);
    expect(doctored.out).toContain('not in the log: Reject');
    expect(doctored.out).toContain(' 5 answered as in the log, 2 differently');
    expect(doctored.code).toBe(1);
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ same: 5, different: 2, notSent: 0 });
    const names = elementsOf(await readFile(junit, 'utf8'));
    expect(names.filter((name) => name === 'testcase')).toHaveLength(7);
    expect(names.filter((name) => name === 'failure')).toHaveLength(2);

    const elsewhere = await crossgate('replay', file, '--target', '192.0.2.1:9876');
    expect(elsewhere.err).toContain('--allow-comp-id ACME_OMS');
    expect(elsewhere.code).toBe(2);
    const refused = await crossgate('replay', file, '--target', `127.0.0.1:${gateway.fixPort}`);
    expect(refused.out).toMatch(/0 requests sent as .*; 7 not sent/);
    expect(refused.err).toContain('nothing was sent: the Logon was not accepted: ');
    expect(refused.code).toBe(3);
  },
  SLOW,
);

test(
  'a day with a kill -9 runs again from its journal to identical bytes',
  async () => {
    let gateway = await house.start();
    await trade(gateway.fixPort, 'x');
    const before = await openFix(gateway.fixPort, ACME);
    await logOn(before, { password: PASSWORD });
    before.send(limitOrder('k-1', '0.03', '60000'));
    await before.expect('New', report('k-1', '0'));
    const { simulator } = house;
    simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.01');
    await before.expect('the first fill', report('k-1', 'F', '1'));
    before.send('35=1|112=garbage', { seqNum: before.nextSenderMsgSeqNum + 3 });
    await before.expect('a ResendRequest(2)', (view) => view.msgType === '2');
    before.sendBytes('8=FIX.4.4|9=5|35=0|10=000|');
    await gateway.kill();
    simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.01');

    gateway = await house.start();
    const { nextSenderMsgSeqNum } = before;
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection: after } = await reconnect(gateway.fixPort, ACME, again);
    after.send(`35=2|7=${before.received.length + 1}|16=0`);
    await after.expect('the fill of the time between', report('k-1', 'F', '1'));
    after.send(limitOrder('k-2', '0.01', '50000'));
    await after.expect('New', report('k-2', '0'));
    after.destroy();
    await trade(gateway.fixPort, 'y');
    expect(await gateway.interrupt()).toBe(0);

    const file = join(house.home.folder, 'day.json');
    const junit = join(house.home.folder, 'day.xml');
    const files = ['--json', file, '--junit', junit];
    const day = await crossgate('replay', '--pure', '--state', house.home.state, ...files);
    expect(day.out + day.err).toMatch(
      /^identical: [4-9]\d messages out, \d\d in, \d\d order records; \d+ frames, 2 starts\n$/,
    );
    expect(day.code).toBe(0);
    const { identical, starts, difference } = JSON.parse(await readFile(file, 'utf8'));
    expect({ identical, starts, difference }).toEqual({ identical: true, starts: 2, difference: null });
    expect(elementsOf(await readFile(junit, 'utf8'))).toEqual(['testsuites', 'testsuite', 'testcase']);
    const meantForATarget = await crossgate('replay', '--pure', '--junit', file, '--sender-comp-id', 'X');
    expect([meantForATarget.code, meantForATarget.err]).toEqual([
      2,
      'crossgate: --pure sends nothing: leave --sender-comp-id out [XG_USAGE]\n',
    ]);
  },
  SLOW,
);
