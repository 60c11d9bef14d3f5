// Limits of a trading account beside those of its sessions, and how many orders a second may go out (rule O12).

import { expect, test } from 'vitest';
import type { AccountLimits } from '../../../src/gateway/vocabulary/config.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  market,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../desk.ts';

const OTHER = 'FIX.4.4:XG->OTHER';

/** Two sessions on one account. */
function desk(account: AccountLimits, ordersPerSecondMax = 0): Desk {
  const config = gatewayConfig({}, { accountLimits: { [ACCOUNT]: account } });
  const own = config.sessions[0]!;
  const first = { ...own, limits: { ...own.limits, ordersPerSecondMax } };
  return new Desk({ ...config, sessions: [first, sessionConfig({ sessionId: OTHER })] });
}

const order = (i: number): string => LIMIT.replace('o-1', `o-${i}`);

test("O12 refuses by the account's quantity, notional and band beyond the session's, and says so", () => {
  const strict = desk({ orderQtyMax: '3', notionalMax: '250', priceBandPercent: '5' });
  expect(strict.oms(order(1)).map((text) => field(text, 103))).toEqual(['3']);
  strict.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  expect(field(strict.oms(order(2).replace('|38=2|', '|38=4|'))[0], 58)).toContain(`account ${ACCOUNT}'s limit of 3`);
  expect(field(strict.oms(order(3).replace('|38=2|', '|38=3|'))[0], 58)).toContain("'s limit of 250");
  expect(field(strict.oms(order(4).replace('|44=100|', '|44=106|'))[0], 58)).toContain('more than 5 %');
  expect(strict.submitted).toEqual([]);
  strict.oms(order(5));
  expect(strict.submitted).toHaveLength(1);
});

test('O12 open orders of all sessions together count on the account', () => {
  const two = desk({ openOrdersMax: 2 });
  two.oms(order(1));
  two.oms(order(1), { sessionId: OTHER });
  const refused = two.oms(order(2), { sessionId: OTHER });
  expect(field(refused[0], 58)).toBe(`Account ${ACCOUNT} has 2 open orders; its limit is 2`);
  expect(two.submitted).toHaveLength(2);
});

test('O11 O12 external orders do not count on the account, with or without a drop copy', () => {
  const config = gatewayConfig({}, { accountLimits: { [ACCOUNT]: { openOrdersMax: 2 } } });
  for (const sessions of [config.sessions, [...config.sessions, dropCopyConfig()]]) {
    const one = new Desk({ ...config, sessions }, { ended: true });
    for (const id of ['501', '502', '503']) one.order({ orderId: id, clientOrderId: null });
    one.restart();
    one.oms(order(1));
    one.oms(order(2));
    expect(field(one.oms(order(3))[0], 58)).toBe(`Account ${ACCOUNT} has 2 open orders; its limit is 2`);
    // Its end frees no place either.
    one.order({ orderId: '501', clientOrderId: null, status: 'CANCELLED', statusReasonCode: '6005' });
    expect(field(one.oms(order(4))[0], 39)).toBe('8');
    // One that a session takes over does.
    const adoption = {
      sessionId: SESSION,
      order: exchangeOrder({ orderId: '502', clientOrderId: null }, one.now),
      trades: [],
      clOrdID: null,
    };
    one.feed({ kind: 'adoptOrder', adoption, who: 'ann', why: 'moved' });
    expect(field(one.oms(order(5))[0], 58)).toContain('has 3 open orders');
  }
});

test('O12 open orders of another session on the same account do not count on this one', () => {
  const config = gatewayConfig({ limits: { ...sessionConfig().limits, openOrdersMax: 1 } });
  const two = new Desk({ ...config, sessions: [...config.sessions, sessionConfig({ sessionId: OTHER })] });
  for (const i of [1, 2]) two.oms(order(i), { sessionId: OTHER });
  two.oms(order(3));
  expect(two.submitted).toHaveLength(3);
  expect(field(two.oms(order(4))[0], 58)).toBe('This session has 1 open orders; its limit is 1');
});

