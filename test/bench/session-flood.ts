// Many logons at once over TLS, from a process of its own: `session-flood PORT COUNT PASSWORD`. Prints one line of JSON.

import { BenchClient, openSocket } from './session-client.ts';

export interface FloodResult {
  /** From the beginning to the last handshake, and from there to the last answer. */
  readonly handshakesMs: number;
  readonly afterHandshakesMs: number;
  readonly answered: number;
}

const [port = '0', count = '0', password = ''] = process.argv.slice(2);
console.log('connecting');
const start = performance.now();
let lastHandshake = 0;
const answers = Array.from({ length: Number(count) }, async (_, i) => {
  const options = { port: Number(port), sender: `C${i + 1}`, target: 'SERVER', tls: true, password };
  const socket = await openSocket(options);
  lastHandshake = performance.now();
  await new BenchClient(socket, options).logOn();
});
const settled = await Promise.allSettled(answers);
const end = performance.now();
const answered = settled.filter(({ status }) => status === 'fulfilled').length;
const result: FloodResult = { handshakesMs: lastHandshake - start, afterHandshakesMs: end - lastHandshake, answered };
console.log(JSON.stringify(result));
