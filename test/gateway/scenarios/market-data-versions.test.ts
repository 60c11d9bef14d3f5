// Market data in each version and dialect (rules D1, D4): every message passes the version's stock dictionary in
// `standard`, and our own in `venue`. Auctions are entries, or words where the version lacks entries.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadDictionary, Validator } from '../../../src/dictionary/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { dictionary } from '../../support/generated.ts';
import { SESSION } from '../desk.ts';
import { MarketDesk, V } from '../market-desk.ts';

type Version = 'FIX.4.2' | 'FIX.4.4' | 'FIX.5.0' | 'FIX.5.0SP1' | 'FIX.5.0SP2';
type Dialect = 'standard' | 'venue';

/** LastUpdateTime(779) in W came with an extension pack and is required there; FIX.5.0SP2 as published has no such field. */
const stock = (name: string) =>
  loadDictionary(
    readFileSync(new URL(`../../../node_modules/jspurefix/data/${name}`, import.meta.url), 'utf8').replaceAll(
      "name='LastUpdateTime' required='Y'",
      "name='LastUpdateTime' required='N'",
    ),
    name,
  );
const over = (application: ReturnType<typeof dictionary>) =>
  new Validator({ transport: dictionary('FIXT11.xml'), applications: [application] });

const VERSIONS: Readonly<
  Record<Version, Pick<GatewaySessionConfig, 'beginString' | 'defaultApplVerID'> & Record<Dialect, () => Validator>>
> = {
  'FIX.4.2': {
    beginString: 'FIX.4.2',
    standard: () => new Validator(stock('FIX42.xml')),
    venue: () => new Validator(dictionary('FIX42.xml')),
  },
  'FIX.4.4': {
    beginString: 'FIX.4.4',
    standard: () => new Validator(stock('FIX44.xml')),
    venue: () => new Validator(dictionary('FIX44.xml')),
  },
  // No stock dictionaries of these two are at hand.
  'FIX.5.0': {
    beginString: 'FIXT.1.1',
    defaultApplVerID: '7',
    standard: () => over(dictionary('FIX50.xml')),
    venue: () => over(dictionary('FIX50.xml')),
  },
  'FIX.5.0SP1': {
    beginString: 'FIXT.1.1',
    defaultApplVerID: '8',
    standard: () => over(dictionary('FIX50SP1.xml')),
    venue: () => over(dictionary('FIX50SP1.xml')),
  },
  'FIX.5.0SP2': {
    beginString: 'FIXT.1.1',
    standard: () => over(stock('FIX50SP2.xml')),
    venue: () => over(dictionary('FIX50SP2.xml')),
  },
};
const COMBINATIONS = (Object.keys(VERSIONS) as Version[]).flatMap((version) =>
  (['standard', 'venue'] as const).map((dialect) => ({ version, dialect })),
);

function deskOf(version: Version, dialect: Dialect): MarketDesk {
  const { beginString, defaultApplVerID } = VERSIONS[version];
  return new MarketDesk({ beginString, dialect, ...(defaultApplVerID === undefined ? {} : { defaultApplVerID }) });
}

/** A dictionary's objections to the messages, in words. */
function faults(version: Version, validator: Validator, messages: readonly string[]): string[] {
  return messages.flatMap((text, i) => {
    const [msgType, ...rest] = text.split('|');
    const head = `${msgType}|49=XG|56=OMS|34=${i + 1}|52=20260105-12:00:00.000`;
    const view = viewOf(fromPrintable(`${head}|${rest.join('|')}`, VERSIONS[version].beginString))!;
    const fault = validator.validate(view);
    return fault === null ? [] : [`${fault.text}: ${text}`];
  });
}

/** Everything that can be said: books, increments, trades, statistics, auctions, an empty book, a feed that is down. */
function everything(desk: MarketDesk): string[] {
  return desk.told(() => {
    desk.oms(V('x', 1, { types: '0 1 2 Q A' }));
    desk.oms(V('w', 1, { types: '0 1 2 4 7 Q A', update: '0' }));
    desk.oms(V('y', 1, { types: 'H' }));
    const tick = { last: '5', lastTradeSize: null, lastTradeAt: null, bestBid: null, bidVolume: null, bestAsk: null };
    const day = { askVolume: null, open: '4', high: '7', low: '3', vwap: '4.5', baseVolume: '100', quoteVolume: null };
    const more = { markPrice: null, fundingRate: null, openInterest: '12', createdAt: desk.now };
    desk.market({ kind: 'tick', tick: { symbol: 'BTCUSDC', ...tick, ...day, ...more } });
    desk.book([['49999.0', '1']], [['50001.0', '4']]);
    desk.book([['49998.0', '1']], [['50001.0', '5']]);
    desk.trades(['1']);
    desk.noii();
    desk.noii({ eventType: 'CROSS', farPrice: null, clearingPrice: '50005.0', imbalanceDirection: 'NONE' });
    desk.book([], []);
    desk.live(false, ['l1Orderbook', 'l2Orderbook', 'noii']);
    desk.live(true, ['l1Orderbook', 'l2Orderbook', 'noii']);
    desk.book([], []);
    desk.oms(V('z', 0, { types: '0' }));
  });
}

