// 5,000 sessions with HeartBtInt(108)=10 and one order each every 10 s against one server, for five minutes.

import { ask, startServer } from './session.ts';
import { BenchClient } from './session-client.ts';

const SESSIONS = 5000;
const MINUTES = 5;
const INTERVAL_MS = 10_000;

/** Run the soak and print what became of it. */
export async function soak(): Promise<void> {
  const server = await startServer({ sessions: SESSIONS });
  const clients: BenchClient[] = [];
  let lost = 0;
  for (let i = 0; i < SESSIONS; i++) {
    const client = await BenchClient.open({ port: server.port, sender: `C${i}`, target: 'SERVER', heartBtIntS: 10 });
    await client.logOn();
    client.socket.once('close', () => {
      lost++;
    });
    clients.push(client);
  }
  console.log(`${SESSIONS} sessions are logged on`);
  await ask(server.process, 'delay');
  const begun = performance.now();
  let next = 0;
  let orders = 0;
  const before = clients.reduce((sum, { received }) => sum + received, 0);
  for (let minute = 1; minute <= MINUTES; minute++) {
    while (performance.now() - begun < minute * 60_000) {
      // Spread evenly over the interval: an order keeps the session from being silent.
      const due = Math.floor(((performance.now() - begun) / INTERVAL_MS) * SESSIONS);
      for (; next < due; next++) {
        const client = clients[next % SESSIONS]!;
        client.socket.write(client.order());
        orders++;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const { p99Ms, maxMs } = await ask<{ p99Ms: number; maxMs: number }>(server.process, 'delay');
    const answers = clients.reduce((sum, { received }) => sum + received, 0) - before;
    const delays = `event-loop delay p99 ${p99Ms.toFixed(1)} ms, longest ${maxMs.toFixed(1)} ms`;
    console.log(`minute ${minute}: ${SESSIONS - lost} alive, ${orders} orders, ${answers} messages back, ${delays}`);
  }
  for (const { socket } of clients) socket.destroy();
  await server.process.kill();
}
