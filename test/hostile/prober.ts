// A counterparty that behaves, in a process of its own: `prober PLAN`. Sends an order every few milliseconds, whatever became of
// the one before, and measures from the moment at which it was due to its first 8. Prints one line of JSON.

import process from 'node:process';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { percentile } from '../bench/marks.ts';
import { BenchClient, openSocket } from '../bench/session-client.ts';

export interface ProbePlan {
  readonly port: number;
  readonly password: string;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly account: string;
  readonly seconds: number;
  readonly everyMs: number;
}

export interface Delays {
  readonly count: number;
  readonly unanswered: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

const WARM_UP_MS = 500;
const LAST_ANSWERS_MS = 5_000;

const field = (text: string, tag: number): string | undefined => text.split(`\u0001${tag}=`)[1]?.split('\u0001')[0];

async function probe(plan: ProbePlan): Promise<Delays> {
  const { port, senderCompID: sender, targetCompID: target, password, account } = plan;
  const client = new BenchClient(await openSocket({ port }), { port, sender, target, password });
  await client.logOn();
  const begin = performance.now();
  const counted = begin + WARM_UP_MS;
  const end = counted + plan.seconds * 1_000;
  const waiting = new Map<string, number>();
  const delays: number[] = [];
  client.onFrame = (text) => {
    if (text.includes('\u000135=1\u0001')) client.socket.write(client.heartbeat(field(text, 112)));
    const clOrdID = field(text, 11) ?? '';
    const due = waiting.get(clOrdID);
    if (due === undefined) return;
    waiting.delete(clOrdID);
    if (due >= counted) delays.push(performance.now() - due);
  };
  // Of another run of the same session no ClOrdID(11) may come again.
  const run = `${Date.now()}-`;
  let next = begin;
  for (let i = 0; performance.now() < end && !client.socket.destroyed; ) {
    for (; next <= performance.now(); next += plan.everyMs, i++) {
      waiting.set(`${run}${i}`, next);
      const time = formatUtcTimestamp(Date.now());
      const body = `11=${run}${i}|1=${account}|55=BTCUSDC|54=1|60=${time}|38=0.001|40=2|44=50000.0|59=3`;
      client.socket.write(client.render('35=D', body));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const giveUpAt = performance.now() + LAST_ANSWERS_MS;
  while (waiting.size > 0 && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 5));
  client.socket.destroy();
  const sorted = delays.toSorted((a, b) => a - b);
  const [p50 = Number.NaN, p99 = Number.NaN] = [0.5, 0.99].map((p) => percentile(sorted, p));
  return { count: sorted.length, unanswered: waiting.size, p50, p99, worst: sorted.at(-1) ?? Number.NaN };
}

console.log(JSON.stringify(await probe(JSON.parse(process.argv[2]!) as ProbePlan)));
