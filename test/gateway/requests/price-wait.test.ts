// O12: an order in a market without any reference price waits for it, bounded in time and number, and never out of turn.

import { describe, expect, test } from 'vitest';
import type { GatewayConfig } from '../../../src/gateway/mod.ts';
import { Desk, dropCopyConfig, field, gatewayConfig, market, SESSION, sessionConfig, summary } from '../desk.ts';

const OPTION = 'BTC-USDC-20260327-90000-C';
const OTHER = 'BTC-USDC-20260327-80000-C';
const COPY = 'FIX.4.4:XG->COPY';

const LIMITS = {
  ...sessionConfig().limits,
  priceBandPercent: '20',
  referencePriceWaitMs: 2_000,
  referencePriceQueueMax: 4,
};

function desk(more: Parameters<typeof gatewayConfig>[0] = {}, others: GatewayConfig['sessions'] = []): Desk {
  const config = gatewayConfig({ limits: LIMITS, ...more });
  return new OptionDesk({ ...config, sessions: [...config.sessions, ...others] });
}

/** A desk on which BTCUSDC has a price, and the options have none. */
class OptionDesk extends Desk {
  override open(): void {
    super.open();
    const options = [OPTION, OTHER].map((symbol) => market(symbol, { marketType: 'OPTION' }));
    this.feed({ kind: 'markets', markets: [market('BTCUSDC'), market('ETHUSDC'), ...options] });
    this.price('BTCUSDC');
  }

  /** The exchange says a price; what waits for it has its turn. */
  price(symbol: string, price = '100'): string[] {
    return this.answers(() => {
      this.feed({ kind: 'referencePrice', symbol, price });
      this.advance(0);
    });
  }

  pricesAsked(): string[] {
    return this.effects.flatMap((effect) => (effect.kind === 'followPrice' ? [effect.symbol] : []));
  }

  /** References of the creates, in the order in which they left, by ClOrdID. */
  entered(): string[] {
    return this.submitted.flatMap(({ command }) => (command.kind === 'createOrder' ? [command.symbol] : []));
  }
}

const order = (clOrdID: string, symbol = OPTION, more = ''): string =>
  `35=D|11=${clOrdID}|1=ACC1|55=${symbol}|54=1|38=2|40=2|44=100|59=1|${more}`;
const cancel = (clOrdID: string, origClOrdID: string, symbol = OPTION): string =>
  `35=F|11=${clOrdID}|41=${origClOrdID}|1=ACC1|55=${symbol}|54=1|38=2|`;
const replace = (clOrdID: string, origClOrdID: string, symbol = OPTION): string =>
  `35=G|11=${clOrdID}|41=${origClOrdID}|1=ACC1|55=${symbol}|54=1|40=2|38=2|44=101|`;

const optionDesk = (...args: Parameters<typeof desk>): OptionDesk => desk(...args) as OptionDesk;

