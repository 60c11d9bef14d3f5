// Sum of many simulated days: the number of each fault, and the trading meanwhile.

import { FAULTS, type Fault } from './randomness.ts';
import type { SimulationResult } from './simulation.ts';

export interface Tally {
  days: number;
  steps: number;
  orders: number;
  fills: number;
  messages: number;
  virtualMs: number;
  readonly faults: Record<string, number>;
  /** The OMSs' actions and results. */
  readonly done: Record<string, number>;
  readonly alarms: Record<string, number>;
}

export function newTally(): Tally {
  const faults = Object.fromEntries(FAULTS.map((fault) => [fault, 0]));
  return { days: 0, steps: 0, orders: 0, fills: 0, messages: 0, virtualMs: 0, faults, done: {}, alarms: {} };
}

export function addDay(tally: Tally, day: SimulationResult): void {
  tally.days++;
  tally.steps += day.steps;
  tally.orders += day.orders;
  tally.fills += day.fills;
  tally.messages += day.messages;
  tally.virtualMs += day.ms;
  for (const [fault, count] of Object.entries(day.faults)) tally.faults[fault] = (tally.faults[fault] ?? 0) + count;
  addCounts(tally.done, day.done);
  for (const [alarm, count] of day.alarms) tally.alarms[alarm] = (tally.alarms[alarm] ?? 0) + count;
}

export function addTally(tally: Tally, other: Tally): void {
  tally.days += other.days;
  tally.steps += other.steps;
  tally.orders += other.orders;
  tally.fills += other.fills;
  tally.messages += other.messages;
  tally.virtualMs += other.virtualMs;
  for (const [fault, count] of Object.entries(other.faults)) tally.faults[fault] = (tally.faults[fault] ?? 0) + count;
  addCounts(tally.done, other.done);
  for (const [alarm, count] of Object.entries(other.alarms)) tally.alarms[alarm] = (tally.alarms[alarm] ?? 0) + count;
}

function addCounts(to: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
}

/** Faults that never struck, and kinds of doing that never happened: a simulation that says nothing about them. */
export function silent(tally: Tally): string[] {
  const faults: readonly Fault[] = FAULTS.filter((fault) => tally.faults[fault] === 0);
  return [...faults, ...Object.keys(tally.done).filter((kind) => tally.done[kind] === 0)];
}

export function describe(tally: Tally): string {
  const listed = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const hours = (tally.virtualMs / 3_600_000).toFixed(1);
  return [
    `${tally.days} days, ${tally.steps} steps, ${hours} h of virtual time`,
    `${tally.orders} orders at the exchange, ${tally.fills} fills reported, ${tally.messages} messages to OMSs`,
    `done: ${listed(tally.done)}`,
    `faults: ${listed(tally.faults)}`,
    `alarms: ${listed(tally.alarms)}`,
  ].join('\n');
}
