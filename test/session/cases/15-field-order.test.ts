// Session test case 15: the body fields of a message may come in any order.

import { test } from 'vitest';
import { Validator } from '../../../src/dictionary/mod.ts';
import { dictionary } from '../../support/generated.ts';
import { runScenario } from '../../support/session/session-machine.ts';

test('15 a message with its body fields in another order is taken as the same message', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|108=30|98=0|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|44=10|40=2|38=1|60={0}|54=1|55=BTCUSD|21=1|1=7|11=a|
    delivered 35=D|11=a|
  `,
    { validator: new Validator(dictionary('FIX44.xml')) },
  );
});

test('15 header fields after the first three may come in any order', () => {
  runScenario(`
    connect
    >> 35=A|52={0}|34=1|56=XGATE|49=OMS|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
  `);
});
