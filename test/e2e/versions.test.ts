// FIX.4.2 and FIXT.1.1 with FIX.5.0SP2 through a real gateway: an order, a fill, a cancel, a status, a refusal, all
// checked by a foreign stock dictionary of the version (rule D1).

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { type MessageView, Tag, toPrintable } from '../../src/wire/mod.ts';
import { type FixConnection, reconnect, report } from '../support/network/fix-connection.ts';
import {
  ACCOUNT,
  ACME,
  type ExchangeHouse,
  exchangeHouse,
  limitOrder,
  PASSWORD,
} from '../support/processes/exchange-house.ts';

const STOCK = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data');
const OURS = fileURLToPath(new URL('../../dictionaries', import.meta.url));
const load = (folder: string, name: string) => loadDictionary(readFileSync(join(folder, name), 'utf8'), name);

const LAST_UPDATE_TIME = 779;

interface Version {
  readonly beginString: string;
  /** Fields of its own in Logon, and in D and F. */
  readonly logon: string;
  readonly order: string;
  /** 150 of a fill, partial and whole, and of a status. */
  readonly fill: string;
  readonly status: string;
  readonly stock: () => Validator;
}

const VERSIONS: readonly Version[] = [
  {
    beginString: 'FIX.4.2',
    logon: '',
    order: '21=1|',
    fill: '2',
    status: '0',
    stock: () => new Validator(load(STOCK, 'FIX42.xml')),
  },
  {
    beginString: 'FIXT.1.1',
    logon: '1137=9|',
    order: '',
    fill: 'F',
    status: 'I',
    // No stock transport dictionary is at hand; the application's is what reports are made of.
    stock: () => new Validator({ transport: load(OURS, 'FIXT11.xml'), applications: [load(STOCK, 'FIX50SP2.xml')] }),
  },
];

describe.each(VERSIONS)('$beginString', ({ beginString, logon, order, fill, status, stock }) => {
  let house: ExchangeHouse;
  let fix: FixConnection;
  let logonAnswer: MessageView;

  beforeAll(async () => {
    house = await exchangeHouse({ 'ACME_OMS.yaml': { beginString, 'marketData.enabled': true } });
    const { fixPort } = await house.start();
    const identity = { ...ACME, beginString };
    ({ connection: fix, answer: logonAnswer } = await reconnect(fixPort, identity, {
      password: PASSWORD,
      extra: logon,
    }));
  });
  afterAll(async () => {
    fix?.destroy();
    await house?.close();
  });

  test('the Logon is answered in the version', () => {
    expect(logonAnswer.beginString).toBe(beginString);
    expect(logonAnswer.string(1137)).toBe(logon === '' ? null : '9');
  });

  test('an order rests, its status is answered, its cancel reported, a second cancel refused', async () => {
    fix.send(limitOrder('v-1', '0.01', '50000', `59=1|${order}`));
    await fix.expect('New', report('v-1', '0', '0'));
    fix.send(`35=H|11=v-1|1=${ACCOUNT}|55=BTCUSDC|54=1`);
    await fix.expect(
      'the status',
      (view) => report('v-1', status, '0')(view) && view !== fix.received.find(report('v-1', '0', '0')),
    );
    const cancel = (clOrdID: string): number =>
      fix.send(`35=F|11=${clOrdID}|41=v-1|1=${ACCOUNT}|55=BTCUSDC|54=1|60=20260105-09:00:00|38=0.01`);
    cancel('v-1c');
    await fix.expect('Canceled', report('v-1c', '4', '4'));
    cancel('v-1d');
    await fix.expect('the refusal', (view) => view.msgType === '9' && view.string(Tag.ClOrdID) === 'v-1d');
  });

  test('fills an order, rejects an impossible one, refuses unsupported messages', async () => {
    house.simulator.control.counterparty({
      symbol: 'BTCUSDC',
      side: 'SELL',
      price: '60000',
      quantity: '0.05',
      timeInForce: 'GTC',
    });
    fix.send(limitOrder('v-2', '0.01', '60000', `59=3|${order}`));
    const filled = await fix.expect('the fill', report('v-2', fill, '2'));
    expect(filled.decimal(Tag.CumQty)!.trimmed().toString()).toBe('0.01');
    fix.send(limitOrder('v-3', '0.02', '60000', `59=4|${order}`).replace('BTCUSDC', 'NOSUCH'));
    await fix.expect('the rejection', report('v-3', '8', '8'));
    fix.send('35=c|320=c-1|321=0|55=BTCUSDC');
    const definition = await fix.expect('SecurityDefinition', (view) => view.msgType === 'd');
    expect(definition.string(Tag.SecurityResponseType)).toBe('1');
    fix.send('35=e|324=s-1|55=BTCUSDC|263=0');
    const market = await fix.expect('SecurityStatus', (view) => view.msgType === 'f');
    expect(market.string(Tag.SecurityTradingStatus)).toBe('17');
    fix.send('35=g|335=g-1|336=1|263=0');
    const platform = await fix.expect('TradingSessionStatus', (view) => view.msgType === 'h');
    expect(platform.string(Tag.TradSesStatus)).toBe('2');
    fix.send('35=V|262=m-1|263=1|264=0|265=1|267=2|269=0|269=1|146=1|55=BTCUSDC');
    const book = await fix.expect('the book', (view) => view.msgType === 'W');
    expect([book.string(Tag.MDReqID), book.string(Tag.MDEntryType)]).toEqual(['m-1', '1']);
    fix.send(limitOrder('v-4', '0.01', '60000', `59=3|${order}`));
    const change = await fix.expect('what is left of it', (view) => view.msgType === 'X');
    expect([change.string(Tag.MDUpdateAction), change.string(Tag.MDEntryType)]).toEqual(['1', '1']);
    fix.send('35=R|131=q-1|146=1|55=BTCUSDC');
    await fix.expect('BusinessMessageReject', (view) => view.msgType === 'j');
  });

  test("D1 the version's stock dictionary accepts every message, and the gateway rejects none", async () => {
    fix.send('35=5');
    await fix.expect('Logout', (view) => view.msgType === '5');
    const validator = stock();
    const faults = fix.received.flatMap((view) => {
      const fault = validator.validate(view);
      // Required in W since an extension pack; FIX.5.0SP2 as published does not have it there.
      return fault === null || (view.msgType === 'W' && fault.refTagID === LAST_UPDATE_TIME)
        ? []
        : [`${fault.text}: ${toPrintable(view.bytes())}`];
    });
    expect(faults).toEqual([]);
    expect(fix.received.map((view) => view.msgType)).not.toContain('3');
    expect(fix.received.length).toBeGreaterThanOrEqual(8);
  });
});
