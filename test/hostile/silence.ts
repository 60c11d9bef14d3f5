// A thousand connections that say nothing hold the FIX door: how long a session that was logged on takes to come back, and one that
// never was to come in.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { BenchClient } from '../bench/session-client.ts';
import { GATEWAY, House, PASSWORD } from './house.ts';
import type { SquatFigures } from './squatter.ts';

export interface SilenceFigures {
  /** Milliseconds from the first connect to the answer to the Logon; of each try. */
  readonly back: readonly number[];
  readonly first: readonly number[];
  readonly squatters: SquatFigures;
}

const GIVE_UP_MS = 20_000;

/** Whether this machine has IPv6 on its loopback. */
export async function hasIPv6(): Promise<boolean> {
  const server = createServer().on('error', () => {});
  const listening = new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true));
    server.once('error', () => resolve(false));
  });
  server.listen(0, '::1');
  const answer = await listening;
  server.close();
  return answer;
}

/** Log on from an own address, trying again at once as an engine does. @returns how long that took */
async function logOn(port: number, sender: string, localAddress: string): Promise<number> {
  const begin = performance.now();
  while (performance.now() - begin < GIVE_UP_MS) {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    const client = new BenchClient(socket, { port, sender, target: GATEWAY, password: PASSWORD });
    const isIn = await once(socket, 'connect')
      .then(() => client.logOn())
      .then(() => true)
      .catch(() => false);
    const ms = performance.now() - begin;
    socket.destroy();
    if (!socket.closed) await once(socket, 'close');
    if (isIn) return ms;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return Number.POSITIVE_INFINITY;
}

/** Hold 1,000 silent connections from 20 addresses, one an IPv6 prefix where there is one; prints a line. */
export async function silence(tries: number): Promise<SilenceFigures> {
  const ipv6 = await hasIPv6();
  const house = await House.open(
    ['VICTIM', ...Array.from({ length: tries }, (_, n) => `NEW${n}`)].map((compID) => ({ compID })),
    { 'fix.listen.0.host': ipv6 ? '::' : '0.0.0.0' },
  );
  try {
    await logOn(house.port, 'VICTIM', '127.0.0.1');
    const from = Array.from({ length: ipv6 ? 19 : 20 }, (_, n) => `127.0.1.${n + 1}`);
    if (ipv6) from.push('::1');
    const attack = await house.squat({ from, perAddress: 50, drips: 0.5, seconds: 300 });
    const back: number[] = [];
    const first: number[] = [];
    for (let n = 0; n < tries; n++) {
      back.push(await logOn(house.port, 'VICTIM', '127.0.0.1'));
      first.push(await logOn(house.port, `NEW${n}`, `127.0.2.${n + 1}`));
    }
    const squatters = await attack.end<SquatFigures>();
    const worst = (times: readonly number[]): string => `${Math.max(...times).toFixed(0)} ms`;
    console.log(
      `  beside 1,000 silent connections${ipv6 ? ', 50 of them IPv6' : ''}: back after ${worst(back)} at most, in for the first time after ${worst(first)}, of ${tries}; ${squatters.opened} opened, ${squatters.ended} ended`,
    );
    return { back, first, squatters };
  } finally {
    await house.close();
  }
}
