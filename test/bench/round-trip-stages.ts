// What the gateway itself adds to an order, by stage, from marks made inside its process (round-trip-gateway.ts): from the
// moment that the bytes of a D were read to the moment that the signed POST was handed to the operating system, and from the
// moment that the order's frame was read off the stream to the moment that the bytes of the 8 were. Signing and the wait for
// the disk lie within these times: they are taken out and shown beside; writing the journal is not taken out. Orders leave at
// fixed times, slow enough that they do not queue for each other: those that overlapped are counted and left out. A process
// that waits in between finds its caches cold. Beside it stands what the same stages take in a process that checks, keeps
// and numbers nothing (bare-translator.ts).
//
// The gateway has a processor to itself: on the same one the exchange, woken by the POST, would run before the write of it
// returns, and a millisecond of its work would count as the gateway's. For the same reason the receiver's part of what is
// sent over loopback is given to the other one, where that may be set, as it is another machine's behind a network; and as
// on a machine set up for it (sessions/README.md), processors are kept from sleeping.

import { join } from 'node:path';
import process from 'node:process';
import { ACME, limitOrder, PASSWORD } from '../support/exchange-house.ts';
import { ExchangeProcess, UNLIMITED } from '../support/exchange-process.ts';
import { GatewayHome } from '../support/gateway-process.ts';
import { LineProcess } from '../support/line-process.ts';
import { type Mark, percentile, readMarks } from './marks.ts';
import { keepAwake, pin, receiveOn, unpin } from './processors.ts';
import { BenchClient } from './session-client.ts';

const ORDERS = 2_500;
/** Sent before, ten in flight: a gateway that has been up for a while runs optimized code. */
const WARM_UP = 20_000;
const WARM_UP_IN_FLIGHT = 10;
/** Before each pace, longer than anything holds an order up: the marks are told apart by it. */
const PAUSE_MS = 3_000;
/** Orders a second, open loop: an order leaves at its time, whatever became of the one before. Null: one in flight. */
const PACES = [100, 500, null] as const;
type Pace = (typeof PACES)[number];
const GATEWAY_PROCESSOR = 0;
const OTHER_PROCESSOR = 1;

/** How the gateway waits for the next message; `asItIs`: on a machine as it is found. */
export interface StagesOptions {
  readonly busyPollMicros: number;
  readonly idleMicros: number;
  readonly asItIs: boolean;
}

/** Microseconds of one order by stage. */
interface Stages {
  readonly inbound: number[];
  readonly outbound: number[];
  readonly sum: number[];
  readonly signing: number[];
  readonly write: number[];
  readonly socket: number[];
  readonly sync: number[];
}

type Part = 'signing' | 'journal' | 'sync' | 'socket';

/** What lies between two marks, without what is between `begins` and `ends` of signing and sync. */
function split(marks: readonly Mark[], from: number, to: number): { own: number } & Record<Part, number> {
  const first = marks[from]!.at;
  const spent: Record<Part, number> = { signing: 0, journal: 0, sync: 0, socket: 0 };
  const begun: Record<Part, number | null> = { signing: null, journal: null, sync: null, socket: null };
  for (let i = from; i <= to; i++) {
    const { at, name } = marks[i]!;
    if (i === to && begun.socket !== null) spent.socket += at - begun.socket;
    const [what, how] = name.split(' ') as [Part, string];
    if (!(what in spent)) continue;
    if (how === 'begins') begun[what] = at;
    else {
      // What began before the order came is counted from there.
      spent[what] += at - (begun[what] ?? first);
      begun[what] = null;
    }
  }
  return { own: marks[to]!.at - first - spent.signing - spent.sync, ...spent };
}

/** One order per frame in at `starts`; an order that another one overlapped is left out, and counted. */
function stagesOf(marks: readonly Mark[], starts: readonly number[]): { stages: Stages; overlapped: number } {
  const stages: Stages = { inbound: [], outbound: [], sum: [], signing: [], write: [], socket: [], sync: [] };
  let overlapped = 0;
  for (const [n, start] of starts.slice(0, -1).entries()) {
    const next = starts[n + 1]!;
    const names = marks.slice(start, next).map(({ name }) => name);
    const sent = names.indexOf('request out');
    const told = sent === -1 ? -1 : names.indexOf('bytes out', sent);
    // The first: others of the order that were read with it stand in the way of its report.
    const heard = told === -1 ? -1 : names.indexOf('stream frame in', sent);
    if (heard === -1 || heard > told) {
      overlapped++;
      continue;
    }
    const way = split(marks, start, start + sent);
    const back = split(marks, start + heard, start + told);
    stages.inbound.push(way.own);
    stages.outbound.push(back.own);
    stages.sum.push(way.own + back.own);
    stages.signing.push(way.signing);
    stages.write.push(way.journal + back.journal);
    stages.socket.push(way.socket + back.socket);
    stages.sync.push(way.sync + back.sync);
  }
  return { stages, overlapped };
}

