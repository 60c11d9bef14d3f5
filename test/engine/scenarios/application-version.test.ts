// FIX.5.0, SP1 and SP2 over FIXT.1.1 on the running gateway: the Logon says which, orders are answered within that version's
// dictionary, and another version is refused.

import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDictionary, Validator } from '../../../src/dictionary/mod.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, type RunningGateway, runningGateway, sessionFile } from '../../ops/running-gateway.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

const FILES = { '7': 'FIX50.xml', '8': 'FIX50SP1.xml', '9': 'FIX50SP2.xml' } as const;
type ApplVerID = keyof typeof FILES;

function validatorOf(applVerID: ApplVerID): Validator {
  const load = (name: string) => loadDictionary(readFileSync(`dictionaries/${name}`, 'utf8'), name);
  return new Validator({ transport: load('FIXT11.xml'), applications: [load(FILES[applVerID])] });
}

function gatewayFor(applVerID: ApplVerID, further = ''): Promise<RunningGateway> {
  const text = `${sessionFile('OMS')}beginString: FIXT.1.1\ndefaultApplVerID: "${applVerID}"\n${further}`;
  return runningGateway({ 'OMS.yaml': text });
}

async function logOn(gateway: RunningGateway, applVerID: string): Promise<FixConnection> {
  const { port } = gateway.engine.addresses[0]!;
  const fix = await openFix(port, { senderCompID: 'OMS', targetCompID: 'GATE', beginString: 'FIXT.1.1' });
  onTestFinished(() => fix.destroy());
  const password = readFileSync(`${gateway.stateDirectory}/secrets/oms.password`, 'utf8').trim();
  fix.send(`35=A|98=0|108=30|554=${password}|1137=${applVerID}`);
  return fix;
}

const ORDER = `55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000|1=${ACCOUNT}`;

describe.each(['7', '8', '9'] as const)('DefaultApplVerID(1137)=%s', (applVerID) => {
  test('trades, and all that the gateway sends is within its dictionary', async () => {
    const gateway = await gatewayFor(applVerID);
    const fix = await logOn(gateway, applVerID);
    const answer = await fix.next();
    expect([answer.msgType, answer.string(Tag.DefaultApplVerID)]).toEqual(['A', applVerID]);
    const report = (what: string, matches: (view: MessageView) => boolean) => fix.expect(what, matches);
    fix.send(`35=D|11=v-1|${ORDER}`);
    await report('New', (view) => view.string(Tag.ClOrdID) === 'v-1' && view.string(Tag.ExecType) === '0');
    fix.send(`35=D|11=v-1|${ORDER}`);
    fix.send(`35=D|11=v-2|${ORDER.replace(ACCOUNT, '999')}`);
    await report('Rejected', (view) => view.string(Tag.ClOrdID) === 'v-2' && view.string(Tag.ExecType) === '8');
    fix.send('35=H|11=v-1|55=BTCUSDC|54=1');
    await report('status', (view) => view.string(Tag.ExecType) === 'I');
    fix.send('35=F|41=nobody|11=v-3|55=BTCUSDC|54=1|60=20260105-12:00:00.000');
    await report('OrderCancelReject', (view) => view.msgType === '9');
    fix.send('35=F|41=v-1|11=v-4|55=BTCUSDC|54=1|60=20260105-12:00:00.000');
    await report('Canceled', (view) => view.string(Tag.OrdStatus) === '4');
    const validator = validatorOf(applVerID);
    expect(fix.received.map((view) => validator.validate(view))).toEqual(fix.received.map(() => null));
    fix.send(`35=D|1128=6|11=v-5|${ORDER}`);
    const reject = await report('Reject', (view) => view.msgType === '3');
    expect(reject.string(Tag.Text)).toContain('1128');
    const refSeqNum = fix.send(`35=D|1128=|11=v-6|${ORDER}`);
    const empty = await report('Reject', (view) => view.int(Tag.RefSeqNum) === refSeqNum);
    expect([empty.int(Tag.RefTagID), empty.string(Tag.SessionRejectReason)]).toEqual([1128, '4']);
  });
});

test('a Logon for another version than the session speaks is refused in words', async () => {
  const gateway = await gatewayFor('7');
  const fix = await logOn(gateway, '9');
  const logout = await fix.next();
  expect([logout.msgType, logout.string(Tag.Text)]).toEqual([
    '5',
    'DefaultApplVerID(1137)=9 is not spoken here, only 7 (FIX.5.0)',
  ]);
});

test('another version in the session file counts from the next start on, and is reported so', async () => {
  const gateway = await gatewayFor('7');
  const text = `${sessionFile('OMS')}beginString: FIXT.1.1\ndefaultApplVerID: "8"\n`;
  gateway.folder.write('sessions/OMS.yaml', text);
  const { status, body } = await gateway.ask('/api/configuration/apply', {});
  expect(status).toBe(422);
  expect(body.text).toContain('the version that the session speaks changed');
});

test('fields of SP1 or SP2 are none of FIX.5.0', async () => {
  const gateway = await gatewayFor('7');
  const fix = await logOn(gateway, '7');
  await fix.next();
  fix.send('35=x|320=list|559=0|1301=XXXX');
  const reject = await fix.expect('Reject', (view) => view.msgType === '3');
  expect(reject.int(Tag.RefTagID)).toBe(1301);
});

test('a session that speaks a second version checks each message by the dictionary of its ApplVerID(1128)', async () => {
  const gateway = await gatewayFor('9', 'applVerIDs: ["7"]\n');
  const fix = await logOn(gateway, '9');
  await fix.next();
  fix.send(`35=D|1128=7|11=v-7|${ORDER}`);
  fix.send(`35=D|11=v-9|${ORDER}`);
  for (const clOrdID of ['v-7', 'v-9']) {
    await fix.expect('New', (view) => view.string(Tag.ClOrdID) === clOrdID && view.string(Tag.ExecType) === '0');
  }
  // MarketID(1301) came with SP1 or later.
  fix.send('35=x|320=new|559=0|1301=XXXX');
  await fix.expect('the list', (view) => view.msgType === 'y' && view.string(Tag.SecurityReqID) === 'new');
  fix.send('35=x|1128=7|320=old|559=0|1301=XXXX');
  const reject = await fix.expect('Reject', (view) => view.msgType === '3');
  expect([reject.int(Tag.RefTagID), reject.int(Tag.SessionRejectReason)]).toEqual([1301, 0]);
  fix.send(`35=D|1128=8|11=v-8|${ORDER}`);
  const version = await fix.expect('Reject', (view) => view.int(Tag.RefTagID) === 1128);
  expect([version.string(Tag.RefMsgType), version.int(Tag.SessionRejectReason)]).toEqual(['D', 18]);
  const validator = validatorOf('9');
  expect(fix.received.map((view) => validator.validate(view))).toEqual(fix.received.map(() => null));
});
