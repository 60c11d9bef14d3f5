// Three nodes over a real PostgreSQL, as processes: the short form of `npm run nightly -- cluster`.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PostgresServer } from '../../store/postgres-server.ts';
import { ClusterCampaign } from '../../support/campaigns/cluster-campaign.ts';
import { ClusterHouse, type NodeProcess } from '../../support/processes/cluster-house.ts';

/** The admin server of any node shows every partition, and reaches sessions of those that other nodes serve. */
async function showsAll(node: NodeProcess, partitions: number): Promise<void> {
  const { sessions, partitions: answered } = (await node.ask('/api/sessions')).body;
  expect(answered.map((one: { answered: boolean }) => one.answered)).toEqual(Array(partitions).fill(true));
  expect(new Set(sessions.map((one: { partition: string }) => one.partition)).size).toBe(partitions);
  const { nodes } = (await node.ask('/api/overview')).body;
  expect(nodes.map((one: { isLive: boolean }) => one.isLive)).toEqual([true, true, true]);
  const remote = answered.find((one: { node: string }) => one.node !== node.name);
  const session = sessions.find((one: { partition: string }) => one.partition === remote.name);
  expect((await node.ask(`/api/sessions/${session.name}`)).body).toMatchObject({ partition: remote.name });
}

describe('three nodes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(async () => await server.stop());

  test('lose and double nothing while one is killed, one stands still and one drains', async () => {
    const house = await ClusterHouse.create(server, {
      nodes: 3,
      partitions: 4,
      sessionsPerPartition: 1,
      leaseMs: 4_000,
      heartbeatMs: 300,
    });
    onTestFinished(() => house.remove(), 60_000);
    const campaign = new ClusterCampaign(house);
    onTestFinished(() => campaign.close());
    await campaign.begin(60);
    for (const node of house.nodes) await showsAll(node, house.options.partitions);
    await campaign.round('kill', house.node((await house.ownerOf('desk-1'))!));
    await campaign.round('pause', house.node((await house.ownerOf('desk-2'))!));
    await campaign.round('drain', house.node((await house.ownerOf('desk-3'))!));
    const { orders, fills } = await campaign.end();
    expect(orders).toBeGreaterThan(100);
    expect(fills).toBeGreaterThan(10);
  }, 300_000);
});
