// Positions and collateral on the pure machine: who may ask, answers, changes, limits.

import { describe, expect, test } from 'vitest';
import type { DataAnswer, DerivativePosition } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { everyMarket } from '../../support/campaigns/sent-campaign.ts';
import { ACCOUNT, Desk, field, gatewayConfig, SESSION } from '../desk.ts';

const PERP = 'BTC-USDC-PERP';
const position = (more: Partial<DerivativePosition> = {}): DerivativePosition => ({
  symbol: PERP,
  side: 'BUY',
  quantity: '0.3',
  notional: '20000',
  entryNotional: '18000',
  mtmPnl: '1',
  reportedMtmPnl: '2',
  reportedFundingPnl: '-3',
  realizedPnl: '4',
  settlementAssetSymbol: 'USDC',
  ...more,
});
const positions = (...all: DerivativePosition[]): DataAnswer => ({ kind: 'positions', positions: all });

function deskOf(more: Partial<GatewaySessionConfig> = {}): Desk {
  const desk = new Desk(gatewayConfig(more));
  desk.feed({ kind: 'markets', markets: everyMarket() });
  return desk;
}

const AN = '35=AN|710=p|724=0|1=ACC1|581=1|715=20260105|';

describe('RequestForPositions(AN)', () => {
  test('asks the exchange and answers with AO and an AP per instrument, addressed to the requester', () => {
    const desk = deskOf();
    expect(desk.oms(`${AN}50=me|`)).toEqual([]);
    expect(desk.asked.map(({ credential, question }) => [credential, question])).toEqual([
      ['main', { kind: 'positions', tradingAccountId: ACCOUNT }],
    ]);
    expect(desk.answered(positions(position(), position({ symbol: 'GONE', side: 'SELL' })))).toEqual([
      '35=AO|57=me|721=p-0|710=p|727=2|728=0|729=0|1=ACC1|581=1|',
      '35=AP|57=me|721=p-1|710=p|724=0|727=2|728=0|715=20260105|1=ACC1|581=1|55=BTC-USDC-PERP|461=FXXXXX|167=FUT|231=1|' +
        '15=USDC|730=66666.66667|731=2|734=60000|702=1|703=TQ|704=0.3|753=5|707=FMTM|708=1|707=IMTM|708=2|' +
        '707=CASH|708=-3|707=TVAR|708=4|707=VADJ|708=20000|',
      expect.stringMatching(/^35=AP\|57=me\|721=p-2\|.*\|55=GONE\|15=USDC\|730=66666\.6667\|.*\|703=TQ\|705=0\.3\|/),
    ]);
  });

  test('is narrowed to a symbol, by the session’s name for it, and to the session’s symbols', () => {
    const desk = deskOf({ symbols: [PERP], symbolAliases: { PERP } });
    desk.oms(AN);
    const all = desk.answered(positions(position(), position({ symbol: 'BTC-USDC-20291228' })));
    expect(all.map((text) => field(text, 55))).toEqual([null, 'PERP']);
    desk.oms(`${AN}55=ETHUSDC|`);
    expect(desk.answered(positions(position()))).toEqual([expect.stringMatching(/^35=AO\|.*727=0\|728=2\|729=0\|/)]);
  });

  test.each([
    ['an account of another', AN.replace('ACC1', 'OTHER'), '3'],
    ['trades instead of positions', AN.replace('724=0', '724=1'), '4'],
  ])('O7 refuses %s without asking the exchange', (_, request, result) => {
    const desk = deskOf();
    expect(desk.oms(request)).toEqual([
      expect.stringMatching(new RegExp(`^35=AO\\|.*\\|728=${result}\\|729=2\\|.*58=`)),
    ]);
    expect(desk.asked).toEqual([]);
  });

  test('needs no Account(1) on a session with one, and is refused where it is not agreed', () => {
    const desk = deskOf();
    desk.oms(AN.replace('1=ACC1|', ''));
    expect(desk.answered(positions())[0]).toContain('|1=ACC1|');
    const [refused] = deskOf({ accountData: null }).oms(AN);
    expect(refused).toMatch(/\|728=3\|729=2\|.*58=.*not agreed/);
  });

  test('says so if the exchange cannot be asked, and ends the subscription', () => {
    const desk = deskOf();
    desk.oms(`${AN}263=1|`);
    expect(desk.answered({ kind: 'failed', message: 'HTTP 503' })).toEqual([
      expect.stringMatching(/\|728=99\|729=2\|.*58=The exchange could not be asked: HTTP 503\|/),
    ]);
    desk.advance(60_000);
    expect(desk.asked).toHaveLength(1);
  });

  test('D2 is not carried in FIX.4.2; the j names the bridge', () => {
    expect(deskOf({ beginString: 'FIX.4.2' }).oms(AN)).toEqual([expect.stringMatching(/^35=j\|.*380=3\|58=.*bridge/)]);
  });

  test('has ten open questions at most, and takes no answer after the end of its session', () => {
    const desk = deskOf();
    for (let i = 0; i < 10; i++) expect(desk.oms(AN.replace('=p|', `=p-${i}|`))).toEqual([]);
    expect(desk.oms(AN)).toEqual([expect.stringMatching(/\|728=99\|729=2\|.*10 requests are open/)]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    expect(desk.answered(positions(position()))).toEqual([]);
    expect(desk.oms(AN)).toEqual([]);
  });
});

describe('a subscription of positions', () => {
  test('reports changes and closed positions, after fills and from time to time', () => {
    const desk = deskOf();
    desk.oms(`${AN}263=1|`);
    desk.answered(positions(position(), position({ symbol: 'BTC-USDC-20291228' })));
    desk.advance(29_000);
    expect(desk.asked).toHaveLength(1);
    desk.advance(1_000);
    expect(desk.asked).toHaveLength(2);
    expect(desk.answered(positions(position(), position({ symbol: 'BTC-USDC-20291228' })))).toEqual([]);
    desk.trade({ orderId: '77', clientOrderId: null });
    desk.advance(500);
    expect(desk.asked).toHaveLength(3);
    const changed = desk.answered(positions(position({ quantity: '0.4' })));
    expect(changed.map((text) => [55, 325, 704].map((tag) => field(text, tag)))).toEqual([
      [PERP, 'Y', '0.4'],
      ['BTC-USDC-20291228', 'Y', '0'],
    ]);
    expect(new Set(changed.map((text) => field(text, 721))).size).toBe(2);
  });

  test('ends with 263=2 and with the session, and a failed question is asked again', () => {
    const desk = deskOf();
    desk.oms(`${AN}263=1|`);
    desk.answered(positions());
    desk.advance(30_000);
    expect(desk.answered({ kind: 'failed', message: 'HTTP 503' })).toEqual([]);
    desk.advance(30_000);
    expect(desk.answered(positions(position()))).toHaveLength(1);
    expect(desk.oms(`${AN}263=2|`)).toEqual([]);
    desk.advance(60_000);
    expect(desk.asked).toHaveLength(3);
    desk.oms(`${AN}263=1|`);
    desk.answered(positions());
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    desk.advance(60_000);
    expect(desk.asked).toHaveLength(4);
  });

  test('is one of as many as the session may have', () => {
    const desk = deskOf({ accountData: { refreshMs: 30_000, subscriptionsMax: 1, tradesMax: 1 } });
    desk.oms(`${AN}263=1|`);
    desk.answered(positions());
    expect(desk.oms('35=BB|909=b|1=ACC1|263=1|')).toEqual([
      expect.stringMatching(/^35=BG\|.*945=4\|946=99\|1=ACC1\|58=More than 1 subscriptions/),
    ]);
  });
});

describe('CollateralInquiry(BB)', () => {
  const balance = { availableQuantity: '7', borrowedQuantity: '2', lockedQuantity: '1', loanedQuantity: '0.5' };
  const collateral = (totalCollateralUSD: string): DataAnswer => ({
    kind: 'collateral',
    figures: {
      totalCollateralUSD,
      totalLiabilitiesUSD: '20.5',
      totalBorrowedUSD: '20.0',
      initialMarginUSD: '40',
      liquidityAddonUSD: '1',
      isBorrowing: 'true',
    },
    balances: [{ ...balance, assetSymbol: 'BTC' }],
  });

  test('is answered by a BA of the account and one per asset', () => {
    const desk = deskOf();
    desk.oms('35=BB|909=b|1=ACC1|');
    expect(desk.asked.at(-1)!.question).toEqual({ kind: 'collateral', tradingAccountId: ACCOUNT });
    expect(desk.answered(collateral('100'))).toEqual([
      '35=BA|57=ADMIN|908=b-1|909=b|910=3|911=2|912=N|1=ACC1|581=1|898=2.5|15=USD|899=60|900=79.5|901=20.0|' +
        '58=totalCollateralUSD=100 totalLiabilitiesUSD=20.5 initialMarginUSD=40 liquidityAddonUSD=1 isBorrowing=true|',
      '35=BA|57=ADMIN|908=b-2|909=b|910=3|911=2|912=Y|1=ACC1|581=1|55=BTC|15=BTC|900=6.5|901=2|921=8.5|922=7|' +
        '58=available 7, locked 1, borrowed 2, loaned 0.5|',
    ]);
  });

  test('reports what changed with 263=1', () => {
    const desk = deskOf();
    desk.oms('35=BB|909=b|1=ACC1|263=1|');
    desk.answered(collateral('100'));
    desk.advance(30_000);
    expect(desk.answered(collateral('100'))).toEqual([]);
    desk.advance(30_000);
    expect(desk.answered(collateral('90'))).toEqual([expect.stringMatching(/^35=BA\|.*\|911=1\|912=Y\|.*\|899=50\|/)]);
  });

  test('O7 of an account of another is refused by BG', () => {
    expect(deskOf().oms('35=BB|909=b|1=OTHER|')).toEqual([
      '35=BG|57=ADMIN|909=b|945=4|946=9|1=OTHER|58=Account(1)=OTHER is unknown|',
    ]);
  });
});