test('O12 an account without notional limit and band waits for no reference price, and has none followed', () => {
  const free = desk({ orderQtyMax: '3' });
  free.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  // Young enough for the session, not for what an account's limits take where they need one.
  free.advance(40_000);
  free.oms(order(1).replace('40=2|44=100|', '40=1|'));
  expect(free.submitted).toHaveLength(1);
  for (const side of ['BUY', 'SELL'] as const) {
    const leg = { symbol: 'ETHUSDC', side, price: '9', quantity: '3' };
    expect(free.gateway.legRefusal(ACCOUNT, leg, free.now, (symbol) => expect(symbol).toBe('none'))).toBeNull();
  }
});

test('O12 a market order has no Price(44) to be outside the band: with a reference price it goes out', () => {
  const limits = { ...sessionConfig().limits, priceBandPercent: '5', notionalMax: '200' };
  const one = new Desk(gatewayConfig({ limits }));
  one.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  one.oms(order(1).replace('40=2|44=100|', '40=1|'));
  expect(one.submitted).toHaveLength(1);
  const [refused] = one.oms(order(2).replace('38=2|40=2|44=100|', '38=2.1|40=1|'));
  expect(field(refused, 58)).toContain('OrderQty(38)=2.1 at reference price 100 is 210, over');
});

test('O12 a buy comes to its Price(44) at most, whatever the market pays above it', () => {
  const limits = { ...sessionConfig().limits, priceBandPercent: '50', notionalMax: '160' };
  const one = new Desk(gatewayConfig({ limits }, { accountLimits: { [ACCOUNT]: limits } }));
  one.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  one.oms(order(1).replace('44=100', '44=80'));
  expect(one.submitted).toHaveLength(1);
  const leg = { symbol: 'BTCUSDC', side: 'BUY', price: '80', quantity: '2' } as const;
  expect(one.gateway.legRefusal(ACCOUNT, leg, one.now, () => {})).toBeNull();
});

test('O12 an order that a limit refuses for want of a reference price has that price followed', () => {
  const limits = { ...sessionConfig().limits, priceBandPercent: '20' };
  const wanted = new Desk(gatewayConfig({ limits }));
  const asked = (): unknown[] => wanted.effects.filter(({ kind }) => kind === 'followPrice');
  const asking = { kind: 'followPrice', symbol: 'BTCUSDC' };
  expect(field(wanted.oms(LIMIT)[0], 58)).toContain('No reference price of BTCUSDC');
  expect(asked()).toEqual([asking]);
  wanted.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  wanted.oms(LIMIT.replace('o-1', 'o-2'));
  expect(wanted.last().command.kind).toBe('createOrder');
  expect(asked()).toEqual([asking]);
  wanted.advance(60_001);
  expect(field(wanted.oms(LIMIT.replace('o-1', 'o-3')).at(-1), 58)).toContain('No reference price of BTCUSDC');
  expect(asked()).toEqual([asking, asking]);
});

test("O12 follows the price of an unfollowed market after a sell, for the next one's value", () => {
  const option = market('BTC-USDC-20260327-90000-C', { marketType: 'OPTION' });
  const limits = { ...sessionConfig().limits, notionalMax: '400' };
  const one = new Desk(gatewayConfig({ limits }), { ready: false });
  one.feed({ kind: 'markets', markets: [option, market('BTCUSDC')] });
  one.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  const sell = (i: number): string => order(i).replace('BTCUSDC', option.symbol).replace('54=1', '54=2');
  const asked = (): unknown[] => one.effects.filter(({ kind }) => kind === 'followPrice');
  one.oms(sell(1).replace('54=2', '54=1'));
  expect(asked()).toEqual([]);
  // A stop comes to its StopPx(99), whatever the market pays.
  one.oms(order(4).replace('54=1', '54=2').replace('40=2|44=100|', '40=4|44=100|99=110|'));
  expect(asked()).toEqual([]);
  one.oms(sell(2));
  expect(one.submitted).toHaveLength(3);
  expect(asked()).toEqual([{ kind: 'followPrice', symbol: option.symbol }]);
  one.feed({ kind: 'referencePrice', symbol: option.symbol, price: '250' });
  expect(field(one.oms(sell(3))[0], 58)).toContain('OrderQty(38)=2 at reference price 250 is 500, over');
  const atMarket = one.oms(sell(5).replace('44=100', '44=250'));
  expect(field(atMarket[0], 58)).toContain('OrderQty(38)=2 at Price(44)=250 is 500, over');
  expect(asked()).toHaveLength(1);
});

