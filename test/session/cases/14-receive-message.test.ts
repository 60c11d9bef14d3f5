// Session test case 14: a received message with a fault in its fields is rejected and counted.

import { test } from 'vitest';
import { Validator } from '../../../src/dictionary/mod.ts';
import { dictionary } from '../../support/generated.ts';
import { runScenario } from '../../support/session-machine.ts';

const validator = new Validator(dictionary('FIX44.xml'));

/** A NewOrderSingle with one change, and what is in the Reject beside RefSeqNum(45) and RefMsgType(372). */
const ORDER = '11=a|1=7|21=1|55=BTCUSD|54=1|60={0}|38=1|40=2|44=10|59=1|';

function rejected(message: string, refTagID: string, reason: string, text: string): void {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    ${message}
    < 35=3|34=2|45=2|${refTagID}372=D|373=${reason}|58=${text}|
    numbers 3 3
    > 35=1|34=3|112=alive|
    < 35=0|34=3|112=alive|
  `,
    { validator },
  );
}

test('14 a message without fault is delivered', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|${ORDER}
    delivered 35=D|
  `,
    { validator },
  );
});

test('14-a tag that the version does not have', () => {
  rejected(`> 35=D|34=2|${ORDER}4999=x|`, '371=4999|', '0', 'Invalid tag number: 4999 is not in this FIX version');
});

test('14-b required tag missing', () => {
  rejected(`> 35=D|34=2|${ORDER.replace('11=a|', '')}`, '371=11|', '1', 'Required tag missing: ClOrdID(11)');
});

test('14-c tag not defined for this message type', () => {
  rejected(`> 35=D|34=2|${ORDER}112=x|`, '371=112|', '2', 'Tag not defined for this message type: TestReqID(112)');
});

test('14-d tag without a value', () => {
  rejected(
    `> 35=D|34=2|${ORDER.replace('55=BTCUSD', '55=')}`,
    '371=55|',
    '4',
    'Tag specified without a value: Symbol(55)',
  );
});

test('14-e value outside the enumeration', () => {
  const text = 'Value is incorrect (out of range) for this tag: Side(54)';
  rejected(`> 35=D|34=2|${ORDER.replace('54=1', '54=Z')}`, '371=54|', '5', text);
});

test('14-f value in a wrong format', () => {
  rejected(
    `> 35=D|34=2|${ORDER.replace('38=1', '38=abc')}`,
    '371=38|',
    '6',
    'Incorrect data format for value: OrderQty(38)',
  );
});

test('14-g header field within the body', () => {
  const text = 'Tag specified out of required order (header, body, trailer): SenderSubID(50)';
  rejected(`>> 35=D|49=OMS|56=XGATE|34=2|52={0}|${ORDER}50=x|`, '371=50|', '14', text);
});

test('14-h tag that appears twice', () => {
  rejected(`> 35=D|34=2|${ORDER}11=b|`, '371=11|', '13', 'Tag appears more than once: ClOrdID(11)');
});

test('14-i count of a repeating group that does not match', () => {
  const text = 'Incorrect NumInGroup count for repeating group: NoPartyIDs(453)';
  rejected(`> 35=D|34=2|${ORDER}453=2|448=p|447=D|452=1|`, '371=453|', '16', text);
});

test('14 unknown MsgType is rejected', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=ZZZ|34=2|
    < 35=3|34=2|45=2|371=35|372=ZZZ|373=11|58=Invalid MsgType(35): not a type of this FIX version|
    numbers 3 3
  `,
    { validator },
  );
});

test('14 a session message with a fault is rejected in the same way', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=2|34=2|7=1|
    < 35=3|34=2|45=2|371=16|372=2|373=1|58=Required tag missing: EndSeqNo(16)|
    numbers 3 3
  `,
    { validator },
  );
});
