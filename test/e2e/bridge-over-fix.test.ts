// Calls of the bridge over FIX, with QuickFIX C++ and the gateway's dictionary on a `venue` session: reads, AMM, borrow
// interest, candles, margin simulation and market maker protection. Permissions and custody are as on the bridge.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { report } from '../support/network/fix-connection.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { ACCOUNT, type ExchangeHouse, exchangeHouse, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';
import { describeWith } from '../support/requirement.ts';

const VENUE = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
const OPTION = 'BTC-USDC-20291228-60000-C';

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
            functions: ['market-data', 'accounts', 'orders', 'amm', 'amm-write', 'margin', 'mmp-write'],
          },
        ],
      },
      // An option has no price to compare with before its first trade.
      'VENUE_OMS.yaml': { bridgeCaller: 'venue-desk', 'limits.priceBandPercent': '9999' },
    });
    gateway = await house.start();
    const { fixPort: port } = gateway;
    const dictionary = fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url));
    const store = { storeFolder: 'memory', resetOnLogon: true };
    oms = new QuickfixOms({ program, port, ...store, ...VENUE, password: PASSWORD, dictionary });
    await oms.process.line(/^logon/);
  });
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

  test('the margin of one portfolio and of several is simulated', async () => {
    const portfolio = {
      tradingAccountId: ACCOUNT,
      positions: [{ symbol: 'BTC', quantity: '2' }],
      priceVolOffsetParams: { globalCryptoPriceMultiplier: 1.1, volOffset: 0.05 },
    };
    const one = await call('POST', '/trading-api/v1/simulate-portfolio-margin', portfolio);
    expect([one.status, one.json.borrowedUSD]).toEqual([200, '0.0000']);
    expect(Number(one.json.initialMarginUSD)).toBeGreaterThan(0);
    const order = { symbol: 'BTC-USDC-PERP', quantity: '1', timeInForce: 'GTX' };
    const more = await call('POST', '/trading-api/v1/simulate-portfolio-margin', { ...portfolio, orders: [order] });
    expect(more.status).toBe(200);
    expect(more.json).not.toEqual(one.json);
    const bulk = await call('POST', '/trading-api/v1/bulk-simulate-portfolio-margin', [portfolio, portfolio]);
    expect([bulk.status, bulk.json]).toEqual([200, [one.json, one.json]]);
    const others = { ...portfolio, tradingAccountId: '111000000000009' };
    expect((await call('POST', '/trading-api/v1/simulate-portfolio-margin', others)).status).toBe(403);
  });

  test('U4 a protection set over FIX freezes, cancels and refuses its orders, until UMQ resets it', async () => {
    const umr = async (reqID: string, tag: number, value: string): Promise<MessageView> =>
      await oms.message('app', (view) => {
        const entry = view.groupEntries(Tag.NoMMPConfigs)?.[0];
        const found = view.string(tag) ?? entry?.string(tag);
        return view.msgType === 'UMR' && view.string(Tag.MMPReqID) === reqID && found === value;
      });
    const buy = (clOrdID: string, price: string): void => {
      const time = new Date().toISOString().replace(/[-Z]/g, '').replace('T', '-');
      const terms = `1=${ACCOUNT}|55=${OPTION}|54=1|60=${time}|38=0.3|40=2|44=${price}|59=1|20002=Y`;
      oms.process.say(`raw 35=D|11=${clOrdID}|21=1|${terms}`);
    };
    const times = { windowTimeInSeconds: '60', frozenTimeInSeconds: '3600' };
    const terms = { underlyingAssetSymbol: 'BTC', ...times, quantityLimit: '0.2', tradingAccountId: ACCOUNT };
    const set = { commandType: 'V1SetMMP', ...terms };
    expect((await call('POST', '/trading-api/v2/mmp-configuration', set)).status).toBe(200);
    oms.process.say(`raw 35=UMQ|20200=m-1|20201=0|1=${ACCOUNT}|263=1`);
    await umr('m-1', Tag.MMPActive, 'Y');
    buy('mm-1', '4950');
    await oms.message('app', report('mm-1', '0', '0'));
    buy('mm-2', '4900');
    await oms.message('app', report('mm-2', '0', '0'));
    const taker = { symbol: OPTION, side: 'SELL', price: '4950', quantity: '0.3' } as const;
    expect(Number(house.simulator.control.counterparty(taker).filled)).toBe(0.3);
    await oms.message('app', report('mm-1', 'F', '2'));
    await oms.message('app', report('mm-2', '4', '4'));
    const frozen = await umr('m-1', Tag.MMPActive, 'N');
    expect(frozen.boolean(Tag.UnsolicitedIndicator)).toBe(true);
    buy('mm-3', '4900');
    const refused = await oms.message('app', report('mm-3', '8', '8'));
    expect(refused.string(Tag.Text)).toMatch(/MMP/);
    const reset = `raw 35=UMQ|20200=m-2|20201=1|1=${ACCOUNT}|311=BTC`;
    oms.process.say(reset);
    await umr('m-2', Tag.MMPResult, '0');
    oms.process.say(reset);
    expect((await umr('m-2', Tag.MMPResult, '1')).string(Tag.Text)).toContain('was used before');
    oms.process.say(`raw 35=UMQ|20200=m-3|20201=0|1=${ACCOUNT}`);
    await umr('m-3', Tag.MMPActive, 'Y');
    buy('mm-4', '4900');
    await oms.message('app', report('mm-4', '0', '0'));
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
  });
});
