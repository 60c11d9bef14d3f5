// Restarts of the simulated exchange with its books in a folder: after a clean end, after kill -9, after forgetting.

import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import { type Class, decodeGraph, encodeGraph } from '../../../src/simulator/memory/graph-encoding.ts';
import { VenueMemory } from '../../../src/simulator/memory/memory.ts';
import { Venue } from '../../../src/simulator/venue/venue.ts';
import { ACCOUNT, Caller, startTestSimulator } from '../exchange-caller.ts';
import { A, B, VenueDesk } from '../venue-desk.ts';

let memoryDirectory: string;
beforeEach(() => {
  memoryDirectory = mkdtempSync(join(tmpdir(), 'simulator-memory-'));
});
afterEach(() => rmSync(memoryDirectory, { recursive: true, force: true }));

const OTHERS = '111000000000003';
const OPTION = 'BTC-USDC-20291228-60000-C';

describe('an exchange that keeps its books', () => {
  test('has its open orders, fills, balances and references after a restart', async () => {
    const first = await startTestSimulator({ memoryDirectory });
    const caller = await Caller.loggedIn(first);
    const resting = await caller.create({ handle: '77', price: '59000.0' });
    const filled = await caller.create({ handle: '78', price: '60000.0' });
    first.control.trade('BTCUSDC', 'SELL', '60000', '0.25');
    await first.close();

    const second = await startTestSimulator({ memoryDirectory });
    const again = await Caller.loggedIn(second);
    expect(second.control.openOrders(ACCOUNT).map(({ orderId }) => orderId)).toEqual([resting, filled]);
    const mine = `tradingAccountId=${ACCOUNT}`;
    const byReference = await again.get(`/trading-api/v2/orders/client-order-id/78?${mine}`);
    expect(byReference.json).toMatchObject({ orderId: filled, quantityFilled: '0.25000000', status: 'OPEN' });
    expect((await again.get(`/trading-api/v1/trades?${mine}`)).json).toMatchObject([{ quantity: '0.25000000' }]);
    await again.send({
      commandType: 'V2CancelOrder',
      orderId: resting,
      handle: null,
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    });
    expect(second.control.order(resting)?.status).toBe('CANCELLED');
    await second.close();
  });

  test('goes on while its disk is full, and remembers everything again once there is room', async () => {
    symlinkSync('/dev/full', join(memoryDirectory, 'commands-1.log'));
    const said: string[] = [];
    let now = 0;
    const first = await startTestSimulator({
      memoryDirectory,
      now: () => Date.now() + now,
      log: (level, text, { reason = '' }) => said.push(`${level} ${text.slice(0, 47)} ${reason.slice(0, 6)}`),
    });
    const caller = await Caller.loggedIn(first);
    const resting = await caller.create({ handle: '79', price: '59000.0' });
    expect(first.control.order(resting)?.status).toBe('OPEN');
    const next = await caller.create({ handle: '80', price: '59000.0' });
    const warning = 'warn the simulated exchange goes on without remember ENOSPC';
    expect(said).toEqual([warning]);
    // The next snapshot finds room.
    now = 2_000;
    const last = await caller.create({ handle: '81', price: '59000.0' });
    expect(said).toEqual([warning, 'info the simulated exchange remembers its books agai ']);
    await first.close();
    const second = await startTestSimulator({ memoryDirectory });
    expect(second.control.openOrders(ACCOUNT).map(({ orderId }) => orderId)).toEqual([resting, next, last]);
    await second.close();
  });

  test('forgets on purpose when restarted without memory, and keeps that', async () => {
    const first = await startTestSimulator({ memoryDirectory });
    const caller = await Caller.loggedIn(first);
    const orderId = await caller.create();
    first.control.restart(false);
    await first.close();
    const second = await startTestSimulator({ memoryDirectory });
    expect(second.control.order(orderId)).toBeNull();
    await second.close();
  });

  test('its ladder is quoted anew, not twice', async () => {
    const first = await startTestSimulator({ memoryDirectory, liquidity: 'still' });
    const before = (await new Caller(first, 'demo-hmac').fetch('/control/state')).json.markets;
    await first.close();
    const second = await startTestSimulator({ memoryDirectory, liquidity: 'still' });
    expect((await new Caller(second, 'demo-hmac').fetch('/control/state')).json.markets).toEqual(before);
    await second.close();
  });

  test('keeps later additions', async () => {
    const first = await startTestSimulator({ memoryDirectory });
    first.control.fund(ACCOUNT, 'BTC', '1.5');
    await first.close();
    const second = await startTestSimulator({ memoryDirectory });
    const caller = await Caller.loggedIn(second);
    const btc = await caller.get(`/trading-api/v1/accounts/asset/BTC?tradingAccountId=${ACCOUNT}`);
    expect(btc.json.availableQuantity).toBe('101.50000000');
    await second.close();
  });

  test('kill -9 after a cross that only time brought about: the same trades with the same ids', async () => {
    const auctions = { coolingMs: 50, accumulationMs: 1_000, lockdownMs: 50 };
    const first = await startTestSimulator({ memoryDirectory, auctions });
    const buyer = await Caller.loggedIn(first);
    const seller = await Caller.loggedIn(first, 'other-hmac');
    const trades = `/trading-api/v1/trades?tradingAccountId=${ACCOUNT}`;
    await expect.poll(() => first.control.auction('BTCUSDC').phase).toBe('ACCUMULATION');
    await buyer.create({ timeInForce: 'GTX', price: '61000.0' });
    await seller.create({ timeInForce: 'GTX', price: '59000.0', side: 'SELL', tradingAccountId: OTHERS });
    // Every request takes an id of the sequence that trades have theirs from.
    const told = await vi.waitFor(
      async () => {
        const { json } = await buyer.get(trades);
        expect(json).toHaveLength(1);
        return json;
      },
      { timeout: 10_000 },
    );
    const copy = mkdtempSync(join(tmpdir(), 'simulator-memory-'));
    cpSync(memoryDirectory, copy, { recursive: true });
    await first.close();
    const second = await startTestSimulator({ memoryDirectory: copy });
    expect((await (await Caller.loggedIn(second)).get(trades)).json).toEqual(told);
    await second.close();
    rmSync(copy, { recursive: true });
  });

  test('a folder that holds something else stops the start with its name', async () => {
    writeFileSync(join(memoryDirectory, 'books.json'), '1 1\n{"nodes":[["x"]]}');
    await expect(startTestSimulator({ memoryDirectory })).rejects.toThrow(memoryDirectory);
  });
});

