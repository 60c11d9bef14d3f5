// A replacement by cancel and new order (rule O6) with an impossible new order, known before any cancel: the G is
// refused, and the old order works on.

import { expect, test } from 'vitest';
import { Desk, field, gatewayConfig, LIMIT, market } from '../../desk.ts';
import { cancelled, partlyFilled, REPLACE } from '../../swap-desk.ts';

/** The words of a 9 for g-1 after which nothing was sent and the order works on. */
function refusedAlone(desk: Desk, request: string): string | null {
  const sent = desk.submitted.length;
  const answers = desk.oms(request);
  expect(answers.map((text) => [35, 434, 102, 11, 41, 39].map((tag) => field(text, tag)))).toEqual([
    ['9', '2', '99', 'g-1', 'o-1', '1'],
  ]);
  expect(desk.submitted).toHaveLength(sent);
  return field(answers[0], 58);
}

test('O5 O6 refuses a G without a free reference and keeps the old order; a reserved one serves', () => {
  const desk = partlyFilled({}, { referenceRange: { first: '1', last: '1' } });
  expect(refusedAlone(desk, REPLACE)).toContain('No exchange reference is left');
  expect(desk.alarmNames()).toEqual(['references-used-up']);
  for (const restarts of [false, true]) {
    const served = partlyFilled({}, { referenceRange: { first: '1', last: '2' } });
    served.oms(REPLACE);
    const { commandId } = served.last();
    // The last one is the replacement's: no other order gets it.
    const [rejected] = served.oms('35=D|11=o-2|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|');
    expect([field(rejected, 150), field(rejected, 58)]).toEqual([
      '8',
      expect.stringContaining('No exchange reference'),
    ]);
    served.accepted(commandId);
    if (restarts) served.restart();
    served.order(cancelled('0.5'));
    expect(served.last().command).toMatchObject({ kind: 'createOrder', clientOrderId: '2', quantity: '4.5' });
  }
});

test.each([
  ['the price', { tickSize: '3' }, REPLACE.replace('44=101|', ''), 'Price(44)=100 of the new order', 'a multiple of 3'],
  ['the price, repeated', { tickSize: '3' }, REPLACE.replace('44=101', '44=100'), 'Price(44)=100', 'a multiple of 3'],
  ['the rest', { quantityPrecision: 0 }, REPLACE, 'the rest, 4.5, is too fine', 'a multiple of 1'],
  [
    'the rest, 38 omitted',
    { maxQuantityLimit: '1.5' },
    REPLACE.replace('38=5|', ''),
    'the rest, 1.5,',
    'less than 1.5',
  ],
])('O6 refuses a G if the market no longer allows %s of the new order, before any cancel', (...which) => {
  const [, changes, request, ...words] = which;
  const desk = partlyFilled();
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC', changes)] });
  const text = refusedAlone(desk, request);
  for (const word of words) expect(text).toContain(word);
});

test('O6 keeps a stop order with a StopPx(99) or Price(44) no longer allowed if its G names the other', () => {
  for (const [omits, stated] of [
    ['99=99', 'StopPx(99)=99 of the new order is not on the grid of BTCUSDC: a multiple of 2'],
    ['44=101', 'Price(44)=101 of the new order is not on the grid of BTCUSDC: a multiple of 2'],
  ] as const) {
    const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
    desk.oms(LIMIT.replace('40=2|44=100', '40=4|44=101|99=99'));
    desk.accepted(undefined, '9001');
    desk.order({ type: 'STOP_LIMIT', stopPrice: '99', price: '101' });
    desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { tickSize: '2' })] });
    const request = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=2|44=102|99=98|';
    const [reject] = desk.oms(request.replace(omits === '99=99' ? '99=98|' : '44=102|', ''));
    expect([35, 434, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '0']);
    expect(field(reject, 58)).toContain(stated);
    expect(desk.submitted).toHaveLength(1);
  }
});

test('D13 refuses a G of StopPx(99) with the reason: no stop order, or already triggered', () => {
  for (const [ordType, more, why] of [
    ['2', '', 'OrdType(40)=2 has none, and the order keeps its type'],
    ['4', '99=99|', 'the stop was triggered, and works as a limit order'],
  ] as const) {
    const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
    desk.oms(`${LIMIT.replace('40=2', `40=${ordType}`)}${more}`);
    desk.accepted(undefined, '9001');
    desk.order({});
    const [reject] = desk.oms(`35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=${ordType}|38=2|44=100|99=98|`);
    expect([35, 434, 102, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '99', '0']);
    expect(field(reject, 58)).toBe(`StopPx(99)=98 cannot be replaced: ${why}`);
  }
});
