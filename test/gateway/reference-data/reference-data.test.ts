// Reference data and status over FIX on the pure machine, in every version and dialect; what is sent in `standard` passes
// the version's stock dictionary, in `venue` our own.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SWITCHES, loadDictionary, Validator } from '../../../src/dictionary/mod.ts';
import type { AuctionPhase } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { dictionary } from '../../support/generated.ts';
import { Desk, field, gatewayConfig, LIMIT, market, SESSION } from '../desk.ts';
import { type Check, exchangeFix, faultIn, overFixt } from '../message-faults.ts';

type Version = 'FIX.4.2' | 'FIX.4.4' | 'FIXT.1.1';
type Dialect = 'standard' | 'venue';

const stock = (name: string) =>
  loadDictionary(readFileSync(new URL(`../../../node_modules/jspurefix/data/${name}`, import.meta.url), 'utf8'), name);

const VALIDATORS: Readonly<Record<Dialect, Readonly<Record<Version, () => Check>>>> = {
  standard: {
    'FIX.4.2': () => new Validator(stock('FIX42.xml')),
    'FIX.4.4': () => new Validator(stock('FIX44.xml')),
    // With its extension packs it has Currency(15) at two places of an entry; as-published.test.ts checks the order.
    'FIXT.1.1': () =>
      new Validator(
        { transport: dictionary('FIXT11.xml'), applications: [stock('FIX50SP2.xml')] },
        { ...DEFAULT_SWITCHES, validateUnorderedGroupFields: false },
      ),
  },
  venue: {
    'FIX.4.2': () => new Validator(dictionary('FIX42.xml')),
    'FIX.4.4': exchangeFix,
    'FIXT.1.1': () =>
      new Validator({ transport: dictionary('FIXT11.xml'), applications: [dictionary('FIX50SP2.xml')] }),
  },
};
const COMBINATIONS = (['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'] as const).flatMap((version) =>
  (['standard', 'venue'] as const).map((dialect) => ({ version, dialect })),
);

function deskOf(beginString: Version, dialect: Dialect, more: Partial<GatewaySessionConfig> = {}): Desk {
  return new Desk(gatewayConfig({ beginString, dialect, ...more }));
}

/** A version's dictionary's objections to the messages, in words. */
function faults(version: Version, dialect: Dialect, sent: readonly string[]): string[] {
  const validator = VALIDATORS[dialect][version]();
  return sent.flatMap((text, i) => {
    const [msgType, ...rest] = text.split('|');
    const head = `${msgType}|49=XG|56=OMS|34=${i + 1}|52=20260105-12:00:00.000`;
    const view = viewOf(fromPrintable(`${head}|${rest.join('|')}`, version))!;
    const fault = validator.validate(view);
    return fault === null ? [] : [`${fault.text}: ${text}`];
  });
}

const EVERYTHING = [
  '35=c|320=r-1|321=0|55=BTCUSDC|',
  '35=c|320=r-2|321=3|',
  '35=c|320=r-3|321=0|55=NOSUCH|',
  '35=c|320=r-4|321=2|',
  '35=e|324=s-1|55=BTCUSDC|263=1|',
  '35=e|324=s-2|55=NOSUCH|263=0|',
  '35=g|335=t-1|336=1|263=1|',
];

describe.each(COMBINATIONS)('D1 in $version and dialect $dialect', ({ version, dialect }) => {
  test('every answer and every change passes the dictionary', () => {
    const desk = deskOf(version, dialect);
    for (const request of EVERYTHING) expect(desk.oms(request), request).not.toEqual([]);
    if (version !== 'FIX.4.2') {
      expect(desk.oms('35=x|320=r-5|559=4|')).toHaveLength(1);
      expect(desk.oms('35=x|320=r-6|559=0|55=NOSUCH|')).toEqual([expect.stringContaining('|560=2|')]);
      expect(desk.oms('35=g|335=t-2|336=9|263=0|')).toEqual([expect.stringContaining('|340=6|567=1|')]);
    }
    expect(desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' })).toHaveLength(2);
    const gone = desk.answers(() => desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false }));
    expect(gone).toEqual([expect.stringMatching(/^35=h\|.*325=Y\|340=1\|/)]);
    expect(desk.sent.some((text) => text.startsWith('35=j'))).toBe(false);
    expect(faults(version, dialect, desk.sent)).toEqual([]);
  });
});

