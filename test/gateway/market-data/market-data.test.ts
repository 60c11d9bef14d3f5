// Market data over FIX on the pure machine (V, W, X, Y; rule D4): receivers by requests, feeds that go and come,
// refusals, and a busy output. How it is written in each version is market-data-versions.test.ts's.

import { describe, expect, test } from 'vitest';
import { seedOfTest } from '../../support/random/seeded-property.ts';
import { market, SESSION } from '../desk.ts';
import { MarketDesk, V } from '../market-desk.ts';

describe('MarketDataRequest(V)', () => {
  test('263=1 265=0 gets the whole book in W, again on every change, cut to the levels asked for', () => {
    const desk = new MarketDesk();
    expect(desk.oms(V('m', 1, { depth: 2, update: '0' }))).toEqual([]);
    expect(desk.follows).toEqual(['follow l2Orderbook BTCUSDC']);
    expect(
      desk.book(
        [
          ['49999.0', '1'],
          ['49998.0', '2'],
          ['49997.0', '3'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=3|269=0|270=49999.0|271=1|290=1|269=0|270=49998.0|271=2|290=2|' +
        '269=1|270=50001.0|271=4|290=1|',
    ]);
    // The second level was the deepest requested.
    expect(
      desk.book(
        [
          ['49999.0', '1'],
          ['49998.0', '2'],
          ['49997.0', '9'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([]);
    expect(
      desk.book(
        [
          ['49999.0', '5'],
          ['49998.0', '2'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([expect.stringMatching(/^35=W\|.*\|268=3\|269=0\|270=49999.0\|271=5\|/)]);
  });

  test('263=1 265=1 gets W once, then X with changes, deletions first', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1));
    expect(
      desk.book(
        [
          ['49999.0', '1'],
          ['49998.0', '2'],
        ],
        [['50001.0', '4']],
      )[0],
    ).toMatch(/^35=W\|/);
    expect(
      desk.book(
        [
          ['49999.5', '7'],
          ['49999.0', '3'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([
      '35=X|57=ADMIN|262=m|268=3|279=2|269=0|278=BTCUSDC:0:49998.0|55=BTCUSDC|270=49998.0|' +
        '279=0|269=0|278=BTCUSDC:0:49999.5|55=BTCUSDC|270=49999.5|271=7|290=1|' +
        '279=1|269=0|278=BTCUSDC:0:49999.0|55=BTCUSDC|270=49999.0|271=3|290=2|',
    ]);
    expect(
      desk.book(
        [
          ['49999.5', '7'],
          ['49999.0', '3'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([]);
  });

  test('264=1 follows the best prices alone; 263=0 is answered once and forgotten', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 0, { depth: 1, types: '0' }));
    expect(desk.follows).toEqual(['follow l1Orderbook BTCUSDC']);
    expect(desk.book([['49999.0', '1']], [['50001.0', '4']], 'l1')).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=0|270=49999.0|271=1|290=1|',
    ]);
    expect(desk.follows.at(-1)).toBe('unfollow l1Orderbook BTCUSDC');
    expect(desk.book([['49999.0', '2']], [], 'l1')).toEqual([]);
    // The same MDReqID may be used again.
    expect(desk.oms(V('m', 0, { depth: 1 }))).toEqual([]);
  });

  test('several symbols and several subscribers: each symbol has its own W, each feed is followed once', () => {
    const desk = new MarketDesk();
    desk.oms(V('a', 1, { symbols: 'BTCUSDC ETHUSDC' }));
    desk.book([['49999.0', '1']], []);
    expect(desk.book([['3000.0', '1']], [], 'l2', 'ETHUSDC')[0]).toContain('262=a|55=ETHUSDC|');
    // Heard already: answered at once.
    expect(desk.told(() => desk.oms(V('b', 1)))).toEqual([expect.stringMatching(/262=b\|55=BTCUSDC\|268=1\|/)]);
    expect(desk.follows).toEqual(['follow l2Orderbook BTCUSDC', 'follow l2Orderbook ETHUSDC']);
    desk.oms(V('a', 2));
    expect(desk.follows.slice(2)).toEqual(['unfollow l2Orderbook ETHUSDC']);
    expect(desk.book([['49999.0', '2']], [])).toHaveLength(1);
  });

  test('subscribers of one book get the same body under their own ids, each since its own last message', () => {
    const desk = new MarketDesk();
    desk.oms(V('a', 1));
    desk.book([['49999.0', '1']], [['50001.0', '4']]);
    desk.oms(V('b', 1, { update: '0' }));
    desk.oms(V('c', 1));
    const sent = desk.book([['49999.0', '2']], [['50001.0', '4']]);
    const change = '268=1|279=1|269=0|278=BTCUSDC:0:49999.0|55=BTCUSDC|270=49999.0|271=2|290=1|';
    const whole = '55=BTCUSDC|268=2|269=0|270=49999.0|271=2|290=1|269=1|270=50001.0|271=4|290=1|';
    expect(sent).toEqual([
      `35=X|57=ADMIN|262=a|${change}`,
      `35=W|57=ADMIN|262=b|${whole}`,
      `35=X|57=ADMIN|262=c|${change}`,
    ]);
  });

  test('symbols go by the session’s names', () => {
    const desk = new MarketDesk({ symbolAliases: { 'BTC/USDC': 'BTCUSDC' } });
    desk.oms(V('m', 1, { symbols: 'BTC/USDC' }));
    expect(desk.book([['1.0', '1']], [])[0]).toContain('|55=BTC/USDC|');
  });

  test('trades come one by one, each once; of the past before the subscription the last one', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '0 2' }));
    desk.trades(['1', '2'], 'snapshot');
    expect(desk.book([['49999.0', '1']], [])[0]).toMatch(
      /268=2\|269=0\|270=49999.0\|271=1\|290=1\|269=2\|270=50000.0\|271=0.5\|272=20260105\|273=12:00:00.000\|$/,
    );
    expect(desk.trades(['3', '4'])).toEqual([
      expect.stringMatching(/^35=X\|.*268=2\|279=0\|269=2\|278=BTCUSDC:2:3\|.*279=0\|269=2\|278=BTCUSDC:2:4\|/),
    ]);
    expect(desk.trades(['9'], 'snapshot', true)[0]).toContain('58=Trades before this one may be missing|');
    expect(desk.trades(['10', '11'])[0]).not.toContain('58=');
  });

  test('of two hundred thousand trades said at once the latest 500 come, and that others may be missing', () => {
    const desk = new MarketDesk();
    desk.oms(`35=V|262=t|263=1|264=1|265=1|267=1|269=2|146=1|55=BTCUSDC|`);
    desk.trades(['0']);
    const told = desk.trades(Array.from({ length: 200_000 }, (_, n) => `${n + 1}`));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/\|268=500\|.*58=Trades before this one may be missing\|/);
  });

  test('statistics come from the tick, the index price from the base asset, in USD', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '3 4 5 6 7 8 9 B C' }));
    expect(desk.follows).toEqual(['follow indexPrice BTC', 'follow tick BTCUSDC']);
    expect(desk.tick()).toEqual([]);
    const indexPrice = { assetSymbol: 'BTC', price: '50000', updatedAt: null };
    expect(desk.market({ kind: 'indexPrice', indexPrice })).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=8|269=3|270=50000|15=USD|269=4|270=4|269=5|270=5|269=7|270=7|' +
        '269=8|270=3|269=9|270=4.5|269=B|271=100|269=C|271=12|',
    ]);
    expect(desk.tick('BTCUSDC', { high: '8' })).toEqual([
      '35=X|57=ADMIN|262=m|268=1|279=1|269=7|278=BTCUSDC:7|55=BTCUSDC|270=8|',
    ]);
  });

  test('each statistic (269=4, 5, 7, 8, 9, B) is answered by the tick alone, for 263=0 and 263=1, per symbol', () => {
    for (const type of ['4', '5', '7', '8', '9', 'B']) {
      for (const subscribes of [0, 1] as const) {
        const desk = new MarketDesk();
        expect(desk.oms(V('m', subscribes, { types: type, symbols: 'BTCUSDC ETHUSDC' }))).toEqual([]);
        expect(desk.tick('BTCUSDC')).toEqual([
          expect.stringMatching(new RegExp(`^35=W.*55=BTCUSDC.268=1.269=${type}.27[01]=`)),
        ]);
        // The market without a tick waits its own two seconds, and says so then.
        expect(desk.told(() => desk.advance(2_000))).toEqual([
          `35=W|57=ADMIN|262=m|55=ETHUSDC|268=1|269=${type}|276=B|58=The exchange has said nothing yet|`,
        ]);
      }
    }
  });

  test('263=0 for a statistic and the last trade is one W with both, whichever feed is first', () => {
    const both = /^35=W\|.*\|268=2\|269=4\|270=4\|269=2\|270=50000.0\|271=0.5\|/;
    const tickFirst = new MarketDesk();
    tickFirst.oms(V('m', 0, { types: '4 2' }));
    expect(tickFirst.tick()).toEqual([]);
    expect(tickFirst.trades(['1', '2'], 'snapshot')).toEqual([expect.stringMatching(both)]);
    const tradesFirst = new MarketDesk();
    tradesFirst.oms(V('m', 0, { types: '4 2' }));
    expect(tradesFirst.trades(['1', '2'], 'snapshot')).toEqual([]);
    expect(tradesFirst.tick()).toEqual([expect.stringMatching(both)]);
  });

  test('263=0 for a statistic and the last trade of a market without trades has the statistic alone, at once', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 0, { types: '4 2' }));
    expect(desk.tick()).toEqual([]);
    expect(desk.trades([], 'snapshot')).toEqual(['35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=4|270=4|']);
    expect(desk.follows.slice(2).sort()).toEqual(['unfollow anonymousTrades BTCUSDC', 'unfollow tick BTCUSDC']);
  });

  test('263=1 for a statistic and trades begins with the tick, the last trade follows in X', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '4 2' }));
    expect(desk.tick()).toEqual(['35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=4|270=4|']);
    expect(desk.trades([], 'snapshot')).toEqual([]);
    expect(desk.trades(['1'])).toEqual([expect.stringMatching(/^35=X\|.*\|268=1\|279=0\|269=2\|278=BTCUSDC:2:1\|/)]);
  });

  test('sends a delayed answer in two seconds, and marks void parts', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 0, { types: '0 2' }));
    const late = desk.told(() => desk.advance(2_000));
    expect(late).toEqual(['35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=0|276=B|58=The exchange has said nothing yet|']);
    expect(desk.follows).toContain('unfollow l2Orderbook BTCUSDC');
    expect(desk.gateway.deadline()).toBeNull();
  });

  test('the end of the session ends its subscriptions, and the ids are free', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '0 1 2' }));
    desk.oms(V('n', 0));
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(desk.follows.slice(2)).toEqual(['unfollow anonymousTrades BTCUSDC', 'unfollow l2Orderbook BTCUSDC']);
    expect(desk.book([['1.0', '1']], [])).toEqual([]);
    expect(desk.oms(V('m', 1))).toEqual([]);
  });
});

