// Three nodes in trouble while OMSs trade: nodes, the network between them, and a replicated PostgreSQL that restarts, stands still and
// fails over: `npm run nightly -- cluster [rounds] [sessions] [partitions] [seed] [orders a second]
// [lease in seconds]`. SIGTERM ends it after the round under way, with the comparison. A process that waits for a processor longer than
// three quarters of the lease loses it: choose it by the machine.

import process from 'node:process';
import { Randomness } from '../simulation/randomness.ts';
import { ReplicatedPostgres } from '../store/replicated-postgres.ts';
import { ClusterCampaign } from '../support/campaigns/cluster-campaign.ts';
import { TROUBLES, type Trouble } from '../support/campaigns/cluster-troubles.ts';
import { ClusterHouse } from '../support/processes/cluster-house.ts';

const HEARTBEAT_MS = 1_000;

/** Each kind as often as any other, in a random order. */
function troublesOf(rounds: number, random: Randomness): Trouble[] {
  const left: Trouble[] = [];
  return Array.from({ length: rounds }, () => {
    if (left.length === 0) left.push(...TROUBLES);
    const trouble = random.pick(left);
    left.splice(left.indexOf(trouble), 1);
    return trouble;
  });
}

/** Whether nothing was lost, doubled, or numbered twice, and only owners transmitted. */
export async function run([
  rounds = '100',
  sessions = '200',
  partitions = '12',
  seed = String(Date.now() % 1_000_000),
  ordersPerSecond = '40',
  leaseS = '5',
]: readonly string[]): Promise<boolean> {
  const random = new Randomness(Number(seed));
  const words = [rounds, sessions, partitions, seed, ordersPerSecond, leaseS].join(' ');
  console.log(`seed ${seed}: npm run nightly -- cluster ${words} repeats it`);
  const database = await ReplicatedPostgres.start();
  const house = await ClusterHouse.create(database, {
    partitions: Number(partitions),
    sessionsPerPartition: Math.ceil(Number(sessions) / Number(partitions)),
    nodes: 3,
    leaseMs: 1_000 * Number(leaseS),
    heartbeatMs: HEARTBEAT_MS,
  });
  const campaign = new ClusterCampaign(house, database);
  const downs = new Map<Trouble, number[]>();
  try {
    await campaign.begin((1_000 * house.sessions.length) / Number(ordersPerSecond));
    console.log(`${house.sessions.length} sessions are logged on`);
    const interrupted = new Promise<null>((resolve) => process.once('SIGTERM', () => resolve(null)));
    let done = 0;
    for (const [k, trouble] of troublesOf(Number(rounds), random).entries()) {
      if ((await Promise.race([interrupted, 'goes on'])) === null) break;
      const { node, downMs } = await campaign.round(trouble, random.pick(house.nodes));
      downs.set(trouble, [...(downs.get(trouble) ?? []), downMs]);
      done++;
      console.log(`round ${k + 1}: ${trouble} (${node}): sessions are back after ${(downMs / 1000).toFixed(2)} s`);
    }
    const { orders, neverArrived, fills, logons } = await campaign.end();
    console.log(
      `${done} rounds: ${orders} orders (${neverArrived} never arrived), ${fills} fills, ${logons} Logons; all agree`,
    );
    for (const [trouble, all] of downs) console.log(`  ${trouble}: ${figures(all)}`);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    console.error(`what the nodes said: ${await house.keepLines()}`);
    return false;
  } finally {
    await campaign.close();
    await house.remove();
    await database.stop();
    process.exitCode ??= 0;
  }
}

function figures(all: readonly number[]): string {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)]! / 1000).toFixed(2);
  return `${all.length} ×, back after ${at(0.5)} s (median), ${at(1)} s (longest)`;
}
