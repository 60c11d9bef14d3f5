// Session services over real sockets with QuickFIX C++: users, limits and news, in `standard` by the stock dictionary and in
// `venue` by the gateway's. QuickFIX may reject no message.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../src/engine/mod.ts';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { ACME, type ExchangeHouse, exchangeHouse, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';
import { describeWith } from '../support/requirement.ts';

const VENUE = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
const NEW_PASSWORD = 'another password of some length';

describeWith(await quickfix(), 'session services with QuickFIX C++', () => {
  let house: ExchangeHouse;
  let gateway: GatewayProcess;
  let folder = '';
  let oms: QuickfixOms;
  let venue: QuickfixOms;
  let again: (password: string) => QuickfixOms;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
    const program = await compileQuickfixOms(folder);
    house = await exchangeHouse({ 'ACME_OMS.yaml': { 'logon.newPasswordOverlapMs': 0 } });
    await writeFile(join(house.home.secrets, 'ACME_OMS.password'), `${await hashPassword(PASSWORD, 10)}\n`);
    gateway = await house.start();
    const { fixPort: port } = gateway;
    const common = { program, port, storeFolder: 'memory', resetOnLogon: true };
    again = (password) => new QuickfixOms({ ...common, ...ACME, password });
    oms = again(PASSWORD);
    const dictionary = fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url));
    venue = new QuickfixOms({ ...common, ...VENUE, password: PASSWORD, dictionary });
    await oms.process.line(/^logon/);
    await venue.process.line(/^logon/);
  });
  afterAll(async () => {
    await oms?.process.kill();
    await venue?.process.kill();
    await house?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const bf = async (of: QuickfixOms, id: string): Promise<MessageView> =>
    await of.message('app', (view) => view.msgType === 'BF' && view.string(Tag.UserRequestID) === id);
  const crossgate = async (...args: string[]): Promise<string> => {
    const all = ['src/cli/main.ts', ...args, '--state', house.home.state];
    return (await promisify(execFile)(process.execPath, all)).stdout;
  };

  test('D1 BE has the status of the user, refuses a wrong password, and changes the right one', async () => {
    oms.process.say('raw 35=BE|923=u-1|924=4|553=ACME_OMS');
    expect((await bf(oms, 'u-1')).string(Tag.UserStatus)).toBe('1');
    oms.process.say('raw 35=BE|923=u-2|924=4|553=NOBODY');
    expect((await bf(oms, 'u-2')).string(Tag.UserStatus)).toBe('3');
    oms.process.say(`raw 35=BE|923=u-3|924=3|553=ACME_OMS|554=wrong|925=${NEW_PASSWORD}`);
    expect((await bf(oms, 'u-3')).string(Tag.UserStatus)).toBe('4');
    oms.process.say(`raw 35=BE|923=u-4|924=3|553=ACME_OMS|554=${PASSWORD}|925=short`);
    expect((await bf(oms, 'u-4')).string(927)).toBe('NewPassword(925) must have 12 to 64 characters');
    oms.process.say(`raw 35=BE|923=u-5|924=3|553=ACME_OMS|554=${PASSWORD}|925=${NEW_PASSWORD}`);
    expect((await bf(oms, 'u-5')).string(Tag.UserStatus)).toBe('5');
    venue.process.say('raw 35=BE|923=u-6|924=4|553=VENUE_OMS');
    expect((await bf(venue, 'u-6')).string(Tag.UserStatus)).toBe('1');
    const audit = await crossgate('store', 'audit');
    expect(audit).toContain('password changed');
    for (const secret of [PASSWORD, NEW_PASSWORD, 'wrong']) expect(audit).not.toContain(secret);
  });

  test('D1 O12 ULQ is answered by the limits of session and accounts', async () => {
    venue.process.say('raw 35=ULQ|20100=l-1');
    const report = await venue.message('app', (view) => view.msgType === 'ULR');
    const entries = report.groupEntries(20101)!.map((one) => one.string(20103));
    expect(entries).toEqual(expect.arrayContaining(['orderQtyMax', 'notionalMax', 'openOrdersMax']));
  });

  test('news of an operator goes to all sessions, of a planned stop after a Logon too, and is audited', async () => {
    const send = ['news', 'send', '--headline', 'Maintenance'];
    expect(await crossgate(...send, '--text', 'Ten minutes at 22:00')).toMatch(/^News\(B\) sent to 2 sessions/);
    const b = (headline: string) => (view: MessageView) =>
      view.msgType === 'B' && view.string(Tag.Headline)?.startsWith(headline) === true;
    await oms.message('app', b('Maintenance'));
    expect((await venue.message('app', b('Maintenance'))).string(Tag.Headline)).toContain('Ten minutes at 22:00');
    const stopAt = new Date(Date.now() + 3_600_000).toISOString();
    await crossgate('news', 'send', '--headline', 'Planned stop', '--session', 'ACME_OMS', '--stop-at', stopAt);
    expect(await crossgate('news', 'planned')).toContain('Planned stop');
    await oms.message('app', b('Planned stop'));
    expect(await oms.logout()).toBe(0);
    const next = again(NEW_PASSWORD);
    await next.message('app', b('Planned stop'));
    await crossgate('news', 'withdraw', '--why', 'not needed');
    await next.message('app', b('Withdrawn: Planned stop'));
    expect(await next.logout()).toBe(0);
    expect(await venue.logout()).toBe(0);
    expect(await crossgate('store', 'audit')).toMatch(/news .*Maintenance: Ten minutes/);
    for (const side of [oms, next, venue]) {
      const types = [...side.messages('out'), ...side.messages('in')].map(({ msgType }) => msgType);
      expect(types.filter((msgType) => msgType === '3' || msgType === 'j')).toEqual([]);
      expect(side.process.lines.filter((line) => /^event .*(reject|invalid)/i.test(line))).toEqual([]);
    }
  });

  test('the day, run again from its journal alone, is identical', async () => {
    expect(await gateway.interrupt()).toBe(0);
    expect(await crossgate('replay', '--pure')).toMatch(/^identical: /);
  });
});
