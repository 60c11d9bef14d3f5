// Market data through the running gateway with the simulated exchange. A book is followed, auctions are reported,
// reports never wait, a ResendRequest(2) gets a gap fill, a cut feed is reported and returns whole, and the day replays
// identical.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readMessageLog } from '../../src/cli/log/message-log.ts';
import { replayPure } from '../../src/cli/log/replay-pure.ts';
import { type MessageView, Tag, toPrintable } from '../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';

let house: ExchangeHouse;
let gateway: GatewayProcess;
let fix: FixConnection;

beforeAll(async () => {
  house = await exchangeHouse({ 'ACME_OMS.yaml': { 'marketData.enabled': true } });
  gateway = await house.start();
  fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD });
});
afterAll(async () => {
  fix?.destroy();
  await house?.close();
});

const printed = (view: MessageView): string => toPrintable(view.bytes());
/** A message of market data that has all of these. */
const says =
  (msgType: string, ...parts: readonly string[]) =>
  (view: MessageView): boolean =>
    view.msgType === msgType && parts.every((part) => printed(view).includes(part));
const request = (id: string, types: string, more = '') =>
  `35=V|262=${id}|263=1|264=0|265=1|${more}267=${types.length}|${[...types].map((one) => `269=${one}|`).join('')}146=1|55=BTCUSDC|`;

test('D4 a book is followed from W to X, with trades, while orders are reported', async () => {
  const { control } = house.simulator;
  control.counterparty({ symbol: 'BTCUSDC', side: 'SELL', price: '60001', quantity: '0.5', timeInForce: 'GTC' });
  fix.send(request('M-1', '012'));
  await fix.expect('the book', says('W', '|262=M-1|55=BTCUSDC|', '|269=1|270=60001.'));
  control.counterparty({ symbol: 'BTCUSDC', side: 'BUY', price: '59000', quantity: '0.25', timeInForce: 'GTC' });
  const bid = await fix.expect('the new bid', says('X', '|279=0|269=0|278=BTCUSDC:0:59000.'));
  expect(printed(bid)).toContain('|290=1|');
  fix.send(limitOrder('o-1', '0.1', '60001'));
  await fix.expect('the fill', report('o-1', 'F', '2'));
  await fix.expect('the trade', says('X', '|279=0|269=2|'));
  await fix.expect('what is left of the offer', says('X', '|279=1|269=1|278=BTCUSDC:1:60001.', '|271=0.4'));
});

test('S11 answers a ResendRequest by reports and gap fills for market data, then sends it anew', async () => {
  const last = Math.max(...fix.received.map((view) => view.int(Tag.MsgSeqNum) ?? 0));
  const before = fix.received.length;
  fix.send('35=2|7=1|16=0|');
  const resent = await fix.expect(
    'the fill again',
    (view) => report('o-1', 'F')(view) && view.string(Tag.PossDupFlag) === 'Y',
  );
  expect(resent.string(Tag.LeavesQty)).toBe('0');
  await fix.expect(
    'a gap fill to the end',
    (view) => view.msgType === '4' && (view.int(Tag.NewSeqNo) ?? 0) > last && fix.received.indexOf(view) >= before,
  );
  const dups = fix.received.slice(before).filter((view) => view.string(Tag.PossDupFlag) === 'Y');
  expect(dups.filter((view) => 'WXY'.includes(view.msgType))).toEqual([]);
  house.simulator.control.counterparty({
    symbol: 'BTCUSDC',
    side: 'BUY',
    price: '59001',
    quantity: '1',
    timeInForce: 'GTC',
  });
  // The exchange's last event of the fill may precede the new bid.
  await fix.expect(
    'the whole book',
    (view) => says('W', '|262=M-1|', '|270=60001.')(view) && fix.received.indexOf(view) >= before,
  );
  const bid = (view: MessageView): boolean => 'WX'.includes(view.msgType) && printed(view).includes('|270=59001.');
  await fix.expect('the new bid', bid);
});