describe('O12 the first order on an option', () => {
  test('O12 waits on record while the exchange is asked for its tick, and is entered with the price', () => {
    const one = optionDesk();
    const before = one.effects.length;
    expect(one.oms(order('o-1'))).toEqual([]);
    expect(one.pricesAsked()).toEqual([OPTION]);
    expect(one.effects.slice(before).map(({ kind }) => kind)).toEqual(['persistOrder', 'followPrice']);
    one.advance(500);
    expect(one.entered()).toEqual([]);
    expect(one.price(OPTION)).toEqual([]);
    expect(one.entered()).toEqual([OPTION]);
    expect(one.advance(5_000).map((text) => field(text, 150))).toEqual(['A']);
  });

  test('O12 waits as long as is set, is refused with the reason then, and the next is refused at once', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    expect(one.advance(1_999)).toEqual([]);
    const [refused] = one.advance(1);
    expect(summary([refused!])).toEqual(['8/8']);
    expect(field(refused, 103)).toBe('3');
    expect(field(refused, 58)).toBe(
      `No reference price of ${OPTION} younger than 60000 ms: the limits cannot be checked now; ` +
        'the exchange said none within 2000 ms',
    );
    // It would keep the session's other orders waiting for nothing.
    expect(summary(one.oms(order('o-2')))).toEqual(['8/8']);
    expect(one.oms(order('o-3', OTHER))).toEqual([]);
    one.advance(30_000);
    expect(one.oms(order('o-4'))).toEqual([]);
    one.price(OPTION);
    expect(one.entered()).toEqual([OPTION]);
    expect(one.gateway.deadline()).not.toBeNull();
  });

  test('O12 is held against the price band once the price is there', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    const [refused] = one.price(OPTION, '50');
    expect(field(refused, 58)).toContain('more than 20 % away from the reference price 50');
    expect(one.entered()).toEqual([]);
  });

  test('O12 is refused at once where the setting is 0, and where the price is stale', () => {
    const none = optionDesk({ limits: { ...LIMITS, referencePriceWaitMs: 0 } });
    expect(summary(none.oms(order('o-1')))).toEqual(['8/8']);
    const stale = optionDesk();
    stale.price(OPTION);
    stale.advance(60_001);
    expect(summary(stale.oms(order('o-1')))).toEqual(['8/8']);
  });

  test('O12 keeps later orders of its session in their order behind it, and none of another session', () => {
    const SECOND = 'FIX.4.4:XG->OMS2';
    const one = optionDesk({}, [sessionConfig({ sessionId: SECOND, limits: LIMITS })]);
    one.oms(order('o-1'));
    one.oms(order('o-2', 'BTCUSDC'));
    one.oms(order('o-3', OTHER));
    one.oms(order('o-4', 'BTCUSDC'));
    // Asked for before its turn.
    expect(one.pricesAsked()).toEqual([OPTION, OTHER]);
    one.oms(order('x-1', 'BTCUSDC'), { sessionId: SECOND });
    expect(one.entered()).toEqual(['BTCUSDC']);
    one.price(OPTION);
    expect(one.entered()).toEqual(['BTCUSDC', OPTION, 'BTCUSDC']);
    one.price(OTHER);
    expect(one.entered()).toEqual(['BTCUSDC', OPTION, 'BTCUSDC', OTHER, 'BTCUSDC']);
    one.oms(order('o-5', 'BTCUSDC'));
    expect(one.entered()).toHaveLength(6);
  });

  test('O12 no more wait than is set: others are refused, and may be sent again as they are', () => {
    const one = optionDesk();
    for (const id of ['o-1', 'o-2', 'o-3', 'o-4']) expect(one.oms(order(id))).toEqual([]);
    const [refused] = one.oms(order('o-5'));
    expect(field(refused, 103)).toBe('3');
    expect(field(refused, 58)).toContain('4 messages of the session wait');
    one.price(OPTION);
    expect(one.entered()).toHaveLength(4);
    one.oms(order('o-5'));
    expect(one.entered()).toHaveLength(5);
  });
});