test.each(
  (['standard', 'venue'] as const).flatMap((dialect) => [
    { dialect, defaultApplVerID: '7' as const, file: 'FIX50.xml', lots: 2 },
    // In d the standard has them in a group of market segments from 5.0 SP1 on.
    { dialect, defaultApplVerID: '8' as const, file: 'FIX50SP1.xml', lots: 0 },
  ]),
)('D1 by $file in $dialect every d, y, f and h passes too, unsolicited ones included', (version) => {
  const { dialect, defaultApplVerID, file, lots } = version;
  const desk = deskOf('FIXT.1.1', dialect, { defaultApplVerID });
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  const [d] = desk.oms(EVERYTHING[0]!);
  const [y] = desk.oms('35=x|320=r-5|559=0|55=BTCUSDC|');
  expect([561, 562].filter((tag) => field(d, tag) !== null)).toHaveLength(lots);
  expect([561, 562].filter((tag) => field(y, tag) !== null)).toHaveLength(2);
  for (const request of EVERYTHING) expect(desk.oms(request), request).not.toEqual([]);
  desk.oms('35=x|320=r-6|559=0|55=NOSUCH|');
  desk.oms('35=g|335=t-2|336=9|263=0|');
  desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' });
  desk.oms('35=g|335=t-1|336=1|263=2|');
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { createOrderEnabled: false }), market('ETHUSDC')] });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.advance(5_000);
  const validator = overFixt(`dictionaries/${file}`);
  const said = desk.sent.map((text) => [text, faultIn(text, 'FIXT.1.1', validator)]);
  expect(said.filter(([, fault]) => fault !== null)).toEqual([]);
  expect(said.some(([text]) => text!.includes('|1368='))).toBe(dialect === 'venue');
});

describe('SecurityList(y)', () => {
  test("describes a market by the exchange's own fields, or by the stock dictionary's and text", () => {
    const list = (dialect: Dialect): string => deskOf('FIX.4.4', dialect).oms('35=x|320=r|559=0|55=BTCUSDC|50=me|')[0]!;
    expect(list('standard')).toBe(
      '35=y|57=me|320=r|322=r-1|560=0|393=1|893=Y|146=1|55=BTCUSDC|167=FOR|15=USDC|561=0.00000001|562=0.00010001|' +
        '58=Price in steps of 0.1; OrderQty above 0.0001 and below 1000, 8 decimals at most; has auctions (59=5)|',
    );
    expect(list('venue')).toContain(
      '|55=BTCUSDC|1647=2|1649=BTC|1652=DIGITAL|1649=USDC|1652=CASH|969=0.1|8000=0.0001|8001=1000|8002=1|8003=8|8005=Y|',
    );
    const noMargin = deskOf('FIX.4.4', 'venue').oms('35=x|320=r|559=0|55=ETHUSDC|')[0]!;
    expect(noMargin).toContain('|8003=8|8005=N|');
  });

  test('names the order limits of a market without tick size or largest quantity', () => {
    const list = (dialect: Dialect): string => {
      const desk = deskOf('FIX.4.4', dialect);
      desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { tickSize: '0', maxQuantityLimit: '0' })] });
      const [refused] = desk.oms(LIMIT.replace('44=100', '44=100.05'));
      expect(field(refused, 58)).toContain('a multiple of 0.1');
      return desk.oms('35=x|320=r|559=0|55=BTCUSDC|')[0]!;
    };
    expect(list('standard')).toContain('|58=Price in steps of 0.1; OrderQty above 0.0001, 8 decimals at most;');
    expect(list('venue')).toContain('|969=0.1|');
  });

  test('comes in fragments, holds the session’s symbols only and calls them by its names', () => {
    const desk = deskOf('FIX.4.4', 'standard');
    const many = Array.from({ length: 250 }, (_, i) => market(`S${i}USD`));
    desk.feed({ kind: 'markets', markets: many });
    const parts = [...desk.oms('35=x|320=r|559=4|'), ...desk.advance(10)];
    expect(parts.map((text) => /893=(.)\|146=(\d+)/.exec(text)?.slice(1).join(' '))).toEqual([
      'N 100',
      'N 100',
      'Y 50',
    ]);
    const own = deskOf('FIX.4.4', 'standard', { symbols: ['ETHUSDC'], symbolAliases: { 'ETH/USDC': 'ETHUSDC' } });
    expect(own.oms('35=x|320=r|559=4|')[0]).toContain('|146=1|55=ETH/USDC|');
    expect(own.oms('35=x|320=r|559=0|55=BTCUSDC|')[0]).toContain('|560=2|');
    expect(own.oms('35=x|320=r|559=2|')[0]).toContain('|560=1|');
  });
});

