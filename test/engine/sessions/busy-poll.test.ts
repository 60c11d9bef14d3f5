// Looking for the next message without sleeping, for a while after each one, as long as that pays.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BusyPoll } from '../../../src/engine/sessions/busy-poll.ts';

/** More than enough messages in time for it to be worth while. */
const MANY = 50;

let now = 0;
/** Work for the next turn of the event loop: without any, the loop sleeps. */
let waiting: (() => void)[] = [];

beforeEach(() => {
  now = 0;
  waiting = [];
});

const pollFor = (micros: number): BusyPoll =>
  new BusyPoll(micros, { now: () => now, next: (run) => void waiting.push(run) });

/** One turn of the event loop that takes so long; whether the next one would wait for input. */
function turn(ms: number): boolean {
  now += ms;
  for (const run of waiting.splice(0)) run();
  return waiting.length === 0;
}

/** Messages so far apart, the event loop turning ten times between two; whether it slept before the last one came. */
function messages(busyPoll: BusyPoll, count: number, apartMs: number): boolean {
  let slept = true;
  for (let i = 0; i < count; i++) {
    busyPoll.stayAwake();
    for (let k = 0; k < 10; k++) slept = turn(apartMs / 10);
  }
  return slept;
}

/** Polls for 2.5 ms after each message. */
function busyPolling(): BusyPoll {
  const busyPoll = pollFor(2500);
  expect(messages(busyPoll, MANY, 1)).toBe(false);
  return busyPoll;
}

test('the event loop sleeps before the first message, and again once the time after the last one is over', () => {
  expect(turn(1)).toBe(true);
  busyPolling().stayAwake();
  expect([turn(0.4), turn(0.4), turn(0.4), turn(0.4), turn(0.4), turn(0.4), turn(0.4)]).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('each message begins the time anew, and however many there are, the loop is kept awake once', () => {
  const busyPoll = busyPolling();
  for (let i = 0; i < 10; i++) {
    busyPoll.stayAwake();
    busyPoll.stayAwake();
    expect(waiting.length).toBe(1);
    expect(messages(busyPoll, 1, 2)).toBe(false);
  }
});

test('sleeps at once if messages come later than the poll, until they come sooner again', () => {
  const busyPoll = busyPolling();
  messages(busyPoll, MANY, 30);
  busyPoll.stayAwake();
  expect(waiting.length).toBe(0);
  expect(messages(busyPoll, MANY, 1)).toBe(false);
});

test('messages that are read together do not count as messages that followed each other in time', () => {
  const busyPoll = pollFor(2500);
  for (let i = 0; i < MANY; i++) {
    for (let k = 0; k < 5; k++) busyPoll.stayAwake();
    turn(30);
  }
  busyPoll.stayAwake();
  expect(waiting.length).toBe(0);
});

test('a processor that others want is left to them, for longer each time that they want it again', () => {
  const busyPoll = busyPolling();
  /** Turns of 2 ms in which nothing came in: somebody else was at work. Time until it polls again. */
  const rests = (): number => {
    for (let i = 0; waiting.length === 1 && i < 100; i++) {
      busyPoll.stayAwake();
      turn(2);
    }
    expect(waiting.length).toBe(0);
    const from = now;
    while (waiting.length === 0) {
      busyPoll.stayAwake();
      now += 1;
    }
    return Math.round((now - from) / 100) * 100;
  };
  busyPoll.stayAwake();
  expect([rests(), rests(), rests()]).toEqual([100, 200, 400]);
});

test('a pause now and then, as for collecting garbage, ends nothing', () => {
  const busyPoll = busyPolling();
  for (let i = 0; i < MANY; i++) {
    expect(messages(busyPoll, 100, 1)).toBe(false);
    busyPoll.stayAwake();
    turn(8);
  }
  expect(messages(busyPoll, 2, 1)).toBe(false);
});

const taskset = (...command: string[]) => spawnSync('taskset', ['-c', '0', ...command], { encoding: 'utf8' });

test.skipIf(taskset('true').status !== 0)('a process that may use one processor of several never polls', () => {
  const file = join(import.meta.dirname, '../../../src/engine/sessions/busy-poll.ts');
  const script = `import('${file}').then(({ busyPollOf }) => console.log(busyPollOf(500)))`;
  expect(taskset(process.execPath, '-e', script).stdout.trim()).toBe('null');
});