describe('MarketDataRequestReject(Y)', () => {
  const rejected = (desk: MarketDesk, request: string): string => {
    const answers = desk.told(() => desk.oms(request));
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^35=Y\|57=ADMIN\|262=m\|/);
    return /281=(.)/.exec(answers[0]!)?.[1] ?? 'none';
  };

  test('market data that is not agreed is refused with 281=3', () => {
    const desk = new MarketDesk({ marketData: undefined as never });
    expect(rejected(desk, V('m', 1))).toBe('3');
  });

  test('refuses unsupported data by its own reason, and follows nothing for it', () => {
    const desk = new MarketDesk({ symbols: ['BTCUSDC'] });
    expect(rejected(desk, V('m', 1, { symbols: 'NOSUCH' }))).toBe('0');
    expect(rejected(desk, V('m', 1, { symbols: 'ETHUSDC' }))).toBe('0');
    expect(rejected(desk, V('m', 1, { depth: -1 }))).toBe('5');
    expect(rejected(desk, V('m', 1, { update: '' }))).toBe('6');
    expect(rejected(desk, V('m', 1, { more: '266=N|' }))).toBe('7');
    expect(rejected(desk, V('m', 1, { types: '0 H' }))).toBe('8');
    expect(rejected(desk, V('m', 1, { more: '386=1|336=2|' }))).toBe('9');
    expect(rejected(desk, V('m', 1, { more: '546=3|' }))).toBe('A');
    expect(rejected(desk, V('m', 1, { more: '286=0|' }))).toBe('B');
    expect(rejected(desk, V('m', 1, { more: '547=Y|' }))).toBe('C');
    expect(rejected(desk, V('m', 1).replace('263=1', '263=9'))).toBe('4');
    expect(desk.follows).toEqual([]);
  });

  test('refuses an MDReqID in use (281=1) without ending its subscription, and an unknown 263=2', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1));
    expect(rejected(desk, V('m', 1))).toBe('1');
    expect(rejected(desk, V('m', 0))).toBe('1');
    expect(desk.book([['1.0', '1']], [])).toHaveLength(1);
    desk.oms(V('m', 2));
    expect(rejected(desk, V('m', 2))).toBe('none');
  });

  test('symbols per request and per session are bounded (281=2)', () => {
    const desk = new MarketDesk({ marketData: { symbolsPerRequestMax: 1, subscriptionsMax: 2 } });
    expect(rejected(desk, V('m', 1, { symbols: 'BTCUSDC ETHUSDC' }))).toBe('2');
    desk.oms(V('a', 1));
    desk.oms(V('b', 1));
    expect(rejected(desk, V('m', 1))).toBe('2');
    // The present state alone takes no place.
    desk.book([['1.0', '1']], []);
    expect(desk.told(() => desk.oms(V('m', 0)))).toEqual([expect.stringMatching(/^35=W\|/)]);
    desk.oms(V('a', 2));
    expect(desk.told(() => desk.oms(V('m', 1)))).toEqual([expect.stringMatching(/^35=W\|/)]);
  });

  test('a subject that the exchange refuses ends the subscription with its words', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { symbols: 'BTCUSDC ETHUSDC' }));
    const refused = {
      kind: 'marketRefused',
      topic: 'l2Orderbook',
      subject: 'BTCUSDC',
      reason: 'not a market',
    } as const;
    expect(desk.market(refused)).toEqual([
      '35=Y|57=ADMIN|262=m|281=0|58=The exchange does not say l2Orderbook of BTCUSDC: not a market|',
    ]);
    expect(desk.follows.slice(2)).toEqual(['unfollow l2Orderbook ETHUSDC']);
    expect(desk.oms(V('m', 1))).toEqual([]);
  });
});

