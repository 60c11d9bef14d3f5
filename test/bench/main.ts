// Benchmarks by name: `npm run bench -- <name> [arguments]`. Each prints ratios against peers measured in the same run; none
// fails on a time.

import process from 'node:process';
import { COMPILE_CACHE } from '../support/processes/compile-cache.ts';

// Of each process that one of them starts.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

const benchmarks: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>> = {
  configuration: () => import('./configuration.ts'),
  codec: () => import('./codec.ts'),
  'market-data': () => import('./market-data.ts'),
  orders: () => import('./orders.ts'),
  postgres: () => import('./postgres.ts'),
  replay: () => import('./replay.ts'),
  'round-trip': () => import('./round-trip.ts'),
  session: () => import('./session.ts'),
  store: () => import('./store.ts'),
  workers: () => import('./workers.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = benchmarks[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- <name> [arguments]\nbenchmarks: ${Object.keys(benchmarks).join(', ')}`);
  process.exitCode = 2;
} else {
  await (await load()).run(args);
}
