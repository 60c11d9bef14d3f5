// Liquidations: the exchange trades an account's position away, and the OMS that trades the account hears of it.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  field,
  gatewayConfig,
  SESSION,
  sessionConfig,
  summary,
  textOf,
} from '../desk.ts';

const TERMS = {
  orderId: '9100',
  clientOrderId: null,
  type: 'MKT',
  price: null,
  side: 'SELL',
  isLiquidation: true,
} as const;
const FILL = {
  orderId: '9100',
  tradeId: '7',
  clientOrderId: null,
  side: 'SELL',
  price: '99',
  quantity: '2.00000000',
} as const;

/** A liquidation of one fill; what the sessions were sent. */
function liquidated(desk: Desk, tradeFirst = false): string[] {
  return desk.answers(() => {
    if (tradeFirst) desk.trade(FILL);
    desk.order({ ...TERMS, status: 'OPEN' });
    if (!tradeFirst) desk.trade(FILL);
    desk.order({ ...TERMS, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2.00000000' });
  });
}
const venue = (more: Partial<GatewaySessionConfig> = {}): Desk =>
  new Desk(gatewayConfig({ dialect: 'venue', ...more }));

test.each([false, true])(
  'O11 reports liquidation fills to a `venue` session without ClOrdID(11), 544=3 (trade first: %s)',
  (tradeFirst) => {
    const desk = venue({ symbolAliases: { XBT: 'BTCUSDC' } });
    const reports = liquidated(desk, tradeFirst);
    expect(summary(reports)).toEqual(['F/2']);
    const [fill] = reports;
    expect([1, 11, 17, 32, 31, 37, 54, 55, 57, 544, 797].map((tag) => field(fill, tag))).toEqual([
      'ACC1',
      null,
      '9100-7-F',
      '2',
      '99',
      '9100',
      '2',
      'XBT',
      'ADMIN',
      '3',
      null,
    ]);
  },
);

test("O11 is reported once, despite the exchange's repeats and a restart", () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }), { ended: true });
  expect(liquidated(desk)).toHaveLength(1);
  expect(liquidated(desk)).toEqual([]);
  desk.restart();
  expect(liquidated(desk)).toEqual([]);
});

test('O11 reports liquidation fills of a downtime, but none from before the session was first here', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }), { ended: true });
  const tell = (orderId: string, filledAt: number): string[] =>
    desk.answers(() => {
      desk.order({ ...TERMS, orderId, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2.00000000' });
      desk.trade({ ...FILL, orderId, tradeId: `${orderId}7`, createdAt: filledAt });
    });
  expect(tell('9101', desk.now - 3_600_000)).toEqual([]);
  const down = desk.now + 3_600_000;
  desk.now = down + 3_600_000;
  desk.restart();
  expect(tell('9101', down - 7_200_000)).toEqual([]);
  expect(summary(tell('9102', down))).toEqual(['F/2']);
  // An account that is new to it.
  const accounts = ['111000000000002', ACCOUNT].map((id, i) => ({
    account: `A${i}`,
    tradingAccountId: id,
    credential: 'main',
  }));
  desk.gateway.applyConfig(sessionConfig({ dialect: 'venue', accounts }));
  desk.advance(0);
  desk.feed({ kind: 'tick' });
  const tellOther = (orderId: string, filledAt: number): string[] =>
    desk.answers(() => {
      const tradingAccountId = '111000000000002';
      desk.trade({ ...FILL, tradingAccountId, orderId, tradeId: `${orderId}7`, createdAt: filledAt });
      desk.order({
        ...TERMS,
        tradingAccountId,
        orderId,
        status: 'CLOSED',
        statusReasonCode: '6002',
        quantityFilled: '2',
      });
    });
  expect(tellOther('9103', down)).toEqual([]);
  expect(summary(tellOther('9104', desk.now))).toEqual(['F/2']);
  expect(summary(tell('9105', down))).toEqual(['F/2']);
});

test('O11 omits other accounts, markets and REST orders, and `standard` sessions', () => {
  expect(liquidated(venue({ symbols: ['ETHUSDC'] }))).toEqual([]);
  expect(liquidated(new Desk())).toEqual([]);
  const desk = venue();
  desk.order({ ...TERMS, isLiquidation: false });
  expect(desk.answers(() => desk.trade(FILL))).toEqual([]);
  expect(desk.answers(() => desk.order({ ...TERMS, orderId: '9200', tradingAccountId: '111000000000009' }))).toEqual(
    [],
  );
});

