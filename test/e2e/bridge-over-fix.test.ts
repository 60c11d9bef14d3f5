// Calls of the bridge over FIX, with QuickFIX C++ and the gateway's dictionary on a `venue` session: reads, AMM, borrow
// interest and candles. Permissions and custody are as on the bridge.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageView } from '../../src/wire/mod.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { ACCOUNT, type ExchangeHouse, exchangeHouse, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';
import { describeWith } from '../support/requirement.ts';

const VENUE = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };

describeWith(await quickfix(), 'the bridge over FIX with QuickFIX C++', () => {
  let house: ExchangeHouse;
  let gateway: GatewayProcess;
  let folder = '';
  let oms: QuickfixOms;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
    const program = await compileQuickfixOms(folder);
    house = await exchangeHouse({
      'gateway.yaml': {
        'bridge.callers': [
          {
            name: 'venue-desk',
            token: 'file:secrets/bridge-desk.token',
            tradingAccounts: [ACCOUNT],
            functions: ['market-data', 'accounts', 'orders', 'amm', 'amm-write', 'margin'],
          },
        ],
      },
      'VENUE_OMS.yaml': { bridgeCaller: 'venue-desk' },
    });
    gateway = await house.start();
    const { fixPort: port } = gateway;
    const dictionary = fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url));
    const store = { storeFolder: 'memory', resetOnLogon: true };
    oms = new QuickfixOms({ program, port, ...store, ...VENUE, password: PASSWORD, dictionary });
    await oms.process.line(/^logon/);
  }, 120_000);
  afterAll(async () => {
    await oms?.process.kill();
    await house?.close();
    await rm(folder, { recursive: true, force: true });
  });

  let count = 0;
  /** The whole answer to a call. */
  const call = async (method: string, path: string, body?: unknown, id = `b-${++count}`) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const more = text === '' ? '' : `|20114=${text}`;
    const before = oms.messages('app').filter((view) => isOf(view, id)).length;
    oms.process.say(`raw 35=UBQ|20110=${id}|20111=${method}|20112=${path}${more}`);
    const fragments: MessageView[] = [];
    do {
      let seen = 0;
      const next = await oms.message('app', (view) => isOf(view, id) && ++seen > before + fragments.length);
      fragments.push(next);
    } while (fragments.length < fragments[0]!.int(20117)!);
    const whole = fragments.map((view) => view.string(20114) ?? '').join('');
    return { status: fragments[0]!.int(20115), json: whole === '' ? null : JSON.parse(whole) };
  };
  const isOf = (view: MessageView, id: string): boolean => view.msgType === 'UBR' && view.string(20110) === id;

  test('reads come whole, in fragments where they are long', async () => {
    const markets = await call('GET', '/trading-api/v1/markets');
    expect(markets.status).toBe(200);
    expect(markets.json.map(({ symbol }: { symbol: string }) => symbol)).toContain('BTCUSDC');
    for (let i = 0; i < 120; i++) {
      const order = { symbol: 'BTCUSDC', side: 'BUY', quantity: '0.01', timeInForce: 'GTC' } as const;
      house.simulator.control.counterparty({ ...order, price: `${50_000 - i}` });
    }
    const book = await call('GET', '/trading-api/v1/markets/BTCUSDC/orderbook/hybrid?depth=120');
    expect(book.json.bids).toHaveLength(120);
    expect(oms.messages('app').some((view) => view.msgType === 'UBR' && (view.int(20117) ?? 0) > 1)).toBe(true);
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const to = new Date().toISOString();
    const range = `createdAtDatetime[gte]=${from}&createdAtDatetime[lte]=${to}`;
    const candles = `/trading-api/v1/markets/BTCUSDC/candle?${range}&timeBucket=1m`;
    expect((await call('GET', candles)).status).toBe(200);
    const interest = `/trading-api/v1/history/borrow-interest?tradingAccountId=${ACCOUNT}&assetSymbol=BTC&${range}`;
    expect((await call('GET', interest)).status).toBe(200);
  });

  test('U4 an AMM instruction is created once, whatever is sent again', async () => {
    const command = {
      ...{ commandType: 'V3CreateAMMInstruction', symbol: 'BTCUSDC', baseQuantity: '0.1', quoteQuantity: '6000' },
      ...{ upperBound: '70000', lowerBound: '50000', feeTierId: '1', tradingAccountId: ACCOUNT },
    };
    const first = await call('POST', '/trading-api/v2/amm-instructions', command, 'amm-1');
    expect(first).toMatchObject({ status: 200 });
    const again = await call('POST', '/trading-api/v2/amm-instructions', command, 'amm-1');
    expect(again.status).toBe(409);
    const list = await call('GET', `/trading-api/v2/amm-instructions?tradingAccountId=${ACCOUNT}`);
    expect(list.json).toHaveLength(1);
  });

  test('B1 B3 permissions are those of the caller: no custody, no orders, no other account', async () => {
    const withdrawal = { commandType: 'V1Withdrawal', nonce: '1' };
    expect((await call('POST', '/trading-api/v1/wallets/withdrawal', withdrawal)).status).toBe(403);
    const order = { commandType: 'V3CreateOrder', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
    expect((await call('POST', '/trading-api/v2/orders', order)).status).toBeGreaterThanOrEqual(400);
    expect((await call('GET', '/trading-api/v2/amm-instructions?tradingAccountId=111000000000009')).status).toBe(403);
    expect((await call('GET', `/trading-api/v2/otc-trades?tradingAccountId=${ACCOUNT}`)).status).toBe(403);
    // Each call gave its place back.
    for (let i = 0; i < 40; i++) expect((await call('GET', '/trading-api/v1/time')).status).toBe(200);
    expect(await oms.logout()).toBe(0);
    const types = [...oms.messages('out'), ...oms.messages('in')].map(({ msgType }) => msgType);
    expect(types.filter((msgType) => msgType === '3' || msgType === 'j')).toEqual([]);
    expect(oms.process.lines.filter((line) => /^event .*(reject|invalid)/i.test(line))).toEqual([]);
  });

  test('the day, run again from its journal alone, is identical', async () => {
    expect(await gateway.interrupt()).toBe(0);
    const args = ['src/cli/main.ts', 'replay', '--pure', '--state', house.home.state];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toMatch(/^identical: /);
  }, 60_000);
});
