// A FIXT.1.1 counterparty with an application version of its own, by CstmApplVerID(1129) of a message or in its Logon:
// the meaning of the same fields there is unknown, unless both sides have agreed.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadDictionary, Validator } from '../../../src/dictionary/mod.ts';
import { dictionary } from '../../support/dictionary.ts';
import { continueScenario, runScenario } from '../../support/session/session-machine.ts';

const FIXT = { beginString: 'FIXT.1.1' };
const ORDER = '11=a|55=BTCUSDC|54=1|38=2|40=1|60=20260105-09:00:00.000|';
const LOGON = `
  connect
  > 35=A|34=1|98=0|108=30|1137=9|
  < 35=A|34=1|98=0|108=30|1137=9|
  up
`;
const REJECT = '371=1129|372=D|373=18|58=CstmApplVerID(1129)=DESK_3 is not agreed on for this session|';

/** The transport's dictionary as published, with the versions of a house that both sides have. */
function agreed(more = ''): Validator {
  const house = `<fix type='FIXT' major='1' minor='1'><fields>
    <field number='1129' name='CstmApplVerID' type='STRING'${more}><value enum='DESK_1' description='DESK_1'/></field>
    <field number='1131' name='RefCstmApplVerID' type='STRING'><value enum='DESK_1' description='DESK_1'/></field>
    <field number='1408' name='DefaultCstmApplVerID' type='STRING'><value enum='DESK_1' description='DESK_1'/></field>
    </fields></fix>`;
  const text = readFileSync(new URL('../../../dictionaries/FIXT11.xml', import.meta.url), 'utf8');
  const transport = loadDictionary(text, 'FIXT11.xml', [{ xmlText: house, fileName: 'FIXT11.overlay.xml' }]);
  return new Validator({ transport, applications: [dictionary('FIX50SP2.xml')] });
}

describe('CstmApplVerID(1129) of a message', () => {
  test('S5 rejects an order in a version without agreement with reason 18, and counts it', () => {
    for (const validator of ['stock', agreed()] as const) {
      runScenario(
        `${LOGON}
        > 35=D|1129=DESK_3|34=2|${ORDER}
        < 35=3|34=2|45=2|${REJECT}
        numbers 3 3`,
        { config: FIXT, validator },
      );
    }
  });

  test('nor is it executed where messages are not checked against the dictionary', () => {
    const config = { ...FIXT, validateIncoming: false };
    runScenario(`${LOGON}\n> 35=D|1129=DESK_3|34=2|${ORDER}\n< 35=3|34=2|45=2|${REJECT}`, { config });
  });

  test('one that the dictionary of the session lists is agreed on', () => {
    runScenario(`${LOGON}\n> 35=D|1129=DESK_1|34=2|${ORDER}\ndelivered 35=D|34=2|1129=DESK_1|`, {
      config: FIXT,
      validator: agreed(),
    });
    // So is any, where the dictionary says that it lists not all of them.
    runScenario(`${LOGON}\n> 35=D|1129=DESK_3|34=2|${ORDER}\ndelivered 35=D|34=2|1129=DESK_3|`, {
      config: FIXT,
      validator: agreed(" allowOtherValues='Y'"),
    });
  });

  test('without a value it names none, and is rejected for that', () => {
    const driver = runScenario(LOGON, { config: FIXT, validator: 'stock' });
    const script = `
      > 35=D|1129=|34=2|${ORDER}
      < 35=3|34=2|45=2|371=1129|372=D|373=4|58=Tag specified without a value: CstmApplVerID(1129)|`;
    continueScenario(driver, script);
  });

  test('ignores ApplExtID(1156) of a message that uses nothing of the extension pack', () => {
    runScenario(`${LOGON}\n> 35=D|1156=269|34=2|${ORDER}\ndelivered 35=D|34=2|`, { config: FIXT, validator: 'stock' });
  });
});

describe('in the Logon', () => {
  const refused = (fields: string, text: string, config = {}) =>
    runScenario(
      `connect
      > 35=A|34=1|98=0|108=30|${fields}
      < 35=5|34=1|58=${text}|
      closed`,
      { config: { ...FIXT, ...config }, validator: 'stock' },
    );
  const taken = (fields: string) =>
    runScenario(
      `connect
      > 35=A|34=1|98=0|108=30|${fields}
      < 35=A|34=1|98=0|108=30|1137=9|
      up`,
      { config: FIXT, validator: agreed() },
    );

  test('refuses DefaultCstmApplVerID(1408) without agreement in words, and accepts another', () => {
    refused('1137=9|1408=DESK_3|', 'DefaultCstmApplVerID(1408)=DESK_3 is not agreed on for this session');
    taken('1137=9|1408=DESK_1|');
  });

  test('refuses a version of its own as the default of one message type, but not a listed one', () => {
    const group = (entry: string): string => `384=2|372=8|385=R|1130=9|1410=Y|372=D|385=S|${entry}1137=9|`;
    const what = 'as the default of RefMsgType(372)=D is not agreed on for this session';
    refused(group('1130=6|1410=Y|'), `RefApplVerID(1130)=6 ${what}`);
    refused(group('1130=7|1410=Y|'), `RefApplVerID(1130)=7 ${what}`, { applVerIDs: ['7'] });
    refused(group('1130=9|1131=DESK_3|1410=Y|'), `RefCstmApplVerID(1131)=DESK_3 ${what}`);
    taken(group('1130=6|'));
    taken(group('1131=DESK_3|1410=N|'));
    taken(group('1131=DESK_1|1410=Y|'));
  });

  test('an initiator does not go on behind an answer that names one', () => {
    const driver = runScenario(
      `connect
      < 35=A|34=1|98=0|108=30|1137=9|
      > 35=A|34=1|98=0|108=30|1137=9|1408=DESK_3|
      < 35=5|34=2|58=DefaultCstmApplVerID(1408)=DESK_3 is not agreed on for this session|
      closed`,
      { config: { ...FIXT, role: 'initiator' } },
    );
    expect(driver.alarms).toHaveLength(1);
  });
});