const nameOf = (pace: Pace): string => (pace === null ? 'one in flight' : `${pace} orders/s`);

/** Send so many at a pace; with none, each when the one before was answered. */
async function atPace(pace: Pace, send: (i: number) => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const begun = performance.now();
  for (let i = 0; i < ORDERS; i++) {
    const wait = pace === null ? 0 : begun + (i * 1000) / pace - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const answered = send(i);
    if (pace === null) await answered;
  }
}

/** What the least that can be between an OMS and the exchange takes, one in flight. */
async function measureBare(): Promise<void> {
  const home = await GatewayHome.create();
  const exchange = await ExchangeProcess.start({ keys: home.secrets, more: ['--liquidity', 'off', '--no-limits'] });
  const file = join(home.folder, 'stages');
  const key = join(home.secrets, 'demo-hmac.json');
  const script = join(import.meta.dirname, 'bare-translator.ts');
  // One that begins with a single processor does not poll.
  unpin(process.pid);
  const child = new LineProcess(process.execPath, [script, exchange.url, key], { env: { CROSSGATE_STAGES: file } });
  const { port } = JSON.parse(await child.line(/^\{/, 60_000)) as { port: number };
  pin(child.pid, GATEWAY_PROCESSOR);
  pin(process.pid, OTHER_PROCESSOR);
  const client = await BenchClient.open({ port, sender: 'A', target: 'B' });
  let answered: () => void = () => {};
  client.onFrame = () => answered();
  let orders = 0;
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve;
      // What is no number the exchange would not take.
      const [head = '', ...fields] = limitOrder(String(++orders), '0.0001', '50000.0').split('|');
      client.socket.write(client.render(head, fields.join('|')));
    });
  for (let i = 0; i < WARM_UP; i++) await send();
  await atPace(null, send);
  await send();
  client.socket.destroy();
  await child.kill('SIGINT');
  const { clock } = await readMarks(file);
  const starts = clock.flatMap(({ name }, i) => (name === 'frame in' ? [i] : [])).slice(WARM_UP);
  print('a bare translator, hmac, one in flight', stagesOf(clock, starts));
  await home.remove();
  await exchange.remove();
}

/** An OMS that does little: sends limit orders, and is told of the first report of each. */
async function openOms(port: number): Promise<{ order(clOrdID: string): Promise<void>; close(): void }> {
  const { senderCompID: sender, targetCompID: target } = ACME;
  const client = await BenchClient.open({ port, sender, target, password: PASSWORD });
  await client.logOn();
  const waiting = new Map<string, () => void>();
  client.onFrame = (text) => {
    const from = text.indexOf('\u000111=') + 4;
    const clOrdID = text.slice(from, text.indexOf('\u0001', from));
    waiting.get(clOrdID)?.();
    waiting.delete(clOrdID);
  };
  return {
    order: (clOrdID) =>
      new Promise((resolve) => {
        waiting.set(clOrdID, resolve);
        const [head = '', ...fields] = limitOrder(clOrdID, '0.0001', '50000.0').split('|');
        client.socket.write(client.render(head, fields.join('|')));
      }),
    close: () => client.socket.destroy(),
  };
}

/** Marks at which frames came in, by pace: each pace begins after a pause longer than any other. */
function startsByPace(marks: readonly Mark[]): number[][] {
  const starts = marks.flatMap(({ name }, i) => (name === 'frame in' ? [i] : []));
  const pauses = starts.map((start, n) => ({ n, pause: n === 0 ? 0 : marks[start]!.at - marks[starts[n - 1]!]!.at }));
  const begins = pauses
    .toSorted((a, b) => b.pause - a.pause)
    .slice(0, PACES.length)
    .map(({ n }) => n)
    .toSorted((a, b) => a - b);
  return begins.map((begin, k) => starts.slice(begin, begins[k + 1]));
}