describe.each(COMBINATIONS)('D4 in $version and dialect $dialect', ({ version, dialect }) => {
  test('every message passes the dictionary', () => {
    const desk = deskOf(version, dialect);
    const said = everything(desk);
    expect(new Set(said.map((text) => text.slice(0, 4)))).toEqual(
      new Set(['35=W', '35=X', '35=Y', ...(dialect === 'standard' && /4/.test(version) ? ['35=B'] : [])]),
    );
    expect(faults(version, VERSIONS[version][dialect](), said)).toEqual([]);
  });
});

describe('NOII', () => {
  const told = (version: Version, dialect: Dialect): string[] => {
    const desk = deskOf(version, dialect);
    const first = desk.told(() => desk.oms(V('m', 1, { types: 'Q A', update: '0' })));
    expect(first).toEqual([expect.stringMatching(/^35=W\|.*\|268=/)]);
    return desk.noii();
  };
  const time = '272=20260105|273=12:00:00.000|';

  test('D4 carries far price and paired quantity in 269=Q, imbalance and side in 269=A, by version', () => {
    for (const version of ['FIX.5.0', 'FIX.5.0SP1', 'FIX.5.0SP2'] as const) {
      expect(told(version, 'standard')).toEqual([
        `35=W|57=ADMIN|262=m|55=BTCUSDC|268=2|269=Q|270=50010.0|271=4|${time}286=5|269=A|270=50000.0|271=1.5|${time}277=P|`,
      ]);
    }
    expect(told('FIX.4.4', 'venue')[0]).toContain(
      `269=Q|270=50010.0|271=4|${time}286=5|269=A|270=50000.0|271=1.5|${time}277=P|`,
    );
    expect(told('FIX.4.2', 'venue')[0]).toContain(
      `269=Q|270=50010.0|271=4|${time}269=A|270=50000.0|271=1.5|${time}277=P|`,
    );
  });

  test('D4 the result has the clearing price, and neither side where none is left', () => {
    const desk = deskOf('FIX.5.0SP2', 'standard');
    desk.oms(V('m', 1, { types: 'Q A' }));
    desk.noii({ imbalanceDirection: 'SELL' });
    const result = { eventType: 'CROSS', clearingPrice: '50005.0', imbalanceDirection: 'NONE' } as const;
    expect(desk.noii({ ...result, imbalanceQuantity: '0', pairedQuantity: '6' })).toEqual([
      `35=X|57=ADMIN|262=m|268=2|279=1|269=Q|278=BTCUSDC:Q|55=BTCUSDC|270=50005.0|271=6|${time}` +
        `279=1|269=A|278=BTCUSDC:A|55=BTCUSDC|270=50000.0|271=0|${time}`,
    ]);
    // The next auction begins without one.
    expect(desk.told(() => desk.phase({ auctionId: '8', phase: 'ACCUMULATION' }))).toEqual([
      '35=X|57=ADMIN|262=m|268=2|279=2|269=Q|278=BTCUSDC:Q|55=BTCUSDC|270=50005.0|279=2|269=A|278=BTCUSDC:A|55=BTCUSDC|270=50000.0|',
    ]);
  });

  test('D4 without the entries News(B) says it in words', () => {
    const news =
      '35=B|57=ADMIN|148=Auction imbalance of BTCUSDC|33=1|58=Auction 7 of BTCUSDC would clear at 50010.0; paired 4; imbalance BUY 1.5; reference price 50000.0|';
    expect(told('FIX.4.2', 'standard')).toEqual([news]);
    expect(told('FIX.4.4', 'standard')).toEqual([
      `35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=A|270=50000.0|271=1.5|${time}277=P|`,
      news,
    ]);
  });

  test("D4 reports each change of the imbalance's side in SecurityStatus(f): 326=9, 10, 13", () => {
    for (const version of ['FIX.4.2', 'FIX.4.4', 'FIX.5.0SP2'] as const) {
      const desk = deskOf(version, 'standard');
      desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' });
      const first = desk.oms('35=e|324=s|55=BTCUSDC|263=1|');
      expect(first[0]).toContain(version === 'FIX.5.0SP2' ? '|326=27|' : '|326=5|');
      const sides = (['BUY', 'BUY', 'SELL', 'NONE'] as const).map((imbalanceDirection) =>
        desk.noii({ imbalanceDirection }).map((text) => /35=f\|.*325=Y\|.*\|326=(\d+)/.exec(text)?.[1]),
      );
      expect(sides).toEqual([['9'], [], ['10'], ['13']]);
      // A later subscriber gets it beside the phase.
      const later = desk.told(() => desk.oms('35=e|324=t|55=BTCUSDC|263=1|'));
      expect(later.filter((text) => /324=t\|.*326=13\|/.test(text))).toHaveLength(1);
      // The cross takes the imbalance back, once.
      const crossed = desk.phase({ phase: 'CROSS', eventType: 'AUCTION_CROSS_COMPLETED' }).join();
      expect(crossed.match(/35=f\|[^,]*324=[st]\|[^,]*326=17\|/g), version).toHaveLength(2);
      expect(desk.phase({ phase: 'COOLING', eventType: 'AUCTION_CROSS_COMPLETED' }).join()).not.toContain('35=f');
      expect(faults(version, VERSIONS[version].standard(), [...first, ...later, ...desk.published])).toEqual([]);
    }
  });
});

