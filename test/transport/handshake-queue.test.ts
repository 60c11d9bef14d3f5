// How many TLS handshakes are under way at a time, and that none waits for ever for another.

import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HandshakeQueue } from '../../src/transport/handshake-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Client {
  readonly name: string;
  destroyed: boolean;
}

function queueOf(count: number) {
  const begun: string[] = [];
  const queue = new HandshakeQueue((socket) => begun.push((socket as unknown as Client).name));
  const clients = Array.from({ length: count }, (_, i): Client => ({ name: `c${i}`, destroyed: false }));
  const sockets = clients as unknown as Socket[];
  for (const socket of sockets) queue.push(socket);
  return { queue, begun, clients, sockets };
}

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

const turns = async (count: number): Promise<void> => {
  for (let k = 0; k < count; k++) await turn();
};

test('runs one at a time, and begins the next after reading arrived input', async () => {
  const { queue, begun, sockets } = queueOf(3);
  await turns(10);
  expect(begun).toEqual(['c0']);
  queue.over(sockets[1]!);
  await turns(10);
  expect(begun).toEqual(['c0']);
  queue.over(sockets[0]!);
  await turn();
  expect(begun).toEqual(['c0']);
  await turns(2);
  expect(begun).toEqual(['c0', 'c1']);
  queue.over(sockets[1]!);
  await turns(3);
  expect(begun).toEqual(['c0', 'c1', 'c2']);
});

test('distant or silent clients keep none out: each has its place for 10 ms', async () => {
  const { begun } = queueOf(3);
  await turns(10);
  for (const reached of [1, 2, 3]) {
    expect(begun).toHaveLength(reached);
    await vi.advanceTimersByTimeAsync(9);
    await turns(10);
    expect(begun).toHaveLength(reached);
    await vi.advanceTimersByTimeAsync(1);
    await turns(10);
  }
});

test('a thousand distant clients all have their turn within the ten seconds of a handshake', async () => {
  const { begun } = queueOf(1_000);
  for (let at = 0; at < 9_000; at += 5) {
    await vi.advanceTimersByTimeAsync(5);
    await turns(6);
    // Among so many each still has time for an answer from nearby.
    if (at === 1_000) expect(begun.length).toBeLessThan(270);
  }
  expect(begun).toHaveLength(1_000);
});

test('a client that left has no turn, and later ones begin too', async () => {
  const { queue, begun, clients, sockets } = queueOf(3);
  clients[0]!.destroyed = true;
  clients[1]!.destroyed = true;
  await turns(3);
  expect(begun).toEqual(['c2']);
  queue.over(sockets[2]!);
  queue.over(sockets[0]!);
  queue.push({ name: 'later', destroyed: false } as unknown as Socket);
  await turns(3);
  expect(begun).toEqual(['c2', 'later']);
});