describe('O12 fate of an order that waits for a price', () => {
  test('O12 an F cancels it at once: it never leaves, and the order behind it does', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    one.oms(order('o-2', 'BTCUSDC'));
    expect(summary(one.oms(cancel('c-1', 'o-1')))).toEqual(['4/4']);
    one.advance(0);
    expect(one.entered()).toEqual(['BTCUSDC']);
    one.price(OPTION);
    expect(one.entered()).toEqual(['BTCUSDC']);
    // Its ClOrdID is used up.
    expect(field(one.oms(order('o-1')).at(-1), 103)).toBe('6');
  });

  test('O12 a G waits behind it and is answered at its turn, as one that follows its D at once is', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    expect(one.oms(replace('g-1', 'o-1'))).toEqual([]);
    const answers = one.price(OPTION);
    expect(summary(answers)).toEqual(['9/2']);
    expect(field(answers[0], 58)).toContain('The exchange has not confirmed this order yet');
    expect(one.entered()).toEqual([OPTION]);
  });

  test('O12 a G of a working order waits for the price too, and an F that names it takes it back', () => {
    const one = optionDesk();
    one.price(OPTION);
    one.oms(order('o-1'));
    one.accepted(undefined, '9001');
    one.order({ symbol: OPTION });
    one.restart();
    one.sent.length = 0;
    expect(one.oms(replace('g-1', 'o-1'))).toEqual([]);
    one.price(OPTION);
    expect(one.last().command.kind).toBe('amendOrder');
    const other = optionDesk();
    other.price(OPTION);
    other.oms(order('o-1'));
    other.accepted(undefined, '9001');
    other.order({ symbol: OPTION });
    other.restart();
    other.oms(replace('g-1', 'o-1'));
    expect(summary(other.oms(cancel('c-1', 'g-1')))).toEqual(['9/2', '6/6']);
    expect(other.last().command.kind).toBe('cancelOrder');
  });

  test('O12 H reports it, a repeated D makes no second one, q cancels it', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    expect(summary(one.oms(`35=H|11=o-1|55=${OPTION}|54=1|`))).toEqual(['I/A']);
    expect(summary(one.oms(order('o-1'), { possDup: true }))).toEqual(['I/A']);
    expect(field(one.oms(order('o-1'))[0], 103)).toBe('6');
    expect(one.oms('35=q|11=q-1|530=7|').map((text) => field(text, 35))).toEqual(['r', '8']);
    one.price(OPTION);
    expect(one.entered()).toEqual([]);
  });

  test('O12 a list waits as a whole, and goes out in the order of its ListSeqNo(67)', () => {
    const one = optionDesk();
    const entry = (n: number, symbol: string): string =>
      `11=l-${n}|67=${n}|1=ACC1|55=${symbol}|54=1|38=2|40=2|44=100|59=1|`;
    const list = `35=E|66=L1|394=3|68=3|73=3|${entry(1, OPTION)}${entry(2, 'BTCUSDC')}${entry(3, OTHER)}`;
    expect(one.oms(list)).toEqual([]);
    one.price(OPTION);
    expect(one.entered()).toEqual([]);
    const answers = one.price(OTHER);
    expect(answers.map((text) => field(text, 35))).toEqual(['N']);
    expect(one.entered()).toEqual([OPTION, 'BTCUSDC', OTHER]);
  });

  test.each([
    ['the end of the session', { kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' }],
    ['its Logout', { kind: 'sessionLeaving', sessionId: SESSION, by: 'counterparty' }],
    ['the end of the gateway', { kind: 'shutdown' }],
  ] as const)('C1 O12 %s rejects it and its followers, and it never leaves', (_what, input) => {
    const one = optionDesk();
    one.oms(order('o-1'));
    one.oms(order('o-2', 'BTCUSDC'));
    expect(summary(one.answers(() => one.feed(input)))).toEqual(['8/8', '8/8']);
    one.price(OPTION);
    expect(one.entered()).toEqual([]);
  });

  test('O12 U4 a restart rejects it once: it is neither lost nor entered later', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    one.oms(order('o-2', 'BTCUSDC'));
    const told = one.answers(() => one.restart());
    expect(summary(told)).toEqual(['8/8', '8/8']);
    expect(told.map((text) => field(text, 11))).toEqual(['o-1', 'o-2']);
    expect(one.answers(() => one.restart())).toEqual([]);
    one.price(OPTION);
    expect(one.entered()).toEqual([]);
    expect(field(one.oms(order('o-1'))[0], 103)).toBe('6');
  });

  test('O12 a restart behind the price knows of one order, not of two', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    one.price(OPTION);
    one.restart();
    one.advance(10_000);
    expect(one.entered()).toEqual([OPTION]);
    expect([...one.records.keys()].filter((key) => key.startsWith('held|')).map((key) => one.records.get(key))).toEqual(
      [expect.stringContaining('"frame":null')],
    );
  });

  test('O12 a kill switch that is thrown while it waits keeps it out', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    one.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', target: null, who: 'ann', why: 'test' } as never);
    const answers = one.price(OPTION);
    expect(summary(answers)).toEqual(['8/8']);
    expect(one.entered()).toEqual([]);
  });

  test('O12 a clock that is set back meanwhile makes it wait no longer', () => {
    const one = optionDesk();
    one.oms(order('o-1'));
    one.now -= 3_600_000;
    one.feed({ kind: 'tick' });
    expect(summary(one.advance(2_000))).toEqual(['8/8']);
  });

  test('D1 O12 in dialect venue it waits, is cancelled and refused like any other order', () => {
    const one = optionDesk({ dialect: 'venue' });
    one.oms(order('o-1'));
    const [cancelled] = one.oms(cancel('c-1', 'o-1'));
    expect(summary([cancelled!])).toEqual(['4/4']);
    one.oms(order('o-2'));
    const [refused] = one.advance(2_000);
    expect(field(refused, 103)).toBe('99');
    one.advance(30_000);
    one.oms(order('o-3'));
    one.price(OPTION);
    expect(one.entered()).toEqual([OPTION]);
  });

  test("S9 O12 a drop copy receives the session's reports of it: entry, cancel, refusal", () => {
    const one = optionDesk({}, [dropCopyConfig()]);
    const copies = (act: () => unknown): string[] => {
      const from = one.effects.length;
      act();
      return one.effects
        .slice(from)
        .flatMap((effect) => (effect.kind === 'send' && effect.sessionId === COPY ? [effect.draft.msgType] : []));
    };
    expect(copies(() => one.oms(order('o-1')))).toEqual([]);
    expect(copies(() => one.oms(cancel('c-1', 'o-1')))).toEqual(['8']);
    one.oms(order('o-2'));
    expect(copies(() => one.advance(2_000))).toEqual(['8']);
  });
});
