// Turns: commands that wait for another's answer, and those that pass it (rule X3), at an exchange that answers on
// request.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ExchangeCommand } from '../../../src/exchange/mod.ts';
import { DEFAULT_SETTINGS } from '../../../src/exchange-client/options.ts';
import { type RawHttpServer, rawAnswer, startRawHttpServer } from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, limitBuy, type Observed, observe } from '../venue.ts';

/** Arrivals in short, in order. */
let arrived: string[];
let answers: Map<string, () => void>;
let looks: (() => void)[];
let requests = 0;
let server: RawHttpServer;
let observed: Observed;

beforeEach(async () => {
  [arrived, answers, looks] = [[], new Map(), []];
  server = await startRawHttpServer((request) => {
    if (!request.startsWith('POST') || request.includes('/login')) return readAnswer(request);
    return (socket) => {
      const { command } = JSON.parse(request.slice(request.indexOf('\r\n\r\n'))) as { command: Record<string, string> };
      const name = `${command.commandType} ${command.orderId ?? command.handle ?? command.clientOrderId ?? command.symbol}`;
      arrived.push(name);
      answers.set(name, () => socket.write(rawAnswer(200, `{"requestId":"${++requests}","orderId":"2"}`)));
      for (const look of looks.splice(0)) look();
    };
  });
  // Nothing goes out because it has waited long enough.
  const timeouts = { overtakeMs: 60_000, cancelWaitMs: 60_000, orderWaitMs: 60_000, requestMs: 60_000 };
  observed = observe({ ...scriptedOptions(server.url, []), timeouts });
  await observed.client.start();
});

afterEach(async () => {
  await observed.client.close();
  await server.close();
});

const submit = (command: ExchangeCommand) => observed.client.submit(`c${arrived.length}`, command);
async function until(count: number): Promise<void> {
  while (arrived.length < count) await new Promise<void>((resolve) => looks.push(resolve));
}

const about = { symbol: 'BTCUSDC', tradingAccountId: ACCOUNT } as const;
const cancel = (orderId: string | null, clientOrderId: string | null): ExchangeCommand => ({
  kind: 'cancelOrder',
  orderId,
  clientOrderId,
  ...about,
});
const amend = (orderId: string): ExchangeCommand => ({
  kind: 'amendOrder',
  orderId,
  clientOrderId: '77',
  type: null,
  price: '50001.0',
  quantity: null,
  ...about,
});

test('S14 an order passes those of another session that have no connection yet', async () => {
  const { connectionsMax } = DEFAULT_SETTINGS;
  const burst = connectionsMax + 10;
  for (let i = 1; i <= burst; i++) void observed.client.submit(`burst-${i}`, limitBuy(`${i}`), 'FLOOD');
  await until(connectionsMax);
  void observed.client.submit('one', limitBuy('900'), 'OTHER');
  answers.get('V2CreateOrder 1')!();
  answers.get('V2CreateOrder 2')!();
  await until(connectionsMax + 2);
  expect(arrived.slice(connectionsMax)).toContain('V2CreateOrder 900');
});

test('X3 a cancel by our reference waits for the answer to its create, and no other command does', async () => {
  void submit(limitBuy('1'));
  await until(1);
  const held = submit(cancel(null, '1'));
  for (const command of [cancel(null, '2'), limitBuy('3'), cancel('4', null), amend('5')]) void submit(command);
  await until(5);
  expect(arrived).toEqual([
    'V2CreateOrder 1',
    'V2CancelOrder 2',
    'V2CreateOrder 3',
    'V2CancelOrder 4',
    'V1AmendOrder 5',
  ]);
  answers.get('V2CreateOrder 1')!();
  await until(6);
  expect(arrived.at(-1)).toBe('V2CancelOrder 1');
  answers.get('V2CancelOrder 1')!();
  expect((await held).kind).toBe('accepted');
});

test("X3 commands by the exchange's own id keep their order too: amend, cancel, cancel again", async () => {
  void submit(amend('5'));
  await until(1);
  void submit(cancel('5', null));
  void submit(cancel('5', null));
  void submit(limitBuy('9'));
  await until(2);
  expect(arrived).toEqual(['V1AmendOrder 5', 'V2CreateOrder 9']);
  answers.get('V1AmendOrder 5')!();
  await until(3);
  void submit(limitBuy('10'));
  await until(4);
  expect(arrived.slice(2)).toEqual(['V2CancelOrder 5', 'V2CreateOrder 10']);
  answers.get('V2CancelOrder 5')!();
  await until(5);
  expect(arrived.slice(4)).toEqual(['V2CancelOrder 5']);
});

test('X3 only the cancel of its order withdraws a waiting amendment', async () => {
  void submit(amend('5'));
  await until(1);
  const waiting = submit(amend('5'));
  void submit(cancel('6', null));
  await until(2);
  expect(await Promise.race([waiting, 'it waits'])).toBe('it waits');
  void submit(cancel('5', null));
  expect(await waiting).toMatchObject({ kind: 'refused', httpStatus: null, withdrawn: true });
  answers.get('V1AmendOrder 5')!();
  await until(3);
  expect(arrived).toEqual(['V1AmendOrder 5', 'V2CancelOrder 6', 'V2CancelOrder 5']);
});

test('X3 a cancel of a market or account withdraws waiting commands there and nowhere else', async () => {
  void submit(amend('5'));
  await until(1);
  const account = { tradingAccountId: ACCOUNT } as const;
  for (const all of [{ kind: 'cancelAllByMarket', ...about } as const, { kind: 'cancelAll', ...account } as const]) {
    const waiting = submit(amend('5'));
    const from = arrived.length;
    void submit({ kind: 'cancelAllByMarket', symbol: 'ETHUSDC', ...account });
    void submit({ kind: 'cancelAll', tradingAccountId: '111000000000002' });
    await until(from + 2);
    expect(await Promise.race([waiting, 'it waits'])).toBe('it waits');
    void submit(all);
    expect(await waiting).toMatchObject({ kind: 'refused', httpStatus: null, withdrawn: true });
    await until(from + 3);
  }
});

test('C3 of orders ten thousand wait here, one more is refused at once; of cancels many more do', async () => {
  const timeouts = { cancelWaitMs: 60_000, orderWaitMs: 60_000 };
  // It has no login yet.
  const { client } = observe({ ...scriptedOptions(server.url, []), timeouts });
  const cancels = Array.from({ length: 10_001 }, (_, i) => client.submit(`x${i}`, cancel(`${i}`, null)));
  const orders = Array.from({ length: 10_001 }, (_, i) => client.submit(`c${i}`, limitBuy(`${i}`)));
  const refusal = { kind: 'refused', httpStatus: null };
  expect(await orders[10_000]).toMatchObject({ ...refusal, message: 'too many commands wait for the exchange' });
  expect(await Promise.race([cancels[10_000], orders[9_999], 'both wait'])).toBe('both wait');
  await client.close();
  for (const one of [cancels[10_000], orders[0], orders[9_999]]) {
    expect(await one).toMatchObject({ ...refusal, message: 'the exchange client is closed' });
  }
});