describe('SecurityStatus(f)', () => {
  test('D4 lockdown is 326=27 in FIX.5.0SP2, 326=5 before it, with the auction in 336 or 625', () => {
    const status = (version: Version): string => {
      const desk = deskOf(version, 'standard');
      desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
      return desk.oms('35=e|324=s|55=BTCUSDC|263=0|')[0]!;
    };
    expect(status('FIXT.1.1')).toContain('|336=1|625=6|326=27|');
    expect(status('FIX.4.4')).toMatch(/\|336=A-1\|625=6\|326=5\|.*58=.*LOCKDOWN: GTX orders may not be cancelled/);
    expect(status('FIX.4.2')).toMatch(/\|336=A-1\|326=5\|60=[^|]*\|$/);
  });

  test('receives every change until it unsubscribes, or the session ends', () => {
    const desk = deskOf('FIX.4.4', 'standard');
    const halted = (createOrderEnabled: boolean): string[] =>
      desk.answers(() => desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { createOrderEnabled })] }));
    expect(desk.oms('35=e|324=s|55=BTCUSDC|263=1|')[0]).toContain('|326=17|');
    expect(halted(false)).toEqual([expect.stringMatching(/324=s\|55=BTCUSDC\|325=Y\|326=2\|/)]);
    expect(halted(false)).toEqual([]);
    expect(desk.oms('35=e|324=s|55=BTCUSDC|263=2|')).toEqual([]);
    expect(halted(true)).toEqual([]);
    desk.oms('35=e|324=s|55=BTCUSDC|263=1|');
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    expect(halted(false)).toEqual([]);
  });

  test('subscriptions of a session are bounded', () => {
    const desk = deskOf('FIX.4.4', 'standard');
    for (let i = 0; i < 1000; i++) expect(desk.oms(`35=e|324=s-${i}|55=BTCUSDC|263=1|`)).toHaveLength(1);
    expect(desk.oms('35=e|324=one more|55=BTCUSDC|263=1|')).toEqual([expect.stringMatching(/^35=j\|.*380=0\|/)]);
    expect(desk.oms('35=e|324=s-7|55=BTCUSDC|263=1|')).toEqual([expect.stringMatching(/^35=f\|/)]);
  });
});

