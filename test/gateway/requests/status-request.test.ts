// OrderStatusRequest(H) that says of the order which it names what is not so: it may mean another one, and never gets a status.

import { expect, test } from 'vitest';
import { Desk, field, gatewayConfig, LIMIT, summary } from '../desk.ts';

function working(config = gatewayConfig()): Desk {
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.order({});
  desk.oms(LIMIT.replace('o-1', 'o-2').replace('54=1', '54=2'));
  desk.order({ orderId: '9002', clientOrderId: '2', side: 'SELL' });
  return desk;
}

test.each([
  [
    'OrderID of another order',
    '11=o-1|37=9002|55=BTCUSDC|54=1',
    'OrderID(37)=9002 is not that of ClOrdID(11)=o-1, which is 9001',
  ],
  ['OrderID of no order', '11=o-1|37=77|55=BTCUSDC|54=1', 'OrderID(37)=77'],
  ['another side', '11=o-1|55=BTCUSDC|54=2', "Side(54)=2 is not the order's side 1 (ClOrdID(11)=o-1)"],
  ['another symbol', '11=o-1|55=ETHUSDC|54=1', 'Symbol(55)=ETHUSDC'],
  ['another account', '11=o-1|55=BTCUSDC|54=1|1=ACC2', 'Account(1)=ACC2'],
  ['another symbol by OrderID', '11=any|37=9002|55=ETHUSDC|54=2', 'Symbol(55)=ETHUSDC'],
])('D15 an H with %s is answered as one about an unknown order: 39=8, 103=5, no state of any order', (_, said, why) => {
  const desk = working();
  const [status] = desk.oms(`35=H|${said}|790=s-1|`);
  const shown = [150, 39, 103, 14, 151, 17, 790].map((tag) => field(status, tag));
  expect(shown).toEqual(['I', '8', '5', '0', '0', '0', 's-1']);
  expect(field(status, 11)).toBe(/11=([^|]+)/.exec(said)![1]);
  expect(field(status, 58)).toContain(`Unknown order: ${why}`);
  expect(desk.gateway.findOrder('FIX.4.4:XG->OMS', 'o-1')).toMatchObject({ ordStatus: '0' });
});

test.each([
  '11=o-1|37=9001|55=BTCUSDC|54=1|1=ACC1',
  '11=o-1|37=NONE|55=BTCUSDC|54=1',
  '11=o-1|55=[N/A]|48=BTCUSDC|54=7',
  '11=any|37=9001|55=BTCUSDC|54=1',
])('D15 answers a true H with the state of the order: %s', (said) => {
  expect(summary(working().oms(`35=H|${said}|`))).toEqual(['I/0']);
});

test("D15 D2 marks a status in FIX.4.2 with 20=3; an unknown order's status is 150=8", () => {
  const desk = working(gatewayConfig({ beginString: 'FIX.4.2' }));
  const [known] = desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|');
  expect([20, 150, 39, 103].map((tag) => field(known, tag))).toEqual(['3', '0', '0', null]);
  expect(field(desk.trade({})[0], 20)).toBe('0');
  const [status] = desk.oms('35=H|11=o-1|55=BTCUSDC|54=2|');
  expect([20, 150, 39, 103].map((tag) => field(status, tag))).toEqual(['3', '8', '8', '5']);
});

test('D15 and O6 every id that a chain had names it', () => {
  const desk = working(gatewayConfig({ replaceByCancelAndNew: true }));
  desk.trade({ quantity: '1' });
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|');
  desk.accepted();
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '1', publishedAt: desk.now + 1 });
  desk.accepted(undefined, '9010');
  desk.order({ orderId: '9010', clientOrderId: '3', quantity: '1', price: '101', publishedAt: desk.now + 2 });
  for (const id of ['9001', '9010']) {
    expect(summary(desk.oms(`35=H|11=g-1|37=${id}|55=BTCUSDC|54=1|`))).toEqual(['I/1']);
  }
});