test('D4 reports a delisted market as void, and ends a subscription without another', () => {
  const desk = new MarketDesk();
  desk.oms(V('m', 1, { symbols: 'BTCUSDC ETHUSDC', types: '0 2' }));
  desk.oms(V('n', 1));
  desk.book([['1.0', '1']], []);
  desk.book([['1.0', '1']], [], 'l2', 'ETHUSDC');
  const all = [market('BTCUSDC'), market('ETHUSDC')];
  expect(desk.told(() => desk.feed({ kind: 'markets', markets: all }))).toEqual([]);
  const why = 'The exchange lists Symbol(55)=BTCUSDC no more';
  expect(desk.told(() => desk.feed({ kind: 'markets', markets: all.slice(1) }))).toEqual([
    `35=W|57=ADMIN|262=m|55=BTCUSDC|268=2|269=0|276=B|58=${why}|269=2|276=B|58=${why}|`,
    `35=Y|57=ADMIN|262=n|281=0|58=${why}|`,
  ]);
  expect(desk.follows.slice(-2)).toEqual(['unfollow anonymousTrades BTCUSDC', 'unfollow l2Orderbook BTCUSDC']);
  expect(desk.book([['2.0', '1']], [])).toEqual([]);
  expect(desk.book([['2.0', '1']], [], 'l2', 'ETHUSDC')).toEqual([expect.stringMatching(/^35=X\|57=ADMIN\|262=m\|/)]);
  expect(desk.oms(V('o', 1))[0]).toMatch(/^35=Y\|57=ADMIN\|262=o\|281=0\|/);
});