async function measure(
  key: 'hmac' | 'ecdsa',
  durability: 'process' | 'disk',
  { busyPollMicros, idleMicros }: StagesOptions,
): Promise<void> {
  const home = await GatewayHome.create();
  const exchange = await ExchangeProcess.start({ keys: home.secrets, more: ['--liquidity', 'off', '--no-limits'] });
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    busyPollMicros,
    'rehearsal.idleMicros': idleMicros,
    // Its streams have the exchange send frames of balances with every order.
    bridge: { enabled: false },
    'exchange.rates': UNLIMITED,
    'exchange.credentials.0.key': `file:${join(home.secrets, `demo-${key}.json`)}`,
  });
  await home.configure('MIDDLE_OFFICE.yaml', { durability });
  await home.configure('ACME_OMS.yaml', {
    durability,
    // What a disconnect would do is measured elsewhere.
    cancelOnDisconnect: { on: 'off' },
    'limits.openOrdersMax': 100_000,
    'limits.notionalMax': '1000000000',
    'limits.priceBandPercent': 'off',
  });
  const file = join(home.folder, 'stages');
  // One that begins with a single processor does not poll.
  unpin(process.pid);
  const gateway = await home.start(exchange.url, { CROSSGATE_STAGES: file }, 'test/bench/round-trip-gateway.ts');
  pin(gateway.process.pid, GATEWAY_PROCESSOR);
  pin(process.pid, OTHER_PROCESSOR);
  const oms = await openOms(gateway.fixPort);
  const inFlight: Promise<void>[] = [];
  for (let i = 0; i < WARM_UP; i++) {
    inFlight.push(oms.order(`w-${i}`));
    if (inFlight.length >= WARM_UP_IN_FLIGHT) await inFlight.shift();
  }
  await Promise.all(inFlight);
  for (const pace of PACES) {
    let answered: Promise<void> = Promise.resolve();
    await atPace(pace, (i) => {
      answered = oms.order(`${pace}-${i}`);
      return answered;
    });
    await answered;
    // One more, so that the last has an end.
    await oms.order(`end-${pace}`);
  }
  oms.close();
  await gateway.interrupt();
  const { clock } = await readMarks(file);
  for (const [k, starts] of startsByPace(clock).entries()) {
    print(`${key}, durability ${durability}, ${nameOf(PACES[k]!)}`, stagesOf(clock, starts));
  }
  await home.remove();
  await exchange.remove();
}

const NAMES = {
  inbound: 'frame in → signed request out',
  outbound: 'stream frame in → report out',
  sum: 'sum of both',
  write: '  of it: journal, written',
  socket: '  of it: two writes to sockets',
  signing: 'beside it: signing',
  sync: 'beside it: the disk',
} as const;

function print(title: string, { stages, overlapped }: ReturnType<typeof stagesOf>): void {
  console.log(`${title}: ${stages.sum.length} orders, ${overlapped} left out because they overlapped`);
  console.log(`${'stage, µs'.padEnd(36)}${'p50'.padStart(9)}${'p99'.padStart(9)}${'p99.9'.padStart(9)}`);
  for (const [stage, name] of Object.entries(NAMES)) {
    const sorted = stages[stage as keyof Stages].toSorted((a, b) => a - b);
    const figures = [0.5, 0.99, 0.999].map((p) => percentile(sorted, p).toFixed(0).padStart(9));
    console.log(name.padEnd(36) + figures.join(''));
  }
}

/** Run the measurement for each kind of key and print a table each. */
export async function runStages(options: StagesOptions): Promise<void> {
  const { busyPollMicros, idleMicros, asItIs } = options;
  // Inherited by the exchange.
  if (!pin(process.pid, OTHER_PROCESSOR))
    console.log('processors cannot be chosen here (taskset): figures include waits for one');
  const keepsAwake = !asItIs && keepAwake();
  const host = asItIs ? null : receiveOn(OTHER_PROCESSOR);
  const how = [
    keepsAwake ? 'processors kept awake' : 'processors sleep as they like',
    host === null ? 'receivers served by the sender' : 'receivers served by the other processor',
    ...(idleMicros === 0 ? [] : [`made-up orders taken after ${idleMicros} µs without a message`]),
  ];
  console.log(
    `D → 8 (New) inside the gateway, ${ORDERS} orders at each pace after ${WARM_UP}, bridge off, it polls for ${busyPollMicros} µs, ${how.join(', ')}`,
  );
  try {
    await measureBare();
    for (const key of ['hmac', 'ecdsa'] as const) await measure(key, 'process', options);
    await measure('ecdsa', 'disk', options);
  } finally {
    host?.restore();
  }
}
