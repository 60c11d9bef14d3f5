// The gateway's own part of an order by stage (stage-times.ts), beside the same stages in a process without checks,
// records or numbers. All take turns, a block of orders each: a shared machine changes its speed within seconds, and a
// quick minute would flatter its runner. Orders leave at fixed times, slow enough that they do not queue for each
// other. A process that waits in between finds its caches cold.
//
// The measured process has a processor to itself. On a shared one the exchange, woken by the POST, would run before the
// write returns, and its millisecond would count as the gateway's. For the same reason the other processor receives
// loopback traffic where possible, as another machine would behind a network. Processors are kept from sleeping, as on
// a tuned machine (docs/operate/low-latency.md).

import process from 'node:process';
import type { KeptMarks } from './marks.ts';
import { keepAwake, pin, receiveOn } from './processors.ts';
import { OTHER_PROCESSOR, openBare, openGateway, type StagedProcess } from './stage-processes.ts';
import { type Block, head, StageTimes } from './stage-times.ts';

const ROUNDS = 10;
/** In one turn, at one pace. */
const ORDERS = 250;
/** Sent first in each turn, and not counted. */
const LEAD = 25;
/** Sent before, ten in flight: a process that has been up for a while runs optimized code. */
const WARM_UP = 20_000;
const WARM_UP_IN_FLIGHT = 10;
/** Before and behind each turn: whatever belongs to it happens within half of it. */
const PAUSE_MS = 200;
/** Orders a second, open loop: an order leaves at its time, whatever became of the one before. Null: one in flight. */
const PACES = [100, 500, null] as const;
type Pace = (typeof PACES)[number];

/** How the gateway waits for the next message; `asItIs`: on a machine as it is found. */
export interface StagesOptions {
  readonly busyPollMicros: number;
  readonly asItIs: boolean;
}

const titleOf = (pace: Pace): string => (pace === null ? 'one in flight' : `${pace} orders/s`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const epochMs = (): number => performance.timeOrigin + performance.now();

async function warmUp({ order }: StagedProcess): Promise<void> {
  const inFlight: Promise<void>[] = [];
  for (let i = 0; i < WARM_UP; i++) {
    inFlight.push(order(`w-${i}`));
    if (inFlight.length >= WARM_UP_IN_FLIGHT) await inFlight.shift();
  }
  await Promise.all(inFlight);
}

/** Orders of one turn, one in flight each when the one before was answered. */
async function takeTurn({ order }: StagedProcess, pace: Pace, round: number): Promise<Block> {
  await pause(PAUSE_MS);
  const from = epochMs() - PAUSE_MS / 2;
  const begun = performance.now();
  const answers: Promise<void>[] = [];
  for (let i = 0; i < LEAD + ORDERS; i++) {
    const wait = pace === null ? 0 : begun + (i * 1000) / pace - performance.now();
    if (wait > 0) await pause(wait);
    const answered = order(`${titleOf(pace)}-${round}-${i}`);
    answers.push(answered);
    if (pace === null) await answered;
  }
  await Promise.all(answers);
  await pause(PAUSE_MS);
  return { from, to: epochMs() - PAUSE_MS / 2, lead: LEAD };
}

async function measure({ busyPollMicros }: StagesOptions): Promise<void> {
  const ways = { busyPollMicros };
  const all = [
    await openBare(),
    await openGateway({ key: 'hmac', durability: 'process', ...ways }),
    await openGateway({ key: 'ecdsa', durability: 'process', ...ways }),
    await openGateway({ key: 'hmac', durability: 'disk', ...ways }),
    await openGateway({ key: 'ecdsa', durability: 'disk', ...ways }),
  ];
  for (const one of all) {
    console.error(`warming up: ${one.name}`);
    await warmUp(one);
  }
  const blocks = all.map(() => new Map<Pace, Block[]>(PACES.map((pace) => [pace, []])));
  for (const pace of PACES) {
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`${titleOf(pace)}: turn ${round + 1} of ${ROUNDS}`);
      for (let k = 0; k < all.length; k++) {
        const at = (k + round) % all.length;
        blocks[at]!.get(pace)!.push(await takeTurn(all[at]!, pace, round));
      }
    }
  }
  const marks: KeptMarks[] = [];
  for (const one of all) marks.push(await one.end());
  for (const pace of PACES) {
    const times = all.map((_, k) => {
      const stages = new StageTimes();
      for (const block of blocks[k]!.get(pace)!) stages.add(marks[k]!, block);
      return stages;
    });
    console.log(`\n${head(`${titleOf(pace)}, µs`)}`);
    for (const [k, stages] of times.entries()) console.log(stages.row(all[k]!.name, times[0]!.median));
  }
}

/** Run the measurement and print a table for each pace: p50/p99/p99.9. */
export async function runStages(options: StagesOptions): Promise<void> {
  const { busyPollMicros, asItIs } = options;
  // Inherited by the exchange.
  if (!pin(process.pid, OTHER_PROCESSOR))
    console.log('processors cannot be chosen here (taskset): figures include waits for one');
  const keepsAwake = !asItIs && keepAwake();
  const host = asItIs ? null : receiveOn(OTHER_PROCESSOR);
  const how = [
    keepsAwake ? 'processors kept awake' : 'processors sleep as they like',
    host === null ? 'receivers served by the sender' : 'receivers served by the other processor',
  ];
  console.log(
    `D → 8 (New) inside the gateway, p50/p99/p99.9, in ${ROUNDS} turns of ${ORDERS} orders at each pace after ${WARM_UP}, with the bridge of the samples, it polls for ${busyPollMicros} µs, ${how.join(', ')}`,
  );
  try {
    await measure(options);
  } finally {
    host?.restore();
  }
}