describe('TradingSessionStatus(h)', () => {
  const told = (version: Version, dialect: Dialect, phase: Partial<AuctionPhase> = {}): string => {
    const desk = deskOf(version, dialect);
    desk.oms('35=g|335=t|263=1|');
    return desk.phase({ phase: 'ACCUMULATION', eventType: 'AUCTION_STARTED', ...phase })[0]!;
  };
  const LOCKDOWN = { phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' } as const;

  test('D4 an auction keeps 336=1 and has 625 with 1368=2 where the version has them', () => {
    expect(told('FIXT.1.1', 'standard')).toMatch(
      /^35=h\|57=ADMIN\|335=t\|336=1\|625=6\|325=Y\|340=2\|1368=2\|55=BTCUSDC\|/,
    );
    expect(told('FIX.4.4', 'venue')).toMatch(/\|625=6\|325=Y\|340=2\|1368=2\|55=BTCUSDC\|/);
    expect(told('FIX.4.4', 'standard')).toMatch(
      /\|336=1\|625=6\|325=Y\|340=2\|341=.*\|58=Auction .* of BTCUSDC is in phase ACCUMULATION/,
    );
  });

  test('D4 FIX.4.2 has no 625: the auction is a trading session of its own in 336', () => {
    expect(told('FIX.4.2', 'standard')).toMatch(/\|336=A-1\|325=Y\|340=2\|341=/);
    const over = told('FIX.4.2', 'standard', { phase: 'CROSS', eventType: 'AUCTION_CROSS_COMPLETED' });
    expect(over).toMatch(/\|336=A-1\|325=Y\|340=3\|/);
  });

  test.each(COMBINATIONS)(
    'D4 h has the times of the auction and 340=5 in lockdown in $version $dialect',
    ({ version, dialect }) => {
      const at = (time: string): string => `20260105-${time}.000`;
      expect(told(version, dialect)).toContain(
        `|341=${at('12:00:00')}|342=${at('12:00:00')}|343=${at('12:01:00')}|344=${at('12:01:10')}|345=${at('12:01:10')}|`,
      );
      expect(field(told(version, dialect), 340)).toBe('2');
      expect(field(told(version, dialect, LOCKDOWN), 340)).toBe('5');
    },
  );

  test('D4 a request amid an auction is answered with its phase too', () => {
    const desk = deskOf('FIX.4.4', 'standard');
    desk.phase(LOCKDOWN);
    expect(desk.oms('35=g|335=t|336=1|263=1|').map((text) => field(text, 340))).toEqual(['2', '5']);
    expect(desk.oms('35=g|335=u|336=1|263=0|').map((text) => field(text, 340))).toEqual(['2', '5']);
    desk.phase({ phase: 'CROSS', eventType: 'AUCTION_CROSS_COMPLETED' });
    expect(desk.oms('35=g|335=v|336=1|263=0|')).toHaveLength(1);
  });
});

test('a delisted market takes no orders; its open ones are reported as before', () => {
  const desk = deskOf('FIX.4.4', 'standard');
  desk.oms(LIMIT);
  desk.order({});
  desk.oms('35=e|324=s-1|55=BTCUSDC|263=1|');
  const [told] = desk.answers(() => desk.feed({ kind: 'markets', markets: [market('ETHUSDC')] }));
  expect(told).toMatch(/^35=f\|.*325=Y\|326=18\|/);
  expect(desk.oms('35=x|320=r|559=4|')[0]).toContain('|146=1|55=ETHUSDC|');
  expect(desk.oms('35=x|320=r|559=0|55=BTCUSDC|')[0]).toContain('|560=2|');
  expect(desk.oms(LIMIT.replace('11=o-1', '11=o-2'))[0]).toMatch(
    /\|150=8\|.*58=Symbol\(55\)=BTCUSDC takes no orders now/,
  );
  const [fill] = desk.trade({ baseFee: '0.0005', price: '99.97' });
  // The market's precision and its assets are still known.
  expect(fill).toMatch(/\|6=99\.97\|.*136=1\|137=0\.0005\|138=BTC\|/);
  expect(desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|')[0]).toContain('|150=6|');
  expect(desk.answers(() => desk.feed({ kind: 'markets', markets: [market('BTCUSDC')] }))[0]).toContain('|326=17|');
});

test('D10 a fill of a market that was delisted while the gateway was down has its precision and its fees', () => {
  const desk = deskOf('FIX.4.4', 'standard');
  desk.oms(LIMIT);
  desk.order({});
  desk.restart({ ready: false });
  expect([...desk.gateway.openSymbols()]).toEqual(['BTCUSDC']);
  desk.feed({ kind: 'markets', markets: [market('ETHUSDC')], past: [market('BTCUSDC')] });
  expect(desk.oms('35=x|320=r|559=4|')[0]).toContain('|146=1|55=ETHUSDC|');
  const first = desk.trade({ tradeId: '1', quantity: '0.1', quantityFilled: '0.1', price: '100' } as never);
  const [second] = desk.trade({ tradeId: '2', quantity: '0.2', baseFee: '0.0005', price: '99.97' } as never);
  expect(first).toHaveLength(1);
  expect(second).toMatch(/\|6=99\.98\|.*136=1\|137=0\.0005\|138=BTC\|/);
});

test('O8 names a symbol by its first alias, without reading the list again for each market of c or x', () => {
  let reads = 0;
  const symbolAliases = new Proxy<Record<string, string>>(
    { XBT: 'BTCUSDC', 'BTC/USDC': 'BTCUSDC' },
    {
      ownKeys(names) {
        reads++;
        return Reflect.ownKeys(names);
      },
    },
  );
  const desk = deskOf('FIX.4.4', 'standard', { symbolAliases });
  desk.feed({ kind: 'markets', markets: ['BTCUSDC', 'ETHUSDC', 'LTCUSDC'].map((symbol) => market(symbol)) });
  const before = reads;
  const answers = desk.oms('35=c|320=r-1|321=3|');
  expect(answers.map((d) => field(d, 55))).toEqual(['XBT', 'ETHUSDC', 'LTCUSDC']);
  expect(field(desk.oms('35=x|320=r-2|559=4|')[0], 55)).toBe('XBT');
  expect(reads).toBe(before);
});

describe('a long answer to x or c', () => {
  const numbers = (sent: readonly string[]): string[] => sent.map((text) => field(text, 322) ?? text.slice(0, 4));
  const ofMany = (count: number): Desk => {
    const desk = deskOf('FIX.4.4', 'standard');
    const many = Array.from({ length: count }, (_, i) => market(`S${i}USD`));
    desk.feed({ kind: 'markets', markets: [market('BTCUSDC'), ...many] });
    return desk;
  };
  const upTo = (reqID: string, from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, i) => `${reqID}-${from + i}`);

  test('leaves others their turn between each hundred markets, and comes to its end', () => {
    const desk = ofMany(249);
    expect(numbers(desk.oms('35=c|320=r|321=3|'))).toEqual(upTo('r', 1, 100));
    expect(desk.oms(LIMIT)).toEqual([]);
    expect(desk.last().command).toMatchObject({ kind: 'createOrder' });
    expect(numbers(desk.oms('35=c|320=one|321=0|55=S7USD|'))).toEqual(['one-1']);
    const rest = desk.advance(10);
    expect(numbers(rest)).toEqual(upTo('r', 101, 250));
    expect(new Set(rest.map((text) => field(text, 55))).size).toBe(150);
    expect(desk.advance(900)).toEqual([]);
  });

  test('never mixes with another one: the rest of it precedes that at once', () => {
    const desk = ofMany(249);
    desk.oms('35=c|320=r|321=3|');
    expect(numbers(desk.oms('35=x|320=l|559=4|'))).toEqual([...upTo('r', 101, 250), 'l-1']);
    expect(numbers(desk.advance(10))).toEqual(['l-2', 'l-3']);
    expect(desk.advance(900)).toEqual([]);
  });
});