/** A venue with something of everything in it. */
function busyDesk(record: (desk: VenueDesk) => void = () => {}): VenueDesk {
  const desk = new VenueDesk();
  record(desk);
  desk.phase();
  desk.place('BUY', '1', { timeInForce: 'GTX', clientOrderId: '1' });
  desk.place('SELL', '2', { price: '60100' });
  desk.place('BUY', '1', { price: '60100', account: B });
  desk.place('SELL', '1', { type: 'STOP_LIMIT', stopPrice: '50000', price: '49000' });
  desk.place('SELL', '1', { symbol: 'BTC-USDC-PERP' });
  desk.place('BUY', '0.5', { symbol: 'BTC-USDC-PERP', account: B });
  desk.place('SELL', '1', { symbol: OPTION, price: '5000' });
  desk.place('BUY', '1', { symbol: OPTION, price: '5000', account: B });
  const base = { requestId: '1', tradingAccountId: A, asset: 'BTC' };
  desk.handle({
    kind: 'setMmp',
    ...base,
    windowMs: 1000,
    frozenMs: 1000,
    quantityLimit: Decimal.of('5'),
    deltaLimit: null,
  });
  return desk;
}

test('kill -9: snapshot and command log give the same venue and ids; a cut line is left out', () => {
  const memory = new VenueMemory(memoryDirectory);
  expect(memory.load()).toBeNull();
  const desk = busyDesk((fresh) => {
    const handle = fresh.handle.bind(fresh);
    fresh.handle = (command) => {
      memory.record(fresh.venue, command, fresh.now);
      return handle(command);
    };
  });
  const [log] = readdirSync(memoryDirectory).filter((name) => name.endsWith('.log'));
  appendFileSync(join(memoryDirectory, log!), '{"at":1700000000000,"last":"1","comm');
  const restored = new VenueMemory(memoryDirectory).load();
  const classes = [...new Set([Venue, ...classesOf(desk.venue)])];
  expect(encodeGraph(restored, classes)).toBe(encodeGraph(desk.venue, classes));
  expect(restored!.floor.openOrders(A).map(({ orderId }) => orderId)).toEqual(
    desk.venue.floor.openOrders(A).map(({ orderId }) => orderId),
  );
  // It goes on as the other would have.
  const command = desk.command('BUY', '1', { account: B, price: '61000' });
  restored!.floor.identifiers.resume(BigInt(desk.venue.floor.identifiers.latest));
  const plain = (events: unknown): string => JSON.stringify(events);
  expect(plain(restored!.handle(command, desk.now))).toBe(plain(desk.venue.handle(command, desk.now)));
});

