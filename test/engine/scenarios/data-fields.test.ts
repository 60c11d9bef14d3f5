// A data field that only an overlay dictionary knows, with SOH inside, over a running engine: in turn, ahead of a gap, and
// with a length that does not fit.

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, GATEWAY, runningGateway, sessionFile } from '../../ops/running-gateway.ts';

const OURS = fileURLToPath(new URL('../../../dictionaries', import.meta.url));
const OVERLAY = `<fix type='FIX' major='4' minor='4'>
  <messages><message name='NewOrderSingle' msgtype='D' msgcat='app'>
    <field name='SealLen' required='N'/><field name='Seal' required='N'/>
  </message></messages>
  <fields><field number='5101' name='SealLen' type='LENGTH'/><field number='5102' name='Seal' type='DATA'/></fields>
</fix>`;
/** With one wrong turn, an order for nine. */
const SEAL = 'seal|38=9|54=2';

function order(clOrdID: string, length: number): string {
  const rest = `55=BTCUSDC|54=1|60=${formatUtcTimestamp(Date.now())}|38=2|40=2|44=50000|59=1|1=${ACCOUNT}`;
  return `35=D|11=${clOrdID}|5101=${length}|5102=${SEAL}|${rest}`;
}

test("an overlay's data field is one value: no field inside it counts, in turn or ahead of a gap", async () => {
  const gateway = await runningGateway(
    { 'gateway.yaml': `${GATEWAY}dictionaries: words\n`, 'OMS.yaml': sessionFile('OMS') },
    {},
    (path) => {
      cpSync(OURS, join(path, 'words'), { recursive: true });
      writeFileSync(join(path, 'words', 'FIX44.overlay.xml'), OVERLAY);
    },
  );
  const fix = await gateway.logOn();
  const newOf = (clOrdID: string): Promise<MessageView> =>
    fix.expect(
      `${clOrdID} is new`,
      (view) => view.string(Tag.ClOrdID) === clOrdID && view.string(Tag.ExecType) === '0',
    );
  fix.send(order('a', SEAL.length));
  expect((await newOf('a')).string(Tag.OrderQty)).toBe('2');
  const shown = gateway.engine.administration.messages('OMS', 0, 100)!.find(({ msgType }) => msgType === 'D')!;
  expect(shown.fields.filter(({ tag }) => tag === 38).map(({ value }) => value)).toEqual(['2']);
  fix.send(order('ahead', SEAL.length), { seqNum: fix.nextSenderMsgSeqNum + 1 });
  await fix.expect('a ResendRequest', (view) => view.msgType === '2');
  fix.send(`35=4|123=Y|36=${fix.nextSenderMsgSeqNum + 1}|`);
  expect((await newOf('ahead')).string(Tag.OrderQty)).toBe('2');
  fix.nextSenderMsgSeqNum++;
  fix.send(order('b', SEAL.length - 1));
  const reject = await fix.expect('a Reject', (view) => view.msgType === '3');
  expect([reject.string(Tag.RefTagID), reject.string(Tag.SessionRejectReason)]).toEqual(['5102', '6']);
});
