// A drop copy session through the running gateway: told of orders entered over FIX and beside it, over a kill and a reset.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/exchange-house.ts';
import { logOn, openFix, reconnect, report } from '../support/fix-connection.ts';

const COPY = { senderCompID: 'MIDDLE_OFFICE', targetCompID: 'EXCHANGE_TEST' };
const SLOW = 120_000;
let house: ExchangeHouse;

beforeEach(async () => {
  house = await exchangeHouse({ 'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } } });
});
afterEach(async () => await house.close());

const sell = (quantity: string): string => house.simulator.control.trade('BTCUSDC', 'SELL', '60000', quantity);
const isFill = (clOrdID: string, cumQty: string) => (view: MessageView) =>
  report(clOrdID, 'F')(view) && view.decimal(Tag.CumQty)?.trimmed().toString() === cumQty;
const execIDs = (views: readonly MessageView[], clOrdID: string): (string | null)[] =>
  views.filter((view) => view.string(Tag.ClOrdID) === clOrdID).map((view) => view.string(Tag.ExecID));

test(
  'S9 it misses nothing: by ResendRequest after 141=N, by its own request after 141=Y, over a kill of the gateway',
  async () => {
    let gateway = await house.start();
    const oms = await openFix(gateway.fixPort, ACME);
    await logOn(oms, { password: PASSWORD });
    const copy = await openFix(gateway.fixPort, COPY);
    await logOn(copy, { password: PASSWORD });
    oms.send(limitOrder('s-1', '0.04', '60000'));
    await oms.expect('New', report('s-1', '0', '0'));
    sell('0.01');
    const first = await copy.expect('the copy of the first fill', isFill('s-1', '0.01'));
    expect(first.string(Tag.CopyMsgIndicator)).toBe('Y');
    const known = copy.received.length;
    const { nextSenderMsgSeqNum } = copy;
    copy.destroy();

    sell('0.01');
    await oms.expect('the second fill', isFill('s-1', '0.02'));
    await gateway.kill();
    sell('0.01');
    gateway = await house.start();
    const again = await reconnect(gateway.fixPort, COPY, { password: PASSWORD, reset: false, nextSenderMsgSeqNum });
    again.connection.send(`35=2|7=${known + 1}|16=0`);
    const third = await again.connection.expect('the copy of the third fill', isFill('s-1', '0.03'));
    const beforeReset = again.connection.received;
    again.connection.destroy();
    sell('0.01');

    const { connection: last } = await reconnect(gateway.fixPort, COPY, { password: PASSWORD });
    last.send('35=D|11=no|1=1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=1|40=2|44=1');
    await last.expect('the refusal', (view) => view.msgType === 'j' && view.string(Tag.RefMsgType) === 'D');
    expect(last.received.filter((view) => view.msgType === '8' && view.boolean(Tag.PossResend) === true)).toEqual([]);
    last.send(`35=UDC|17=${first.string(Tag.ExecID)}`);
    await last.expect('the end of it', (view) => view.msgType === 'B');
    const repeated = last.received.filter((view) => view.boolean(Tag.PossResend) === true);
    expect(execIDs(repeated, 's-1')).toEqual(expect.arrayContaining([third.string(Tag.ExecID)]));
    expect(repeated.every((view) => !view.has(Tag.PossDupFlag))).toBe(true);
    await last.expect('the copy of the last fill', isFill('s-1', '0.04'));
    const fills = [...copy.received.slice(0, known), ...beforeReset, ...last.received].filter((view) =>
      report('s-1', 'F')(view),
    );
    expect(new Set(execIDs(fills, 's-1')).size).toBe(4);
    oms.destroy();
    last.destroy();
  },
  SLOW,
);
