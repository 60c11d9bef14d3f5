// Session test case 14: a received message with a fault in its fields is rejected and counted.

import { testInEveryVersion } from '../../support/every-version.ts';

/** A NewOrderSingle with one change, and what is in the Reject beside RefSeqNum(45) and RefMsgType(372). */
const ORDER = '11=a|1=7|21=1|55=BTCUSD|54=1|60={0}|38=1|40=2|44=10|59=1|';

function rejected(title: string, message: string, refTagID: string, reason: string, text: string): void {
  testInEveryVersion(title, (run) => {
    run(
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
      { validator: 'stock' },
    );
  });
}

testInEveryVersion('14 a message without fault is delivered', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|${ORDER}
    delivered 35=D|
  `,
    { validator: 'stock' },
  );
});

rejected(
  '14-a tag that the version does not have',
  `> 35=D|34=2|${ORDER}4999=x|`,
  '371=4999|',
  '0',
  'Invalid tag number: 4999 is not in the dictionary of this session',
);

rejected(
  '14-b required tag missing',
  `> 35=D|34=2|${ORDER.replace('11=a|', '')}`,
  '371=11|',
  '1',
  'Required tag missing: ClOrdID(11)',
);

rejected(
  '14-c tag not defined for this message type',
  `> 35=D|34=2|${ORDER}112=x|`,
  '371=112|',
  '2',
  'Tag not defined for this message type: TestReqID(112)',
);

rejected(
  '14-d tag without a value',
  `> 35=D|34=2|${ORDER.replace('55=BTCUSD', '55=')}`,
  '371=55|',
  '4',
  'Tag specified without a value: Symbol(55)',
);

rejected(
  '14-e value outside the enumeration',
  `> 35=D|34=2|${ORDER.replace('54=1', '54=Z')}`,
  '371=54|',
  '5',
  'Value is incorrect (out of range) for this tag: Side(54)',
);

rejected(
  '14-f value in a wrong format',
  `> 35=D|34=2|${ORDER.replace('38=1', '38=abc')}`,
  '371=38|',
  '6',
  'Incorrect data format for value: OrderQty(38)',
);

rejected(
  '14-g header field within the body',
  `>> 35=D|49=OMS|56=XGATE|34=2|52={0}|${ORDER}50=x|`,
  '371=50|',
  '14',
  'Tag specified out of required order (header, body, trailer): SenderSubID(50)',
);

rejected(
  '14-h tag that appears twice',
  `> 35=D|34=2|${ORDER}11=b|`,
  '371=11|',
  '13',
  'Tag appears more than once: ClOrdID(11)',
);

rejected(
  '14-i count of a repeating group that does not match',
  `> 35=D|34=2|${ORDER}453=2|448=p|447=D|452=1|`,
  '371=453|',
  '16',
  'Incorrect NumInGroup count for repeating group: NoPartyIDs(453)',
);

testInEveryVersion('14 unknown MsgType is rejected', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=ZZZ|34=2|
    < 35=3|34=2|45=2|371=35|372=ZZZ|373=11|58=Invalid MsgType(35): not a type of this FIX version|
    numbers 3 3
  `,
    { validator: 'stock' },
  );
});

testInEveryVersion('14 a session message with a fault is rejected in the same way', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=2|34=2|7=1|
    < 35=3|34=2|45=2|371=16|372=2|373=1|58=Required tag missing: EndSeqNo(16)|
    numbers 3 3
  `,
    { validator: 'stock' },
  );
});

rejected(
  '14-j fields of a repeating group in another order',
  `> 35=D|34=2|${ORDER}453=1|448=p|452=1|447=D|`,
  '371=447|',
  '15',
  'Repeating group fields out of order: PartyIDSource(447)',
);

rejected(
  '14-k SOH within a value that is no data: what follows it is no field',
  `>> 35=D|49=OMS|56=XGATE|34=2|52={0}|${ORDER}58=torn| apart|`,
  '',
  '0',
  'Invalid tag number: a field does not begin with tag and =',
);

testInEveryVersion('14-k SOH within a data field is part of its value', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    >> 35=D|49=OMS|56=XGATE|34=2|52={0}|${ORDER}354=3|355=a|b|
    delivered 35=D|34=2|354=3|
  `,
  );
});

testInEveryVersion(
  '14-l, m: that the application is not available or a conditional field is missing, it says itself',
  (run) => {
    run(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|11=a|40=2|
    delivered 35=D|34=2|11=a|
    app 35=j|45=2|372=D|380=5|58=Price(44) missing|
    < 35=j|34=2|45=2|372=D|380=5|58=Price(44) missing|
  `);
  },
  'FIX.4.2',
);
