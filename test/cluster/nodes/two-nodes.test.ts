// Two nodes over a real PostgreSQL, as processes, with a partition each: the ways of the other node that no FIX counterparty uses.

import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../ops/running-gateway.ts';
import { Stream } from '../../simulator/exchange-caller.ts';
import { PostgresServer } from '../../store/postgres-server.ts';
import { type ScriptedAcceptor, scriptedAcceptor } from '../../support/network/scripted-acceptor.ts';
import { ClusterHouse, type NodeProcess } from '../../support/processes/cluster-house.ts';
import { PASSWORD } from '../../support/processes/exchange-house.ts';

const PATIENCE_MS = 240_000;
const TOKENS = { ann: 'ann-has-this-token-of-her-own', ben: 'ben-has-this-token-of-his-own' };
const PARTITIONS = ['desk-1', 'desk-2'] as const;
const accountOf = (partition: string): string => `11100000000100${partition.at(-1)}`;
const bridgeToken = (partition: string): string => `bridge-token-of-the-tests-${partition}`;

describe('two nodes', () => {
  let server: PostgresServer;
  let hub: ScriptedAcceptor;
  let house: ClusterHouse;
  beforeAll(async () => {
    [server, hub] = await Promise.all([PostgresServer.start(), scriptedAcceptor({ script: () => {} })]);
    const env = (name: string): string => `env:TEST_${name.toUpperCase().replace('-', '_')}`;
    house = await ClusterHouse.create(server, {
      nodes: 2,
      partitions: 2,
      sessionsPerPartition: 1,
      // Nothing is taken over here, and the machine may be busy.
      leaseMs: 10_000,
      heartbeatMs: 300,
      environment: {
        ...Object.fromEntries(PARTITIONS.map((name) => [env(name).slice(4), bridgeToken(name)])),
        TEST_ANN: TOKENS.ann,
        TEST_BEN: TOKENS.ben,
        TEST_HUB: PASSWORD,
      },
      rebalances: false,
      gateway: {
        bridge: {
          enabled: true,
          host: '127.0.0.1',
          port: 0,
          callers: PARTITIONS.map((name) => ({
            name,
            token: env(name),
            credential: name,
            tradingAccounts: [accountOf(name)],
            functions: ['accounts', 'amm', 'amm-write', 'stream'],
          })),
        },
        admin: { port: 0, users: Object.keys(TOKENS).map((name) => ({ name, token: env(name) })) },
      },
      sessionFiles: {
        HUB: {
          role: 'initiator',
          connect: { addresses: [`127.0.0.1:${hub.port}`], reconnectFirstMs: 200, reconnectLargestMs: 200 },
          targetCompID: 'EXCHANGE_TEST',
          senderCompID: 'GATE',
          password: env('hub'),
          accounts: [{ account: 'HUB', tradingAccount: accountOf('desk-2'), credential: 'desk-2' }],
          limits: { orderQtyMax: '1', notionalMax: '100000', openOrdersMax: 10, priceBandPercent: 'off' },
        },
      },
    });
    await Promise.all(house.nodes.map((node) => node.start()));
    await house.untilServed();
    const owners = await Promise.all(PARTITIONS.map((partition) => house.ownerOf(partition)));
    if (owners[0] === owners[1]) await move('desk-2');
  }, PATIENCE_MS);
  afterAll(async () => {
    await house?.remove();
    await hub?.close();
    await server?.stop();
  }, PATIENCE_MS);

  test('a bridge call and a stream at any node reach the partition of their caller', async () => {
    for (const node of house.nodes) {
      const url = await node.printed(/"bridge: (http\S+)\/openapi/);
      for (const partition of PARTITIONS) {
        const authorization = `Bearer ${bridgeToken(partition)}`;
        const path = '/trading-api/v1/accounts/trading-accounts';
        const answer = await fetch(url + path, { headers: { authorization } });
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(accountOf(partition))]);
        const instruction = {
          commandType: 'V3CreateAMMInstruction',
          symbol: 'BTCUSDC',
          baseQuantity: '1',
          quoteQuantity: '60000',
          upperBound: '66000',
          lowerBound: '54000',
          feeTierId: '1',
          tradingAccountId: accountOf(partition),
        };
        // The exchange's clients bring the token of a stream in a cookie.
        const stream = await Stream.open(`${url.replace('http', 'ws')}/trading-api/v1/private-data`, {
          cookie: `JWT_COOKIE=${bridgeToken(partition)}`,
          // As a page of the bridge has it.
          origin: url,
        });
        onTestFinished(() => stream.socket.terminate());
        await stream.subscribe({ topic: 'ammInstructions' });
        const placed = await fetch(`${url}/trading-api/v2/amm-instructions`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(instruction),
        });
        expect([placed.status, await placed.text()]).toEqual([200, expect.stringContaining('instructionId')]);
        await stream.find(({ type }) => type === 'update');
      }
      const stranger = await fetch(`${url}/trading-api/v1/accounts/trading-accounts`);
      expect(stranger.status).toBe(401);
    }
  });

  test('a guessed token is logged with the address of the client, whichever node it came to', async () => {
    for (const [k, node] of house.nodes.entries()) {
      const url = await node.printed(/"bridge: (http\S+)\/openapi/);
      const localAddress = `127.0.0.${k + 20}`;
      const headers = { authorization: 'Bearer a-wrong-token-of-a-stranger' };
      const asked = request(`${url}/trading-api/v1/markets`, { localAddress, headers });
      const [refused] = await once(asked.end(), 'response');
      expect(refused.resume().statusCode).toBe(401);
      const isLogged = (line: string): boolean =>
        line.includes(`"remote":"${localAddress}"`) && line.includes('bridge: a wrong token was refused');
      await eventually(localAddress, () => house.nodes.some(({ lines }) => lines.some(isLogged)), PATIENCE_MS);
    }
  });

  test(
    'two people lift a kill switch, each at a node of their own',
    async () => {
      const [first, second] = house.nodes as [NodeProcess, NodeProcess];
      const all = { scope: 'all', name: '', why: 'a test' };
      expect((await first.ask('/api/kill-switches/throw', all, TOKENS.ann)).body).toMatchObject({ done: true });
      for (const node of house.nodes) {
        const { killSwitches } = (await node.ask('/api/kill-switches')).body;
        expect(killSwitches).toMatchObject([{ scope: 'all', partition: 'desk-1, desk-2', thrownBy: 'user ann' }]);
      }
      expect((await first.ask('/api/kill-switches/lift', all, TOKENS.ann)).body.text).toContain('a second person');
      expect((await second.ask('/api/kill-switches/lift', all, TOKENS.ann)).status).toBe(409);
      expect((await second.ask('/api/kill-switches/lift', all, TOKENS.ben)).body.done).toBe(true);
      for (const node of house.nodes) expect((await node.ask('/api/kill-switches')).body.killSwitches).toEqual([]);
      // One that starts later throws it neither again.
      await move('desk-1');
      expect((await second.ask('/api/kill-switches')).body.killSwitches).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    'a session that connects out is up at one node only, and moves with its partition',
    async () => {
      const live = () => hub.connections.filter(({ closed }) => !closed);
      const isUp = (): boolean => live().some(({ received }) => received.length > 0);
      await eventually('the session at the hub', isUp, PATIENCE_MS);
      expect(live()).toHaveLength(1);
      const before = live()[0]!;
      // The hub knows the numbers of the session across its connections.
      const last = before.received.length;
      await move('desk-2');
      await before.expectClosed();
      await eventually('the session at the hub again', isUp, PATIENCE_MS);
      expect(live()).toHaveLength(1);
      expect(before.received.at(-1)?.msgType).toBe('5');
      expect(live()[0]!.received[0]!.int(34)).toBeGreaterThan(last);
    },
    PATIENCE_MS,
  );

  /** Move a partition to the other node. */
  async function move(partition: string): Promise<void> {
    const owner = await house.ownerOf(partition);
    const { name } = house.nodes.find((node) => node.name !== owner)!;
    const [any] = house.nodes;
    const isMoved = async (): Promise<boolean> =>
      (await any!.ask('/api/cluster/move', { partition, node: name })).status === 200;
    await eventually(`the move of ${partition}`, isMoved, PATIENCE_MS);
    await house.untilServed((owners) => owners.get(partition) === name);
    const answers = async (): Promise<boolean> =>
      (await any!.ask(`/api/sessions?partition=${partition}`)).body.partitions?.[0]?.answered === true;
    await eventually(`${partition} to answer`, answers, PATIENCE_MS);
  }
});
