// Orders of other sessions through the running gateway (rule O7). A second session of the account queries and cancels
// them, over a kill between its request and the exchange's answer. On the way the exchange counts one login and one
// private stream for both sessions.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import {
  ACCOUNT,
  ACME,
  type ExchangeHouse,
  exchangeHouse,
  limitOrder,
  PASSWORD,
} from '../support/processes/exchange-house.ts';

const RISK = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
const SLOW = 240_000;
let house: ExchangeHouse;

beforeEach(async () => {
  const keeps = { cancelOnDisconnect: { on: 'off' } };
  house = await exchangeHouse({ 'ACME_OMS.yaml': keeps, 'VENUE_OMS.yaml': { ...keeps, reach: 'accounts' } });
});
afterEach(async () => await house.close());

function send(fix: FixConnection, msgType: string, fields: string): void {
  const time = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
  fix.send(`35=${msgType}|${fields}|55=BTCUSDC|54=1${msgType === 'H' ? '' : `|60=${time}`}`);
}

/** Sessions of one credential share its login and its private stream, however many they are. */
function expectOneLogin({ control }: ExchangeHouse['simulator']): void {
  expect([control.logins, control.privateStreamCount]).toEqual([1, 1]);
}

test(
  'O7 by OrderID(37) it asks and cancels, G is refused, q takes the rest, over a kill',
  async () => {
    let gateway = await house.start();
    const oms = await openFix(gateway.fixPort, ACME);
    await logOn(oms, { password: PASSWORD });
    const { connection: risk } = await reconnect(gateway.fixPort, RISK, { password: PASSWORD });
    const ids: string[] = [];
    for (const clOrdID of ['a-1', 'a-2', 'a-3']) {
      oms.send(limitOrder(clOrdID, '0.01', '50000'));
      ids.push((await oms.expect('New', report(clOrdID, '0', '0'))).string(Tag.OrderID)!);
    }
    expectOneLogin(house.simulator);
    send(risk, 'H', `11=x|37=${ids[0]}`);
    const status = await risk.expect('the status', (view) => view.string(Tag.OrderID) === ids[0]);
    expect([status.string(Tag.ExecType), status.string(Tag.ClOrdID)]).toEqual(['I', null]);
    send(risk, 'G', `11=r-0|41=NONE|37=${ids[0]}|1=${ACCOUNT}|38=0.02|40=2|44=50000`);
    const refused = await risk.expect('the refusal', (view) => view.msgType === '9');
    expect([refused.string(Tag.CxlRejResponseTo), refused.string(Tag.CxlRejReason)]).toEqual(['2', '99']);
    send(risk, 'F', `11=r-1|41=NONE|37=${ids[0]}|1=${ACCOUNT}`);
    expect((await risk.expect('the cancel', report('r-1', '4', '4'))).string(Tag.OrderID)).toBe(ids[0]);
    const unsolicited = await oms.expect('its unsolicited end', report('a-1', '4', '4'));
    expect(unsolicited.string(Tag.ExecRestatementReason)).toBe('8');

    // The gateway dies with the request on its way; whatever was said meanwhile is asked for again.
    send(risk, 'F', `11=r-2|41=NONE|37=${ids[1]}|1=${ACCOUNT}`);
    await risk.expect('the pending cancel', report('r-2', '6', '6'));
    await gateway.kill();
    gateway = await house.home.start(house.simulator.url);
    const { nextSenderMsgSeqNum } = risk;
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection: after } = await reconnect(gateway.fixPort, RISK, again);
    const numbers = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: oms.nextSenderMsgSeqNum };
    const { connection: owner } = await reconnect(gateway.fixPort, ACME, numbers);
    for (const fix of [after, owner]) fix.send('35=2|7=1|16=0');
    const isAnswer = (view: Parameters<ReturnType<typeof report>>[0]): boolean =>
      view.string(Tag.ClOrdID) === 'r-2' && (view.msgType === '9' || view.string(Tag.ExecType) === '4');
    // Whatever became of it at the exchange: asked again, the order is cancelled or it was.
    const answer = await after.expect('the answer', isAnswer);
    if (answer.msgType === '9') send(after, 'F', `11=r-3|41=NONE|37=${ids[1]}|1=${ACCOUNT}`);
    const end = await owner.expect('its unsolicited end', report('a-2', '4', '4'));
    expect(end.string(Tag.ExecRestatementReason)).toBe('8');

    send(after, 'q', '11=q-1|530=1');
    const [counted, cancelled] = [
      await after.expect('the count', (view) => view.msgType === 'r'),
      await after.expect('its own report', report('q-1', '4', '4')),
    ];
    // The exchange's own FIX has no 533 in r (rule D1).
    expect([counted.string(Tag.TotalAffectedOrders), cancelled.string(Tag.OrderID)]).toEqual([null, ids[2]]);
    await owner.expect('its unsolicited end', report('a-3', '4', '4'));
    for (const fix of [oms, risk, after, owner]) fix.destroy();
    // Said again, it is the same report.
    const told = [...risk.received, ...after.received].filter(report('r-1', '4'));
    expect(new Set(told.map((view) => view.string(Tag.ExecID))).size).toBe(1);
  },
  SLOW,
);
