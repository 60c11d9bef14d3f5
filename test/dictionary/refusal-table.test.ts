// The page of reject reasons has every kind of refusal, and the numbers that an order really gets.

import { expect, test } from 'vitest';
import { CAUSES } from '../../src/gateway/reports/refusal-numbers.ts';
import * as refusals from '../../src/gateway/vocabulary/refusal.ts';
import { Desk, field, gatewayConfig, LIMIT } from '../gateway/desk.ts';
import { refusalRows } from '../support/documents/refusal-table.ts';

const rows = refusalRows();
/** The numbers of the cause with these words: 103 in 4.2, 4.4, 5.0SP2 and `venue`, and 102 likewise. */
const row = (words: string): readonly string[] => rows.find(({ cause }) => cause.includes(words))!.numbers;

/** A missing field is `other`, the exchange's codes have rows of their own, and one is no refusal but a question. */
const ELSEWHERE = ['exchangeRefusal', 'fieldMissing', 'httpRefusal', 'isRefusal'];

test('every kind of refusal has a row', () => {
  const shown = new Set(CAUSES.map(([make]) => make as unknown));
  const missing = Object.entries(refusals).filter(([, make]) => typeof make === 'function' && !shown.has(make));
  expect(missing.map(([name]) => name).sort()).toEqual(ELSEWHERE);
});

const GTX = `${LIMIT.replace('59=1', '59=5')}21=1|`;
const CASES: readonly (readonly [words: string, act: (desk: Desk) => string[], tag: 103 | 102])[] = [
  [
    '59=5 while no auction runs',
    (desk) => {
      desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
      desk.phase({ eventType: 'AUCTION_CROSS_COMPLETED' });
      return desk.oms(GTX);
    },
    103,
  ],
  ['59=5 on a market without auctions', (desk) => desk.oms(GTX.replace('BTCUSDC', 'ETHUSDC')), 103],
  ['off the grid', (desk) => desk.oms(`${LIMIT.replace('44=100', '44=100.01')}21=1|`), 103],
  ['over a risk limit', (desk) => desk.oms(`${LIMIT.replace('38=2', '38=101')}21=1|`), 103],
  ['Balance of the account too low', (desk) => [...desk.oms(`${LIMIT}21=1|`), ...desk.refused(400, '3001', 'No')], 103],
  ['the order is not known', (desk) => desk.oms('35=F|11=c|41=none|1=ACC1|55=BTCUSDC|54=1|'), 102],
  [
    'another request is open',
    (desk) => {
      desk.oms(`${LIMIT}21=1|`);
      desk.order({});
      desk.oms('35=F|11=c|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
      return desk.oms('35=F|11=c-2|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    },
    102,
  ],
];

test.each(CASES)('%s: sends the values of the page', (words, act, tag) => {
  const sessions = [
    gatewayConfig({ beginString: 'FIX.4.2' }),
    gatewayConfig(),
    gatewayConfig({ beginString: 'FIXT.1.1' }),
    gatewayConfig({ dialect: 'venue' }),
  ];
  const cells = row(words).slice(tag === 103 ? 0 : 4);
  const said = sessions.map((config) => field(act(new Desk(config)).at(-1), tag));
  const expected = cells.slice(0, 4).map((cell) => (cell === 'the code' ? '3001' : cell));
  expect(said).toEqual(expected);
});