describe('the result of an auction', () => {
  const RESULT = {
    eventType: 'CROSS',
    clearingPrice: '50005.0',
    imbalanceDirection: 'NONE',
    pairedQuantity: '6',
  } as const;

  test.each(COMBINATIONS)(
    'D4 f has the clearing price in 31 and its quantity in 330 and 331, once, in $version $dialect',
    ({ version, dialect }) => {
      const desk = deskOf(version, dialect);
      desk.phase({ auctionId: '7', phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' });
      desk.oms('35=e|324=s|55=BTCUSDC|263=1|');
      const told = desk.noii(RESULT).filter((text) => text.startsWith('35=f'));
      expect(told).toEqual([expect.stringMatching(/\|326=17\|330=6\|331=6\|31=50005\.0\|/)]);
      expect(desk.noii(RESULT)).toEqual([]);
      desk.phase({ auctionId: '7', phase: 'CROSS', eventType: 'AUCTION_CROSS_COMPLETED' });
      const again = desk.told(() => desk.feed({ kind: 'marketDataLost', sessionId: SESSION }));
      expect(again).toEqual(told);
      expect(faults(version, VERSIONS[version][dialect](), [...desk.sent, ...desk.published])).toEqual([]);
    },
  );

  test('D4 f has no price when nothing crossed', () => {
    const desk = deskOf('FIX.4.4', 'standard');
    desk.oms('35=e|324=s|55=BTCUSDC|263=1|');
    const [told] = desk.noii({ ...RESULT, clearingPrice: null, pairedQuantity: '0' });
    expect(told).toMatch(/\|336=7\|625=6\|325=Y\|.*\|330=0\|331=0\|58=Auction 7 of BTCUSDC cleared at no price/);
    expect(told).not.toContain('|31=');
  });

  test('D4 trades of the cross name their auction in market data', () => {
    for (const [version, name] of [
      ['FIX.4.2', '336=7|'],
      ['FIX.4.4', '336=7|625=6|'],
      ['FIX.5.0SP2', '336=1|625=6|'],
    ] as const) {
      const desk = deskOf(version, 'standard');
      desk.oms(V('m', 1, { types: '2' }));
      desk.trades(['t-1'], 'snapshot');
      expect(desk.trades(['t-2'], 'update', false, '7')[0]).toContain(`${name}`);
      expect(desk.trades(['t-3'])[0]).not.toContain('336=');
      expect(faults(version, VERSIONS[version].standard(), desk.published)).toEqual([]);
    }
  });
});

test("D4 repeats the imbalance's side in 326 or News(B) after a gap fill skipped it", () => {
  const desk = deskOf('FIX.4.4', 'standard');
  desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' });
  desk.oms('35=e|324=s|55=BTCUSDC|263=1|');
  desk.oms(V('m', 1, { types: 'Q' }));
  const first = desk.noii();
  expect(first.map((text) => text.slice(0, 4)).sort()).toEqual(['35=B', '35=f']);
  const lost = (): string[] => desk.told(() => desk.feed({ kind: 'marketDataLost', sessionId: SESSION }));
  expect(lost()).toEqual(expect.arrayContaining([...first]));
  expect(desk.noii()).toEqual([]);
});

test('D4 volume and open interest have no entry in FIX.4.2 `standard`, and are refused', () => {
  const desk = deskOf('FIX.4.2', 'standard');
  expect(desk.oms(V('m', 1, { types: 'B' }))).toEqual([expect.stringMatching(/^35=Y\|.*281=8\|/)]);
  expect(deskOf('FIX.4.2', 'venue').oms(V('m', 1, { types: 'B' }))).toEqual([]);
});

test('D4 an empty book is 269=J from FIX.5.0 on, no entry before', () => {
  const empty = (version: Version): string => {
    const desk = deskOf(version, 'standard');
    desk.oms(V('m', 1));
    return desk.book([], [])[0]!;
  };
  expect(empty('FIX.5.0SP2')).toContain('|268=1|269=J|');
  expect(empty('FIX.4.4')).toMatch(/\|268=0\|$/);
  expect(empty('FIX.4.2')).toMatch(/\|268=0\|$/);
});
