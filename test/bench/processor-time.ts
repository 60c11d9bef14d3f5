// Processor time of processes, user and system, as Linux counts it: it holds on a busy machine too, where delays do not.

import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';

/** Of every Linux that Node.js runs on. */
const TICK_MS = 10;

function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Milliseconds of a process until now. */
export function processorMs(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The main process of a server on this machine, also in a container; null for one on another machine. */
async function serverProcess(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ port: number }>(
    'select client_port as port from pg_stat_activity where pid = pg_backend_pid()',
  );
  const title = new RegExp(`^postgres: .*\\(${rows[0]!.port}\\)`);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // A connection shows its client's port in its title.
      if (title.test(readFileSync(`/proc/${name}/cmdline`, 'latin1'))) return Number(fieldsOf(Number(name))[1]);
    } catch {
      // It has ended.
    }
  }
  return null;
}

/** Milliseconds of all processes of the server that this client is connected to; null where it is on another machine. */
export async function serverProcessorMs(client: Client): Promise<number | null> {
  const parent = await serverProcess(client);
  if (parent === null) return null;
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (fieldsOf(Number(name))[1] === String(parent)) sum += processorMs(Number(name));
    } catch {
      // It has ended.
    }
  }
  return sum;
}