test('O12 refuses D and G beyond the rate of session or account with the wait, never cancels', () => {
  const slow = desk({ ordersPerSecondMax: 3 }, 2);
  for (const i of [1, 2]) {
    slow.oms(order(i));
    slow.accepted(undefined, `${9000 + i}`);
    slow.order({ orderId: `${9000 + i}`, clientOrderId: `${i}` });
  }
  slow.advance(400);
  const third = slow.oms(order(3));
  expect(summary(third)).toEqual(['8/8']);
  expect(field(third[0], 58)).toBe('More than 2 orders per second on this session: send it again in 600 ms');
  const replace = slow.oms('35=G|41=o-1|11=g-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=99|');
  expect(summary(replace)).toEqual(['9/2']);
  expect(slow.oms('35=F|41=o-2|11=f-1|1=ACC1|55=BTCUSDC|54=1|')).toHaveLength(1);
  expect(slow.last().command.kind).toBe('cancelOrder');
  // The other session has no rate of its own: it may use what is left of the account's.
  slow.oms(order(1), { sessionId: OTHER });
  expect(slow.last().command.kind).toBe('createOrder');
  expect(field(slow.oms(order(2), { sessionId: OTHER })[0], 58)).toContain(`on account ${ACCOUNT}: send it again`);
  slow.advance(600);
  slow.oms('35=G|41=o-1|11=g-2|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=99|');
  expect(slow.last().command.kind).toBe('amendOrder');
});

test('O12 refused orders do not use up the rate; a changed session keeps its count', () => {
  const slow = desk({}, 1);
  for (let i = 1; i <= 5; i++) slow.oms(order(i).replace('|38=2|', '|38=1000|'));
  slow.oms(order(6));
  expect(slow.submitted).toHaveLength(1);
  const own = slow.config.sessions[0]!;
  slow.gateway.applyConfig({ ...own, limits: { ...own.limits, ordersPerSecondMax: 2 } });
  slow.oms(order(7));
  slow.oms(order(8));
  expect(slow.submitted).toHaveLength(2);
});

test('O12 accepts a G that only reduces an order despite a lowered limit or stale price', () => {
  const limits = { ...sessionConfig().limits, orderQtyMax: '1', notionalMax: '1', priceBandPercent: '1' };
  const replace = (fields: string): string => `35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|${fields}`;
  for (const [fields, passes] of [
    ['38=1.5|44=100|', true],
    ['38=1.5|', true],
    ['38=2.5|44=100|', false],
    ['38=1.5|44=99|', false],
    ['38=1.5|44=100|18=6|', false],
  ] as const) {
    const working = workingDesk();
    working.gateway.applyConfig(sessionConfig({ limits }));
    expect([fields, ...summary(working.oms(replace(fields)))]).toEqual([fields, passes ? 'E/E' : '9/2']);
  }
  // A cancel and a new order: the new one is an order like any other.
  const working = workingDesk(gatewayConfig({ replaceByCancelAndNew: true }));
  working.trade({});
  working.gateway.applyConfig(sessionConfig({ limits, replaceByCancelAndNew: true }));
  expect(summary(working.oms(replace('38=1.5|44=100|')))).toEqual(['9/2']);
});

test('O12 the notional of an order uses the contract multiplier for D and G, as does 231', () => {
  const perpetual = market('BTC-USDC-PERP', { marketType: 'PERPETUAL', contractMultiplier: '100' });
  const limits = { ...sessionConfig().limits, notionalMax: '20000' };
  const one = new Desk(gatewayConfig({ limits }), { ready: false });
  one.feed({ kind: 'markets', markets: [market('BTCUSDC'), perpetual] });
  one.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  const contracts = (i: number): string => order(i).replace('BTCUSDC', perpetual.symbol);
  const [refused] = one.oms(contracts(1).replace('44=100', '44=100.1'));
  expect([150, 103].map((tag) => field(refused, tag))).toEqual(['8', '3']);
  expect(field(refused, 58)).toContain('OrderQty(38)=2 times ContractMultiplier(231)=100 at Price(44)=100.1 is 20020');
  expect(field(one.oms(`${contracts(2)}231=1|`)[0], 103)).toBe('11');
  expect(one.submitted).toEqual([]);
  one.oms(`${contracts(3)}231=100|`);
  one.oms(order(4).replace('44=100', '44=100.1'));
  expect(one.submitted).toHaveLength(2);
  one.order({ orderId: '9003', clientOrderId: '1', symbol: perpetual.symbol });
  const [late] = one.oms(`35=G|11=g-1|41=o-3|1=ACC1|55=${perpetual.symbol}|54=1|38=2|40=2|44=100.1|`);
  expect([35, 434].map((tag) => field(late, tag))).toEqual(['9', '2']);
  expect(one.submitted).toHaveLength(2);
});