test('a full log becomes a snapshot beside the venue, which goes on; kill -9 at any moment loses nothing', async () => {
  const memory = new VenueMemory(memoryDirectory, undefined, 20_000);
  memory.load();
  const desk = new VenueDesk();
  const handle = desk.handle.bind(desk);
  desk.handle = (command) => {
    memory.record(desk.venue, command, desk.now);
    return handle(command);
  };
  const classes = () => [...new Set([Venue, ...classesOf(desk.venue)])];
  const books = () => readFileSync(join(memoryDirectory, 'books.json'), 'utf8').slice(0, 8);
  desk.place('BUY', '0.1', { price: '59000' });
  const first = books();
  const atOnce = () => {
    for (let k = 0; k < 100; k++) desk.place('BUY', '0.1', { price: '59000' });
    const copy = mkdtempSync(join(tmpdir(), 'simulator-memory-'));
    cpSync(memoryDirectory, copy, { recursive: true });
    const restored = new VenueMemory(copy).load();
    rmSync(copy, { recursive: true });
    expect(encodeGraph(restored, classes())).toBe(encodeGraph(desk.venue, classes()));
  };
  // Several logs are full before the thread has begun.
  atOnce();
  expect(books()).toBe(first);
  await expect.poll(() => books()).not.toBe(first);
  atOnce();
  await expect.poll(() => readdirSync(memoryDirectory).length).toBeLessThanOrEqual(6);
  atOnce();
  memory.close(desk.venue);
  expect(readdirSync(memoryDirectory).filter((name) => name.endsWith('.log'))).toHaveLength(1);
  expect(encodeGraph(new VenueMemory(memoryDirectory).load(), classes())).toBe(encodeGraph(desk.venue, classes()));
});