test('D4 reports an auction in lockdown: 269=Q as text (FIX.4.4 `standard`), 269=A as entry, 326', async () => {
  const { control } = house.simulator;
  fix.send(request('M-2', 'QA'));
  await fix.expect('that there is none', says('W', '|262=M-2|'));
  fix.send('35=e|324=S-1|55=BTCUSDC|263=1|');
  control.toPhase('BTCUSDC', 'ACCUMULATION');
  const auctioned = { symbol: 'BTCUSDC', price: '60000', timeInForce: 'GTX' } as const;
  control.counterparty({ ...auctioned, side: 'BUY', quantity: '0.05' });
  control.counterparty({ ...auctioned, side: 'SELL', quantity: '0.02' });
  control.toPhase('BTCUSDC', 'LOCKDOWN');
  await fix.expect('the imbalance', says('X', '|262=M-2|', '|269=A|', '|271=0.03', '|277=P|'));
  await fix.expect('the price in words', says('B', 'Auction imbalance of BTCUSDC', 'imbalance BUY 0.03'));
  await fix.expect('the reference price', says('X', '|262=M-2|', '|269=A|', '|270='));
  await fix.expect('its side', says('f', '|324=S-1|', '|625=6|', '|326=9|'));
  fix.send(request('M-4', '2'));
  await fix.expect('the last trade', says('W', '|262=M-4|'));
  control.toPhase('BTCUSDC', 'CROSS');
  await fix.expect('the result', says('f', '|324=S-1|', '|326=17|', '|330=0.02', '|31=60000.'));
  await fix.expect('its trade', says('X', '|262=M-4|', '|269=2|', '|271=0.02', '|625=6|'));
  fix.send('35=V|262=M-4|263=2|264=0|267=1|269=2|146=1|55=BTCUSDC|');
});

test('D4 reports a cut feed with 276=B, and sends the whole book once it is back', async () => {
  const from = fix.received.length;
  const since = (matches: (view: MessageView) => boolean) => (view: MessageView) =>
    fix.received.indexOf(view) >= from && matches(view);
  house.simulator.control.cutStreams('public');
  await fix.expect(
    'that it is down',
    since(says('W', '|262=M-1|', '|269=0|276=B|58=The feed of the exchange is down|')),
  );
  await fix.expect('the whole book', since(says('W', '|262=M-1|', '|270=59001.', '|270=60001.')));
});

test('D4 refuses unknown or not agreed data, and ends a subscription on request', async () => {
  fix.send(request('M-1', '01'));
  await fix.expect('a duplicate', says('Y', '|262=M-1|', '|281=1|'));
  fix.send(request('M-3', '01').replace('BTCUSDC', 'NOSUCH'));
  await fix.expect('an unknown symbol', says('Y', '|262=M-3|', '|281=0|'));
  fix.send('35=V|262=M-1|263=2|264=0|267=1|269=0|146=1|55=BTCUSDC|');
  fix.send(request('M-1', '1'));
  await fix.expect('the same id again', says('W', '|262=M-1|', '|268=1|269=1|'));
  // The rig watched the start as this OMS: its connection may still count.
  const identity = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
  const { connection: venue } = await reconnect(gateway.fixPort, identity, { password: PASSWORD });
  venue.send(request('V-1', '0'));
  await venue.expect('no permission', says('Y', '|262=V-1|', '|281=3|'));
  venue.destroy();
});

test('the day, run again from its journal alone, is identical; its log has the numbers of market data', async () => {
  fix.end();
  expect(await gateway.interrupt()).toBe(0);
  const { state } = house.home;
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  await replayPure(state, fileURLToPath(new URL('../../dictionaries', import.meta.url)));
  expect(said.mock.calls.join('\n')).toMatch(/^identical: /);
  said.mockRestore();
  const numbers: number[] = [];
  for await (const { session, sender, view, note } of readMessageLog(undefined, state)) {
    if (view === null || session?.endsWith('>ACME_OMS') !== true || sender !== ACME.targetCompID) continue;
    if (view.msgType === 'W' || view.msgType === 'X') {
      expect(note).toBe('only its number is kept');
      expect(view.has(Tag.NoMDEntries)).toBe(false);
      numbers.push(view.int(Tag.MsgSeqNum)!);
    }
  }
  const received = fix.received.filter((view) => view.msgType === 'W' || view.msgType === 'X');
  expect(numbers).toEqual(received.map((view) => view.int(Tag.MsgSeqNum)));
});