test('O12 the legs of a negotiated trade pass the notional limit together', () => {
  const one = desk({ notionalMax: '250' });
  const leg = { symbol: 'BTCUSDC', side: 'BUY', price: '100', quantity: '1' } as const;
  const refusal = (count: number, account = ACCOUNT): string | null =>
    one.gateway.tradeRefusal(
      account,
      Array.from({ length: count }, (_, i) => (i === 1 ? { ...leg, price: '-100' } : leg)),
      one.now,
    );
  expect([refusal(1), refusal(2), refusal(3, '9')]).toEqual([null, null, null]);
  expect(refusal(3)).toBe(`its 3 legs come to 300 together, over account ${ACCOUNT}'s limit of 250 per order`);
});

test('O12 limits a negotiated leg by quantity, notional and band, and waits for its price', () => {
  const strict = desk({ orderQtyMax: '3', notionalMax: '250', priceBandPercent: '5' });
  const followed: string[] = [];
  const refusal = (more: Readonly<Record<string, string>> = {}, account = ACCOUNT): string | null => {
    const leg = { symbol: 'BTCUSDC', side: 'BUY', price: '100', quantity: '2', ...more } as const;
    return strict.gateway.legRefusal(account, leg, strict.now, (symbol) => followed.push(symbol));
  };
  expect(refusal()).toMatch(/^No reference price of BTCUSDC/);
  expect(followed).toEqual(['BTCUSDC']);
  strict.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  expect(refusal()).toBeNull();
  expect(refusal({ quantity: '4' })).toBe(`quantity=4 exceeds account ${ACCOUNT}'s limit of 3 per order`);
  expect(refusal({ quantity: '-4' })).toContain('limit of 3');
  expect(refusal({ side: 'SELL', price: '96', quantity: '2.6' })).toContain("'s limit of 250");
  expect(refusal({ price: '106' })).toContain('more than 5 %');
  expect(refusal({ quantity: '4' }, '9')).toBeNull();
  // Below zero the buyer is paid: that counts as what is paid does.
  const bare = desk({ notionalMax: '250' });
  const paid = { symbol: 'BTCUSDC', side: 'BUY', price: '-100', quantity: '3' } as const;
  expect(bare.gateway.legRefusal(ACCOUNT, paid, bare.now, () => {})).toBe(
    `quantity=3 at price=-100 is 300, over account ${ACCOUNT}'s limit of 250 per order`,
  );
  // A seller pays it, whatever the market pays above zero.
  bare.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '10' });
  const sold = { ...paid, side: 'SELL' } as const;
  const of = (price: string): string | null => bare.gateway.legRefusal(ACCOUNT, { ...sold, price }, bare.now, () => {});
  expect(of('-100')).toContain('at price=-100 is 300, over');
  expect(of('-83.33')).toBeNull();
  // Where the market pays more than that, it comes to what the market pays.
  bare.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '90' });
  expect(of('-80')).toContain('at reference price 90 is 270, over');
});

test('O12 refuses a leg in an unlisted market if the notional is limited', () => {
  const one = desk({ notionalMax: '250' });
  const followed: string[] = [];
  const refusal = (): string | null => {
    const leg = { symbol: 'ETH-USDC-PERP', side: 'SELL', price: '100', quantity: '2' } as const;
    return one.gateway.legRefusal(ACCOUNT, leg, one.now, (symbol) => followed.push(symbol));
  };
  expect(refusal()).toBe('ETH-USDC-PERP is not listed, so the value of its contracts is unknown');
  // A request for an unknown market causes no following.
  expect(followed).toEqual([]);
  const perpetual = market('ETH-USDC-PERP', { marketType: 'PERPETUAL', contractMultiplier: '100' });
  one.feed({ kind: 'markets', markets: [perpetual] });
  expect(refusal()).toContain('quantity=2 times contractMultiplier=100 at price=100 is 20000, over');
});
