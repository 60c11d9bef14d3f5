// The required fields of a message before it is sent: in the message, in entries of its groups, and held to the validator's answer
// for the same message as it arrives.

import { expect, test } from 'vitest';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { FrameWriter, MessageDraft, SessionRejectReason, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { randomDraft, randomNumbers } from '../support/random/random-message.ts';
import { seedOfTest } from '../support/random/seeded-property.ts';

const FIX44 = new Validator(dictionary('FIX44.xml'));

function drafted(msgType: string, body: string): MessageDraft {
  const draft = new MessageDraft(msgType);
  for (const field of body.split('|')) {
    const [tag, value] = field.split('=') as [string, string];
    draft.add(Number(tag), value);
  }
  return draft;
}

const ORDER = '11=a|55=BTCUSDC|54=1|60=20261121-10:00:00|38=1|40=2';

test.each([
  ['D', ORDER, null],
  ['D', ORDER.replace('55=BTCUSDC|', ''), 'NewOrderSingle(D) lacks Symbol(55), which the dictionary requires'],
  ['B', '33=1|58=one', 'News(B) lacks Headline(148), which the dictionary requires'],
  ['B', '148=a', null],
  ['B', '148=a|33=2|58=one|58=two', null],
  ['V', '262=a|263=1|264=0|267=1|269=0|146=2|55=BTCUSDC|55=ETHUSDC', null],
  [
    'E',
    '66=l|394=3|68=2|73=2|11=a|67=1|55=BTCUSDC|54=1|38=1|11=b|67=2|55=BTCUSDC|38=1',
    'NewOrderList(E) has an entry of NoOrders(73) that lacks Side(54), which the dictionary requires',
  ],
  // The first entry is judged by its own fields, whatever the second has.
  [
    'E',
    '66=l|394=3|68=2|73=2|11=a|55=BTCUSDC|54=1|38=1|11=b|67=2|55=BTCUSDC|54=1|38=1',
    'NewOrderList(E) has an entry of NoOrders(73) that lacks ListSeqNo(67), which the dictionary requires',
  ],
  // A field of an entry is none of the message.
  [
    'E',
    '66=l|394=3|73=1|11=a|67=1|55=BTCUSDC|54=1|38=1',
    'NewOrderList(E) lacks TotNoOrders(68), which the dictionary requires',
  ],
  // No entries, and fields of a house.
  ['D', `453=0|${ORDER}`, null],
  ['D', `${ORDER}|453=1|448=DESK|9001=x|447=D|452=11|9002=y`, null],
  // Of a type that the dictionary does not define, no field is required.
  ['U77', '9001=x', null],
])('%s with %s: %s', (msgType, body, missing) => {
  expect(FIX44.missingIn(drafted(msgType, body))).toBe(missing);
});

test('a group whose first field its message has too ends with its count', () => {
  const xml = `<fix type='FIX' major='4' minor='4'><header/><trailer/><components/>
    <messages><message name='Order' msgtype='D' msgcat='app'>
      <group name='NoLegs' required='N'><field name='Symbol' required='N'/><field name='Side' required='Y'/></group>
      <field name='Symbol' required='Y'/></message></messages>
    <fields><field number='555' name='NoLegs' type='NUMINGROUP'/><field number='55' name='Symbol' type='STRING'/>
      <field number='54' name='Side' type='CHAR'/><field number='35' name='MsgType' type='STRING'/></fields></fix>`;
  const validator = new Validator(loadDictionary(xml, 'HOUSE.xml'));
  expect(validator.missingIn(drafted('D', '555=1|55=LEG|54=1|55=BTCUSDC'))).toBeNull();
  expect(validator.missingIn(drafted('D', '555=2|55=LEG|54=1|55=BTCUSDC'))).toMatch(/an entry of NoLegs\(555\)/);
  expect(validator.missingIn(drafted('D', '555=1|55=LEG|54=1'))).toMatch(/lacks Symbol\(55\)/);
});

test.each(['FIX42.xml', 'FIX44.xml', 'FIX50SP2.xml'])(
  'finds in messages of %s without one of their fields what the validator misses in them',
  (file) => {
    const application = dictionary(file);
    const validator =
      file === 'FIX50SP2.xml'
        ? new Validator({ transport: dictionary('FIXT11.xml'), applications: [application] })
        : new Validator(application);
    const random = randomNumbers(seedOfTest());
    const writer = new FrameWriter();
    const { beginString } = application;
    let lacking = 0;
    for (const definition of application.messages.values()) {
      for (let round = 0; round < 20; round++) {
        const whole = randomDraft(definition, random);
        expect(validator.missingIn(whole), whole.toString()).toBeNull();
        const { tags, values } = whole;
        const without = random(tags.length);
        // Data without its Length field before it is another fault.
        if (application.fields.get(tags[without]!)?.type === 'LENGTH') continue;
        const draft = new MessageDraft(definition.msgType);
        for (const [i, tag] of tags.entries()) if (i !== without) draft.add(tag, values[i]!);
        const missing = validator.missingIn(draft);
        const header = {
          beginString,
          senderCompID: 'A',
          targetCompID: 'B',
          sendingTime: '20261121-10:00:00',
          msgSeqNum: 1,
        };
        const fault = validator.validate(viewOf(writer.encode(header, draft))!);
        if (fault === null) expect(missing, draft.toString()).toBeNull();
        if (String(fault?.sessionRejectReason) !== SessionRejectReason.RequiredTagMissing) continue;
        lacking++;
        expect(missing, draft.toString()).toContain(`(${fault!.refTagID})`);
      }
    }
    expect(lacking).toBeGreaterThan(20);
  },
);
