// A replacement by cancel and new order (rule O6) whose new order could not be entered, as is known before anything is cancelled:
// the G is refused, and the old order works on.

import { expect, test } from 'vitest';
import { type Desk, field } from './desk.ts';
import { cancelled, partlyFilled, REPLACE } from './swap-desk.ts';

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

test('O5 O6 a G for which no exchange reference is left leaves the old order where it is; one that was secured serves the new order', () => {
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