describe('a disk that takes nothing for a while', () => {
  const classes = (desk: VenueDesk) => [...new Set([Venue, ...classesOf(desk.venue)])];
  const remembering = () => {
    const said: string[] = [];
    const memory = new VenueMemory(memoryDirectory, (level, text) => said.push(`${level} ${text.slice(0, 48)}`));
    memory.load();
    const desk = new VenueDesk();
    const handle = desk.handle.bind(desk);
    desk.handle = (command) => {
      memory.record(desk.venue, command, desk.now);
      return handle(command);
    };
    memory.begin(desk.venue, desk.now);
    return { memory, desk, said };
  };
  /** Where the next log would be, there is no room. */
  const fill = (generation: number) => symlinkSync('/dev/full', join(memoryDirectory, `commands-${generation}.log`));
  /** A log that took nothing is an empty file on a real disk. */
  const emptied = (generation: number) => {
    const path = join(memoryDirectory, `commands-${generation}.log`);
    rmSync(path);
    writeFileSync(path, '');
  };
  const books = () => readFileSync(join(memoryDirectory, 'books.json'), 'utf8');

  test('commands that found no room are written later, without a snapshot that stops every order', () => {
    const { memory, desk, said } = remembering();
    desk.place('BUY', '0.1', { price: '59000' });
    const before = books();
    // The disk is full from the next command on.
    fill(2);
    fill(3);
    Object.assign(memory, { logBytesMax: 0 });
    for (let k = 0; k < 10; k++) desk.place('BUY', '0.1', { price: '58000' });
    desk.now += 1_000;
    desk.place('BUY', '0.1', { price: '57000' });
    expect(said).toEqual([expect.stringContaining('warn the simulated exchange goes on without')]);
    Object.assign(memory, { logBytesMax: 8_000_000 });
    desk.now += 1_000;
    desk.place('BUY', '0.1', { price: '56000' });
    expect(said.at(-1)).toContain('info the simulated exchange remembers its books');
    expect(books()).toBe(before);
    emptied(2);
    const restored = new VenueMemory(memoryDirectory).load();
    expect(encodeGraph(restored, classes(desk))).toBe(encodeGraph(desk.venue, classes(desk)));
  });

  test('bounds its waiting work: a snapshot has the dropped part', () => {
    const { memory, desk, said } = remembering();
    fill(2);
    Object.assign(memory, { logBytesMax: 0 });
    desk.place('BUY', '0.1', { price: '59000' });
    desk.place('BUY', '0.1', { price: '59000' });
    Object.assign(memory, { missed: null });
    rmSync(join(memoryDirectory, 'commands-2.log'), { force: true });
    desk.now += 1_000;
    desk.place('BUY', '0.1', { price: '56000' });
    expect(said).toHaveLength(2);
    const restored = new VenueMemory(memoryDirectory).load();
    expect(encodeGraph(restored, classes(desk))).toBe(encodeGraph(desk.venue, classes(desk)));
  });

  test('a restart has them, whatever was cut before', () => {
    const { memory, desk } = remembering();
    for (let k = 0; k < 3; k++) desk.place('BUY', '0.1', { price: '59000' });
    fill(2);
    Object.assign(memory, { logBytesMax: 0 });
    for (let k = 0; k < 5; k++) desk.place('BUY', '0.1', { price: '58000' });
    emptied(2);
    appendFileSync(join(memoryDirectory, 'commands-2.log'), '{"at":17000');
    Object.assign(memory, { logBytesMax: 8_000_000 });
    desk.now += 1_000;
    for (let k = 0; k < 5; k++) desk.place('BUY', '0.1', { price: '57000' });
    const restored = new VenueMemory(memoryDirectory).load();
    expect(encodeGraph(restored, classes(desk))).toBe(encodeGraph(desk.venue, classes(desk)));
  });
});

test('logs that wait for a thread slower than the venue are bounded: a snapshot takes their place', () => {
  const said: string[] = [];
  const memory = new VenueMemory(memoryDirectory, (_level, text) => said.push(text), 1_000);
  memory.load();
  const desk = new VenueDesk();
  memory.begin(desk.venue, desk.now);
  // The thread never has its turn: nothing here waits for it.
  for (let k = 0; k < 200; k++) {
    const command = desk.command('BUY', '0.1', { price: '59000' });
    memory.record(desk.venue, command, desk.now);
    desk.handle(command);
    const logs = readdirSync(memoryDirectory).filter((name) => name.endsWith('.log')).length;
    expect(logs).toBeLessThanOrEqual(17);
  }
  expect(said.some((text) => text.includes('slower than the venue'))).toBe(true);
  memory.close(desk.venue);
});

/** Every class with instances reachable from `root`. */
function classesOf(root: object): Class[] {
  const seen = new Set<object>();
  const found = new Set<Class>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value) || value instanceof Decimal) return;
    seen.add(value);
    if (value instanceof Map) for (const entry of value) visit(entry);
    else if (value instanceof Set || Array.isArray(value)) for (const item of value) visit(item);
    else {
      const type = value.constructor as unknown as Class;
      if ((type as unknown) !== Object) found.add(type);
      for (const item of Object.values(value)) visit(item);
    }
  };
  visit(root);
  return [...found];
}

test('a graph comes back with its sharing, cycles, big integers and decimals; an unnamed class is an error', () => {
  class Named {
    value = 1n;
  }
  const shared = { price: Decimal.of('1.50'), self: null as unknown };
  shared.self = shared;
  const graph = { map: new Map([['a', shared]]), set: new Set([shared]), named: new Named(), nothing: undefined };
  const back = decodeGraph(encodeGraph(graph, [Named]), [Named]) as typeof graph;
  expect(back.map.get('a')).toBe([...back.set][0]);
  expect((back.map.get('a') as typeof shared).self).toBe(back.map.get('a'));
  expect(back.map.get('a')?.price.toString()).toBe('1.50');
  expect(back.named).toBeInstanceOf(Named);
  expect(back.named.value).toBe(1n);
  expect('nothing' in back).toBe(true);
  expect(() => encodeGraph(graph, [])).toThrow('Named');
});
