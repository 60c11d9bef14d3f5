// The exchange restarts while orders are open, seen by an OMS through the running gateway. With its books, nothing
// changes for the OMS and trading goes on. Without them nothing is guessed. An acknowledged order that the exchange no
// longer finds stays with an alarm (rule U2), its cancel is refused in words, an operator ends it. Real processes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, report } from '../support/network/fix-connection.ts';
import { expectFills, expectNoGap } from '../support/oms/fills.ts';
import { ACCOUNT, ACME, limitOrder, PASSWORD, untilOrdersAreTaken } from '../support/processes/exchange-house.ts';
import { ExchangeProcess } from '../support/processes/exchange-process.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';

const SLOW = 180_000;
let home: GatewayHome;
let exchange: ExchangeProcess;
let gateway: GatewayProcess;
let oms: FixConnection;

beforeEach(async () => {
  home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', { 'fix.listen.1': undefined });
  await home.configure('VENUE_OMS.yaml', { accounts: [{ account: ACCOUNT, credential: 'primary' }] });
  exchange = await ExchangeProcess.start({ keys: home.secrets, more: ['--liquidity', 'off', '--no-limits'] });
  gateway = await home.start(exchange.url);
  await untilOrdersAreTaken(gateway);
  oms = await openFix(gateway.fixPort, ACME);
  await logOn(oms, { password: PASSWORD });
}, SLOW);

afterEach(async () => {
  oms?.destroy();
  await home.remove();
  await exchange.remove();
});

const sell = async (quantity: string, price = '60000'): Promise<void> => {
  await exchange.control('counterparty', { symbol: 'BTCUSDC', side: 'SELL', price, quantity });
};

const cancel = (clOrdID: string, origClOrdID: string): void => {
  const time = formatUtcTimestamp(Date.now());
  oms.send(`35=F|11=${clOrdID}|41=${origClOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|60=${time}|`);
};

const isFill = (clOrdID: string, cumQty: string) => (view: MessageView) =>
  report(clOrdID, 'F')(view) && view.decimal(Tag.CumQty)?.trimmed().toString() === cumQty;

/** ExecType/OrdStatus of every report of an order so far. */
const told = (clOrdID: string): string[] =>
  oms.received
    .filter((view) => view.msgType === '8' && view.string(Tag.ClOrdID) === clOrdID)
    .map((view) => `${view.string(Tag.ExecType)}/${view.string(Tag.OrdStatus)}`);

/** An order of 0.03 with 0.01 filled, and a resting one; both are open when the exchange stops. */
async function openOrders(): Promise<string> {
  oms.send(limitOrder('r-1', '0.03', '60000'));
  oms.send(limitOrder('r-2', '0.05', '59000'));
  const { 0: first } = await Promise.all([
    oms.expect('r-1 New', report('r-1', '0', '0')),
    oms.expect('r-2 New', report('r-2', '0', '0')),
  ]);
  await sell('0.01');
  await oms.expect('the first fill', isFill('r-1', '0.01'));
  return first.string(Tag.OrderID)!;
}

test(
  'U2 an exchange back from a kill with its books causes reports of new events only',
  async () => {
    await openOrders();
    await exchange.crash();
    // A fill while the gateway may still be on its way back to the streams.
    await sell('0.01');
    await oms.expect('the second fill', isFill('r-1', '0.02'));
    cancel('c-2', 'r-2');
    await oms.expect('the end of r-2', report('c-2', '4', '4'));
    await sell('0.01');
    await oms.expect('the last fill', report('r-1', 'F', '2'));

    expect(told('r-1')).toEqual(['0/0', 'F/1', 'F/1', 'F/2']);
    expect(told('r-2')).toEqual(['0/0']);
    expectFills(oms.received, 'r-1', 3, '0.03');
    expectNoGap(oms.received);
    expect(
      gateway.process.lines.filter((line) => /order-not-found|late-fill|overfill|trades-missing/.test(line)),
    ).toEqual([]);
  },
  SLOW,
);

test(
  'U2 an exchange back without its books leaves orders open with an alarm each; new ones trade',
  async () => {
    const orderID = await openOrders();
    const before = oms.received.length;
    await exchange.control('restart', { memory: false });
    const alarms = () => gateway.process.lines.filter((line) => line.includes('order-not-found'));
    await gateway.process.line(/order-not-found/);
    oms.send('35=H|11=r-1|55=BTCUSDC|54=1|');
    const status = await oms.expect('the status of r-1', report('r-1', 'I', '1'));
    expect([status.string(Tag.OrderID), status.string(Tag.CumQty), status.string(Tag.LeavesQty)]).toEqual([
      orderID,
      '0.01',
      '0.02',
    ]);
    cancel('c-1', 'r-1');
    const refused = await oms.expect('the answer to F', (view) => view.msgType === '9');
    expect([refused.string(Tag.ClOrdID), refused.string(Tag.OrdStatus)]).toEqual(['c-1', '1']);
    expect(refused.string(Tag.Text)).toMatch(/not found/i);

    oms.send(limitOrder('n-1', '0.02', '61000'));
    await oms.expect('n-1 New', report('n-1', '0', '0'));
    await sell('0.02', '61000');
    await oms.expect('the fill of n-1', report('n-1', 'F', '2'));
    expect(oms.received.slice(before).filter((view) => report('r-2', '4')(view) || report('r-2', 'F')(view))).toEqual(
      [],
    );
    expect(told('r-1')).toEqual(['0/0', 'F/1', 'I/1']);
    expect(told('r-2')).toEqual(['0/0']);
    expect(alarms().filter((line) => line.includes('r-1')).length).toBe(1);
    expect(alarms().filter((line) => line.includes('r-2')).length).toBe(1);
  },
  SLOW,
);