test('D4 settings that remove market data from a running session end it with the next message', () => {
  const desk = new MarketDesk();
  desk.oms(V('m', 1));
  desk.oms(V('n', 1, { symbols: 'ETHUSDC' }));
  desk.book([['1.0', '1']], []);
  const [session] = desk.config.sessions;
  desk.gateway.applyConfig({ ...session!, symbols: ['BTCUSDC'] });
  expect(desk.book([['2.0', '1']], [])).toEqual([
    expect.stringMatching(/^35=Y\|57=ADMIN\|262=n\|281=3\|58=The settings of the session changed/),
    expect.stringMatching(/^35=X\|57=ADMIN\|262=m\|/),
  ]);
  expect(desk.follows.at(-1)).toBe('unfollow l2Orderbook ETHUSDC');
});

describe('a feed that is down', () => {
  test('D4 is reported once with 276=B, and then the whole book precedes any increment', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1));
    desk.book([['49999.0', '1']], [['50001.0', '4']]);
    const text = '276=B|58=The feed of the exchange is down|';
    const topics = ['l1Orderbook', 'l2Orderbook'] as const;
    expect(desk.live(false, topics)).toEqual([`35=W|57=ADMIN|262=m|55=BTCUSDC|268=2|269=0|${text}269=1|${text}`]);
    expect(desk.live(false, topics)).toEqual([]);
    // A new subscriber gets it at once.
    expect(desk.told(() => desk.oms(V('n', 1, { types: '0' })))[0]).toContain(`262=n|55=BTCUSDC|268=1|269=0|${text}`);
    expect(desk.live(true, topics)).toEqual([]);
    expect(desk.book([['49990.0', '1']], [])).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=0|270=49990.0|271=1|290=1|',
      '35=W|57=ADMIN|262=n|55=BTCUSDC|268=1|269=0|270=49990.0|271=1|290=1|',
    ]);
    expect(desk.book([['49990.0', '2']], [])[0]).toMatch(/^35=X\|.*\|279=1\|/);
  });

  test('D4 reports its return or loss within two seconds, though another feed is silent', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '0 9' }));
    desk.book([['49999.0', '1']], []);
    desk.advance(2_000);
    const silent = '269=9|276=B|58=The exchange has said nothing yet|';
    const down = '269=0|276=B|58=The feed of the exchange is down|';
    const within = (act: () => unknown): string[] => desk.told(() => [act(), desk.advance(2_000)]);
    const topics = ['l1Orderbook', 'l2Orderbook'] as const;
    expect(within(() => desk.live(false, topics))).toEqual([`35=W|57=ADMIN|262=m|55=BTCUSDC|268=2|${down}${silent}`]);
    const back = '269=0|270=49990.0|271=1|290=1|';
    expect(within(() => [desk.live(true, topics), desk.book([['49990.0', '1']], [])])).toEqual([
      `35=W|57=ADMIN|262=m|55=BTCUSDC|268=2|${back}${silent}`,
    ]);
    // And where the counterparty lost messages that are not kept.
    const lost = { kind: 'marketDataLost', sessionId: SESSION } as const;
    expect(within(() => desk.feed(lost))).toEqual([`35=W|57=ADMIN|262=m|55=BTCUSDC|268=2|${back}${silent}`]);
    expect(desk.book([['49980.0', '1']], [])[0]).toMatch(/^35=X\|/);
  });

  test('closed without listeners means nothing for the next one', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1));
    desk.oms(V('m', 2));
    desk.live(false, ['l1Orderbook', 'l2Orderbook']);
    expect(desk.told(() => desk.oms(V('m', 1)))).toEqual([]);
    expect(desk.book([['1.0', '1']], [])[0]).toContain('|270=1.0|');
  });
});