test('O11 a drop copy beside it receives the whole order, the order session the fill', () => {
  const config = gatewayConfig();
  const accounts = [{ account: 'HOUSE', tradingAccountId: ACCOUNT, credential: 'main' }];
  const desk = new Desk({ ...config, sessions: [sessionConfig({ dialect: 'venue' }), dropCopyConfig({ accounts })] });
  liquidated(desk);
  const sent = desk.effects.flatMap((effect) => (effect.kind === 'send' ? [effect.sessionId] : []));
  expect(sent.filter((sessionId) => sessionId === SESSION)).toHaveLength(1);
  expect(sent.filter((sessionId) => sessionId !== SESSION)).toHaveLength(2);
});

test('O7 the liquidation is external: the session cannot count, cancel or find it', () => {
  const desk = venue({ cancelOnDisconnect: { on: 'both', graceMs: 0, scope: 'account' } });
  desk.order({ ...TERMS, status: 'OPEN' });
  expect(desk.gateway.counts()).toMatchObject({ new: 0 });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  expect(desk.submitted).toEqual([]);
});

describe.each([false, true])(
  'O11 S11 one that comes while the session is not configured (beside a drop copy: %s)',
  (copied) => {
    const accounts = [{ account: 'HOUSE', tradingAccountId: ACCOUNT, credential: 'main' }];
    const others = [
      sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER' }),
      ...(copied ? [dropCopyConfig({ accounts })] : []),
    ];
    const here = (more: Partial<GatewaySessionConfig> = {}) => [
      sessionConfig({ dialect: 'venue', ...more }),
      ...others,
    ];
    const restartWith = (desk: Desk, sessions: readonly GatewaySessionConfig[]): void => {
      Object.assign(desk, { config: { ...desk.config, sessions } });
      desk.restart();
    };
    const toOms = (desk: Desk, act: () => unknown): string[] => {
      const from = desk.effects.length;
      act();
      return desk.effects
        .slice(from)
        .flatMap((effect) => (effect.kind === 'send' && effect.sessionId === SESSION ? [textOf(effect.draft)] : []));
    };
    /** It is traded away while the session is away. */
    function missed(): Desk {
      const desk = new Desk({ ...gatewayConfig(), sessions: here() }, { ended: true });
      desk.now += 3_600_000;
      restartWith(desk, others);
      desk.now += 3_600_000;
      expect(toOms(desk, () => liquidated(desk))).toEqual([]);
      desk.now += 3_600_000;
      return desk;
    }

    test('is reported when it is back, as originally, once', () => {
      const desk = missed();
      const present = new Desk({ ...gatewayConfig(), sessions: here() });
      present.now += 7_200_000;
      const whole = toOms(present, () => liquidated(present));
      expect(summary(whole)).toEqual(['F/2']);
      expect(toOms(desk, () => restartWith(desk, here()))).toEqual(whole);
      expect(toOms(desk, () => liquidated(desk))).toEqual([]);
      expect(toOms(desk, () => desk.restart())).toEqual([]);
    });

    test('is reported when it returns to the running gateway, and later ones too', () => {
      const desk = missed();
      desk.gateway.applyConfig(sessionConfig({ dialect: 'venue' }));
      expect(summary(toOms(desk, () => desk.feed({ kind: 'tick' })))).toEqual(['F/2']);
      const later = { orderId: '9101', tradeId: '8' };
      expect(
        toOms(desk, () => {
          desk.order({ ...TERMS, ...later, status: 'OPEN' });
          desk.trade({ ...FILL, ...later, createdAt: desk.now - 1_800_000 });
        }),
      ).toHaveLength(1);
    });

    test.each([
      ['of the dialect `standard`', { dialect: 'standard' }],
      ['without the market', { symbols: ['ETHUSDC'] }],
      [
        'without the account',
        { accounts: [{ account: 'A2', tradingAccountId: '111000000000002', credential: 'main' }] },
      ],
    ] as const)('is not reported to one that is back %s', (_how, more) => {
      const desk = missed();
      expect(toOms(desk, () => restartWith(desk, here(more)))).toEqual([]);
    });
  },
);
