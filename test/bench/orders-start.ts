// A start with a journal of very many orders, in a process without other data. It measures opening the journal and
// making the gateway, and the cost of each open order, the journal's own memory included.

import { performance } from 'node:perf_hooks';
import { Gateway } from '../../src/gateway/mod.ts';
import { openJournal } from '../../src/store/mod.ts';
import { benchConfig, heapBytes, NOW, SESSION_ID } from './orders.ts';

export interface StartFigures {
  readonly journalMs: number;
  readonly gatewayMs: number;
  readonly cpuMs: number;
  readonly open: number;
  readonly bytes: number;
}

/** Start once on the journal of a directory. */
async function start(directory: string): Promise<StartFigures> {
  // One-time loading and compiling belong to no order.
  const warm = new Gateway(benchConfig, { orders: new Map() });
  warm.handle({ kind: 'tick' }, NOW);
  const before = heapBytes();
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const journal = await openJournal({ directory, now: () => NOW });
  const opened = performance.now();
  const gateway = new Gateway(benchConfig, { orders: journal.recovered.orders, ended: journal.endedOrders });
  journal.recovered.orders.clear();
  gateway.handle({ kind: 'tick' }, NOW);
  const made = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const bytes = heapBytes() - before;
  const open = gateway.openOrderCount(SESSION_ID);
  await journal.close();
  return { journalMs: opened - begun, gatewayMs: made - opened, cpuMs: (user + system) / 1_000, open, bytes };
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await start(process.argv[2]!)));