/** As many markets as one request may name. */
const MANY = Array.from({ length: 1_000 }, (_, i) => `S${i}USD`);

describe('a way out that is busy', () => {
  test('D4 keeps the latest of each symbol only, says it when there is room, and increments add up', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { symbols: 'BTCUSDC ETHUSDC', types: '0 2' }));
    desk.isBusy = true;
    expect(desk.book([['1.0', '1']], [])).toHaveLength(1);
    for (let i = 2; i <= 1_000; i++) {
      expect(desk.book([[`${i}.0`, '1']], [])).toEqual([]);
      if (i <= 600) expect(desk.trades([`${i}`])).toEqual([]);
    }
    expect(desk.book([['3000.0', '1']], [], 'l2', 'ETHUSDC')).toEqual([]);
    const [x, w, ...more] = desk.told(() => desk.room());
    expect(more).toEqual([]);
    // Of 599 trades the last 500 were kept, and that some are missing is said.
    expect(x).toMatch(
      /^35=X\|57=ADMIN\|262=m\|268=502\|279=2\|269=0\|278=BTCUSDC:0:1.0\|55=BTCUSDC\|270=1.0\|279=0\|269=0\|278=BTCUSDC:0:1000.0\|/,
    );
    expect(x).toContain('|278=BTCUSDC:2:101|55=BTCUSDC|270=50000.0|271=0.5|272=20260105|273=12:00:00.000|58=Trades');
    expect(w).toMatch(/^35=W\|.*55=ETHUSDC\|/);
    expect(desk.told(() => desk.room())).toEqual([]);
  });

  test('sends data skipped by the counterparty anew, whole', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1));
    desk.book([['1.0', '1']], []);
    const again = desk.told(() => desk.feed({ kind: 'marketDataLost', sessionId: SESSION }));
    expect(again).toEqual([expect.stringMatching(/^35=W\|.*\|270=1.0\|/)]);
  });

  test('does not repeat skipped trades: the next message says that some may be missing', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '0 2' }));
    desk.book([['1.0', '1']], []);
    expect(desk.trades(['1'])[0]).not.toContain('58=');
    desk.feed({ kind: 'marketDataLost', sessionId: SESSION });
    expect(desk.trades(['2'])[0]).toContain('58=Trades before this one may be missing|');
    expect(desk.trades(['3'])[0]).not.toContain('58=');
  });

  test('keeps a bounded number of present-state requests; the oldest is answered with the known part', () => {
    const desk = new MarketDesk();
    for (let i = 0; i < 200; i++) expect(desk.told(() => desk.oms(V(`m-${i}`, 0)))).toEqual([]);
    expect(desk.told(() => desk.oms(V('one more', 0)))).toEqual([expect.stringMatching(/262=m-0\|.*276=B\|/)]);
  });
});

