// The demonstration against a scripted gateway: complete when every report comes, and saying what is missing when not.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { percentOf } from '../../src/interop/demo-script.ts';
import { runDemo } from '../../src/interop/mod.ts';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { type ScriptedAcceptor, scriptedAcceptor } from '../support/network/scripted-acceptor.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** The public REST addresses that the demo reads; the auction is in COOLING at the first question. */
async function publicExchange(): Promise<string> {
  let asked = 0;
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/auctions')) {
      asked += 1;
      const phase = asked === 1 ? 'COOLING' : 'ACCUMULATION';
      response.end(JSON.stringify({ data: [{ auctionId: '1', phase, createAuctionOrderEnabled: asked > 1 }] }));
    } else if (path.endsWith('/orderbook/hybrid')) {
      const level = (price: string) => [{ price, priceLevelQuantity: '1' }];
      response.end(JSON.stringify({ bids: level('59999.9'), asks: level('60000.1') }));
    } else response.end(JSON.stringify({ symbol: 'BTCUSDC', tickSize: '0.1000' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => await new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function execReport(view: MessageView, fields: string): string {
  const number = `37=x-${view.string(Tag.ClOrdID)}|17=${Math.random()}`;
  return `35=8|${number}|11=${view.string(Tag.ClOrdID)}|${fields}|55=BTCUSDC|54=1|38=1|6=0|14=0|151=1`;
}

/** Answers as the gateway would; `silent` ones are left out. */
async function gateway(silent: readonly string[] = []): Promise<ScriptedAcceptor> {
  const acceptor = await scriptedAcceptor({
    script: (view, reply) => {
      const say = (execType: string, ordStatus: string, more = ''): void => {
        if (!silent.includes(execType)) reply(execReport(view, `150=${execType}|39=${ordStatus}${more}`));
      };
      if (view.msgType === 'F') return say('4', '4', `|41=${view.string(Tag.OrigClOrdID)}`);
      say('0', '0');
      if (view.string(Tag.OrdType) === '1' || view.string(Tag.TimeInForce) === '4') say('F', '2');
      if (view.string(Tag.TimeInForce) !== '5') return;
      if (view.decimal(Tag.OrderQty)?.compare(Decimal.of('1')) === -1) return say('F', '2');
      say('F', '1');
      say('C', 'C');
    },
  });
  closers.push(acceptor.close);
  return acceptor;
}

async function demo(acceptor: ScriptedAcceptor, print: (line: string) => void, reportTimeoutMs = 5_000) {
  return await runDemo({
    host: '127.0.0.1',
    port: acceptor.port,
    senderCompID: 'ACME_OMS',
    targetCompID: 'EXCHANGE_TEST',
    password: 'open sesame',
    account: '111000000000001',
    exchangeUrl: await publicExchange(),
    reportTimeoutMs,
    auctionTimeoutMs: reportTimeoutMs,
    print,
  });
}

test('is complete when every ExecutionReport comes, and shows each message on one aligned line', async () => {
  const lines: string[] = [];
  const acceptor = await gateway();
  const result = await demo(acceptor, (line) => lines.push(line));
  expect(result).toMatchObject({ complete: true, missing: [], expected: 11, seen: 11 });

  const orders = acceptor.connections[0]!.received.filter((view) => view.msgType === 'D');
  expect(orders.map((view) => [view.string(Tag.OrdType), view.string(Tag.TimeInForce)])).toEqual([
    ['2', '1'],
    ['1', '3'],
    ['2', '4'],
    ['2', '5'],
    ['2', '5'],
  ]);
  const messages = lines.filter((line) => /OMS (->|<-) XG/.test(line));
  expect(messages.length).toBe(acceptor.connections[0]!.received.length + 13);
  for (const line of messages) expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}OMS (->|<-) XG +\d+ {2}\w+/);
  expect(messages.filter((line) => line.includes('TimeInForce=5(')).length).toBeGreaterThanOrEqual(2);
  expect(lines.join('\n')).not.toContain('open sesame');
  expect(lines.filter((line) => line.endsWith('yes')).length).toBe(11);
});

test('names every report that is missing', async () => {
  const lines: string[] = [];
  const result = await demo(await gateway(['C']), (line) => lines.push(line), 2_000);
  expect(result).toMatchObject({ complete: false, expected: 11, seen: 10 });
  expect(lines.at(-1)).toBe('missing: limit GTX, rest stays unfilled: Expired, the unfilled rest (150=C 39=C)');
});

test('stops at a refusal and repeats its Text(58)', async () => {
  const acceptor = await scriptedAcceptor({
    script: (view, reply) => reply(execReport(view, '150=8|39=8|103=99|58=no such account')),
  });
  closers.push(acceptor.close);
  const result = await demo(acceptor, () => {});
  expect(result.complete).toBe(false);
  expect(result.missing[0]).toBe('limit GTC, rests, then F: New (150=0 39=0): refused: no such account');
});

test('says so if the port is closed', async () => {
  const acceptor = await gateway();
  await acceptor.close();
  const result = await demo(acceptor, () => {});
  expect(result.complete).toBe(false);
  expect(result.missing[0]).toMatch(/no Logon at 127\.0\.0\.1/);
});

test('prices are exact multiples of the tick', () => {
  const tick = Decimal.of('0.1000');
  expect(percentOf(Decimal.of('59999.9'), 98, tick)).toBe('58799.9');
  expect(percentOf(Decimal.of('60000.10'), 101, tick)).toBe('60600.1');
  expect(percentOf(Decimal.of('3000'), 100, Decimal.of('0.01'))).toBe('3000');
});
