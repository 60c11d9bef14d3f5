// Three nodes in trouble: killed, stopped, stuck, drained, cut off from the database, upgraded, and partitions that move, while OMSs
// trade: `npm run nightly -- cluster [rounds] [sessions] [partitions] [seed]`.

import process from 'node:process';
import { Randomness } from '../simulation/randomness.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { ClusterCampaign, TROUBLES, type Trouble } from '../support/campaigns/cluster-campaign.ts';
import { ClusterHouse } from '../support/processes/cluster-house.ts';

const LEASE_MS = 5_000;
const HEARTBEAT_MS = 1_000;
/** Orders of all OMSs together. */
const ORDERS_PER_SECOND = 60;

/** Whether nothing was lost, doubled, or numbered twice. */
export async function run([
  rounds = '100',
  sessions = '200',
  partitions = '12',
  seed,
]: readonly string[]): Promise<boolean> {
  const chosen = Number(seed ?? Date.now() % 1_000_000);
  const random = new Randomness(chosen);
  console.log(`seed ${chosen}: npm run nightly -- cluster ${rounds} ${sessions} ${partitions} ${chosen} repeats it`);
  const server = await PostgresServer.start();
  const options = {
    partitions: Number(partitions),
    sessionsPerPartition: Math.ceil(Number(sessions) / Number(partitions)),
  };
  const house = await ClusterHouse.create(server, {
    ...options,
    nodes: 3,
    leaseMs: LEASE_MS,
    heartbeatMs: HEARTBEAT_MS,
  });
  const campaign = new ClusterCampaign(house);
  const downs = new Map<Trouble, number[]>();
  try {
    await campaign.begin((1_000 * house.sessions.length) / ORDERS_PER_SECOND);
    for (let round = 1; round <= Number(rounds); round++) {
      const trouble = random.pick(TROUBLES);
      const { node, downMs } = await campaign.round(trouble, random.pick(house.nodes));
      downs.set(trouble, [...(downs.get(trouble) ?? []), downMs]);
      console.log(`round ${round}: ${trouble} of ${node}: sessions are back after ${(downMs / 1000).toFixed(2)} s`);
    }
    const { orders, neverArrived, fills, logons } = await campaign.end();
    console.log(
      `${rounds} rounds: ${orders} orders (${neverArrived} never arrived), ${fills} fills, ${logons} Logons; all agree`,
    );
    for (const [trouble, all] of downs) console.log(`  ${trouble}: ${figures(all)}`);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return false;
  } finally {
    await campaign.close();
    await house.remove();
    await server.stop();
    process.exitCode ??= 0;
  }
}

function figures(all: readonly number[]): string {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)]! / 1000).toFixed(2);
  return `${all.length} ×, back after ${at(0.5)} s (median), ${at(1)} s (longest)`;
}