test('D4 keeps a bounded number of requests of a stalled reader and refuses the rest (281=2)', () => {
  const desk = new MarketDesk({ marketData: { symbolsPerRequestMax: 1_000, subscriptionsMax: 5 } });
  desk.feed({ kind: 'markets', markets: MANY.map((symbol) => market(symbol)) });
  for (const symbol of MANY) desk.book([['1.0', '1']], [], 'l2', symbol);
  desk.isBusy = true;
  desk.oms(V('first', 0, { symbols: MANY[0]! }));
  desk.book([['1.0', '1']], [], 'l2', MANY[0]!);
  const answers = Array.from({ length: 30 }, (_, i) => desk.oms(V(`m-${i}`, 0, { symbols: MANY.join(' ') })));
  const isRefused = answers.map(([answer]) => answer !== undefined);
  expect(isRefused).toEqual(isRefused.map((_, i) => i >= 2));
  expect(answers.at(-1)).toEqual([
    expect.stringMatching(/^35=Y\|57=ADMIN\|262=m-29\|281=2\|58=.*wait for their answers/),
  ]);
  // Those that are kept are answered, and the id of one that was refused is free.
  desk.isBusy = false;
  const told = desk.told(() => {
    desk.room();
    desk.advance(2_000);
  });
  expect(told.filter((text) => text.startsWith('35=W|'))).toHaveLength(2_000);
  expect(desk.oms(V('m-29', 0, { symbols: MANY.join(' ') }))).toEqual([]);
});

/** A subscriber that keeps a book from W and X alone: side and price → quantity. */
class Subscriber {
  readonly levels = new Map<string, string>();

  take(text: string): void {
    const isWhole = text.startsWith('35=W|');
    if (isWhole) this.levels.clear();
    for (const entry of text.split(isWhole ? '|269=' : '|279=').slice(1)) {
      const value = (tag: number): string => new RegExp(`(?:^|\\|)${tag}=([^|]*)`).exec(`269=${entry}`)?.[1] ?? '';
      const [action, side] = isWhole ? ['0', entry[0]!] : [entry[0]!, /\|269=(.)/.exec(entry)![1]!];
      const name = `${side} ${value(270)}`;
      // 0 is new, 1 and 2 concern what is there.
      expect(this.levels.has(name), `${text}: ${name}`).toBe(action !== '0');
      if (action === '2') this.levels.delete(name);
      else this.levels.set(name, value(271));
    }
  }
}

test('D4 whatever the books and however slow the reader, W and X add up to the book cut to its depth', () => {
  const seed = seedOfTest();
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (const depth of [0, 3]) {
    const desk = new MarketDesk();
    const subscriber = new Subscriber();
    desk.oms(V('m', 1, { depth }));
    const side = (base: number, step: number): [string, string][] =>
      Array.from({ length: 8 }, (_, i): [string, string] => [`${base + i * step}.0`, `${1 + random(2)}`]).filter(
        () => random(4) > 0,
      );
    let [bids, asks]: [string, string][][] = [[], []];
    for (let round = 0; round < 300; round++) {
      desk.isBusy = random(3) > 0;
      [bids, asks] = [side(100, -1), side(101, 1)];
      const said = [...desk.book(bids, asks), ...(random(2) > 0 ? desk.told(() => desk.room()) : [])];
      for (const text of said) subscriber.take(text);
    }
    for (const text of desk.told(() => desk.room())) subscriber.take(text);
    const kept = (levels: [string, string][]) => (depth === 0 ? levels : levels.slice(0, depth));
    const present = [
      ...kept(bids!).map(([px, size]) => [`0 ${px}`, size]),
      ...kept(asks!).map(([px, size]) => [`1 ${px}`, size]),
    ];
    expect(Object.fromEntries(subscriber.levels), `seed ${seed}, depth ${depth}`).toEqual(Object.fromEntries(present));
  }
});
