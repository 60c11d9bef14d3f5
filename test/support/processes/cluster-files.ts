// Files of a cluster for tests: its sessions with their accounts, the exchange's world, the configuration that all nodes share, and a
// copy of the program with a later version.

import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ClusterHouseOptions {
  readonly nodes: number;
  readonly partitions: number;
  readonly sessionsPerPartition: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** False: partitions move by hand only. */
  readonly rebalances?: boolean;
  /** Keys of `gateway.yaml` besides. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Session files besides, by the name of the session. */
  readonly sessionFiles?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** For secrets of those. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ClusterSession {
  readonly name: string;
  readonly account: string;
  readonly partition: string;
}

/** The same program with another version, in a folder of its own. */
export async function programOf(folder: string): Promise<string> {
  for (const part of ['src', 'dictionaries']) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  for (const part of ['node_modules', 'sessions']) await symlink(join(ROOT, part), join(folder, part));
  const described = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...described, version: `${described.version}-next` }));
  return folder;
}

export function sessionsOf({ partitions, sessionsPerPartition }: ClusterHouseOptions): ClusterSession[] {
  return Array.from({ length: partitions * sessionsPerPartition }, (_, k) => ({
    name: `OMS_${k + 1}`,
    account: `111000000001${String(k + 1).padStart(3, '0')}`,
    partition: `desk-${(k % partitions) + 1}`,
  }));
}

export function worldOf(sessions: readonly ClusterSession[]): string {
  const partitions = [...new Set(sessions.map(({ partition }) => partition))];
  return stringify({
    assets: [
      { symbol: 'BTC', indexPrice: '60000' },
      { symbol: 'USDC', precision: 4 },
    ],
    markets: [{ symbol: 'BTCUSDC' }],
    users: partitions.map((name, k) => ({ name, userId: String(30_001 + k), keys: [{ name, kind: 'hmac' }] })),
    accounts: sessions.map(({ partition, account }, k) => ({
      tradingAccountId: account,
      user: partition,
      isPrimaryAccount: k < partitions.length,
      balances: { BTC: '1000', USDC: '1000000000' },
    })),
  });
}

export async function writeConfiguration(
  folder: string,
  sessions: readonly ClusterSession[],
  { leaseMs, heartbeatMs, partitions, rebalances = true, gateway: more, sessionFiles = {} }: ClusterHouseOptions,
  exchangeUrl: string,
): Promise<void> {
  const secret = (name: string): string => `file:${join(folder, 'secrets', name)}`;
  const names = Array.from({ length: partitions }, (_, k) => `desk-${k + 1}`);
  const gateway = {
    state: 'state',
    store: { kind: 'postgres', url: 'env:CLUSTER_DATABASE', leaseMs, requestTimeoutMs: Math.floor(leaseMs / 2) },
    cluster: {
      node: 'node',
      host: '127.0.0.1',
      port: 0,
      address: '127.0.0.1',
      heartbeatMs,
      settleMs: 3_000,
      rebalance: rebalances ? 'auto' : 'manual',
      addressGroup: 'site',
      tls: { certificate: secret('node.crt'), key: secret('node.key'), clientAuthority: secret('node.crt') },
    },
    busyPollMicros: 0,
    fix: {
      listen: [{ name: 'plain', host: '127.0.0.1', port: 0 }],
      // All OMSs are here.
      limits: { connectionsPerAddressMax: 1_000 },
    },
    exchange: {
      baseUrl: exchangeUrl,
      environment: 'simulator',
      dialect: 'v2',
      prehash: 'hexdigest',
      rates: { ordersPerSecond: 1_000_000, otherPerSecond: 1_000_000, addressPer10Seconds: 10_000_000 },
      credentials: names.map((name) => ({
        name,
        key: secret(`${name}.json`),
        tradingAccounts: sessions.filter(({ partition }) => partition === name).map(({ account }) => account),
      })),
    },
    simulator: { embedded: false },
    bridge: { enabled: false },
    admin: { port: 0 },
    ...more,
  };
  await writeFile(join(folder, 'sessions', 'gateway.yaml'), stringify(gateway));
  for (const { name, account, partition } of sessions) {
    const session = {
      targetCompID: name,
      password: secret('password'),
      messageRate: { max: 0 },
      // Orders outlive the end of a node here.
      cancelOnDisconnect: { on: 'off' },
      accounts: [{ account, credential: partition }],
      limits: { orderQtyMax: '100000', notionalMax: '100000000000', openOrdersMax: 100_000, priceBandPercent: 'off' },
    };
    await writeFile(join(folder, 'sessions', `${name}.yaml`), stringify(session));
  }
  for (const [name, session] of Object.entries(sessionFiles)) {
    await writeFile(join(folder, 'sessions', `${name}.yaml`), stringify(session));
  }
}
