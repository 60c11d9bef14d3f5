// Troubles of a cluster: of a node, of the network between nodes, and of the database. Each says which sessions it takes from their
// node, and how it is healed.

import process from 'node:process';
import type { ReplicatedPostgres } from '../../store/replicated-postgres.ts';
import type { ClusterHouse, NodeProcess } from '../processes/cluster-house.ts';
import type { ClusterTrader } from './cluster-trader.ts';

/** Each is over when every partition is served again. */
export const NODE_TROUBLES = ['kill', 'pause', 'freeze', 'stuck', 'drain', 'move', 'blind', 'upgrade'] as const;
/** `cut`: silence on the way to one node. `apart`: no node reaches another, and connections between them break. */
export const LINK_TROUBLES = ['cut', 'apart'] as const;
export const DATABASE_TROUBLES = ['database restart', 'database pause', 'fail-over', 'late fail-over'] as const;
export const TROUBLES = [...NODE_TROUBLES, ...LINK_TROUBLES, ...DATABASE_TROUBLES] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface Hit {
  /** Partitions that another node serves afterwards. */
  readonly leaving: ReadonlySet<string>;
  /** Sessions that log on again before it is healed, though nothing closes their connections. */
  readonly mustReturn?: readonly ClusterTrader[];
  /** Sessions that it may interrupt; those of partitions that leave if absent. */
  readonly interrupts?: readonly ClusterTrader[];
  readonly heal?: () => Promise<void>;
}

export interface Scene {
  readonly house: ClusterHouse;
  readonly traders: readonly ClusterTrader[];
  /** The database of the nodes; null where the database has no troubles. */
  readonly database: ReplicatedPostgres | null;
  readonly node: NodeProcess;
  /** Partitions of that node. */
  readonly served: ReadonlySet<string>;
  /** Node by partition. */
  readonly owners: ReadonlyMap<string, string>;
}

const NONE: ReadonlySet<string> = new Set();
const BEYOND_LEASE_MS = 1_500;

export async function strike(trouble: Trouble, scene: Scene): Promise<Hit> {
  switch (trouble) {
    case 'database restart':
    case 'database pause':
    case 'fail-over':
    case 'late fail-over':
      return await strikeDatabase(trouble, scene);
    case 'cut':
    case 'apart':
      return cutLinks(trouble, scene);
    default:
      return await strikeNode(trouble, scene);
  }
}

async function strikeNode(trouble: (typeof NODE_TROUBLES)[number], scene: Scene): Promise<Hit> {
  const { house, node, served, traders } = scene;
  const ofServed = traders.filter(({ session }) => served.has(session.partition));
  switch (trouble) {
    case 'kill':
      await node.kill();
      return { leaving: served, heal: () => node.start() };
    case 'pause':
      node.signal('SIGSTOP');
      return { leaving: served, heal: async () => node.signal('SIGCONT') };
    case 'freeze': {
      node.signal('SIGSTOP');
      const silent = traders.filter(({ port }) => port === node.fixPort);
      const interrupts = [...new Set([...silent, ...ofServed])];
      return { leaving: served, mustReturn: interrupts, interrupts, heal: async () => node.signal('SIGCONT') };
    }
    case 'stuck': {
      const [worker] = node.workers;
      if (worker !== undefined) process.kill(worker, 'SIGSTOP');
      await wait(house.options.leaseMs + BEYOND_LEASE_MS);
      return { leaving: NONE, interrupts: ofServed };
    }
    case 'drain':
      await house.register.drain(node.name, true, 'campaign');
      return {
        leaving: served,
        heal: async () => void (await house.register.drain(node.name, false, 'campaign')),
      };
    case 'move': {
      const [first] = served;
      const to = house.nodes.find((one) => one !== node)!;
      if (first !== undefined) await house.register.move(first, to.name, 'campaign', house.options.leaseMs);
      return { leaving: new Set(first === undefined ? [] : [first]) };
    }
    case 'blind':
      node.database.faults.blackhole = true;
      node.database.reset();
      return {
        leaving: served,
        heal: async () => {
          node.database.faults.blackhole = false;
          node.database.reset();
        },
      };
    case 'upgrade':
      await node.stop();
      return { leaving: served, heal: async () => await node.start(await house.otherProgram(node)) };
  }
}

/** No partition moves. A session that came over another node is interrupted, and its OMS gets in at the node that serves it. */
function cutLinks(trouble: (typeof LINK_TROUBLES)[number], { house, node, owners, traders }: Scene): Hit {
  const nodes = trouble === 'cut' ? [node] : house.nodes;
  const isCut = ({ session, port }: ClusterTrader): boolean => {
    const owner = nodes.find(({ name }) => name === owners.get(session.partition));
    return owner !== undefined && port !== owner.fixPort;
  };
  const cut = traders.filter(isCut);
  for (const { links } of nodes) {
    links.faults.blackhole = true;
    if (trouble === 'apart') links.reset();
  }
  return {
    leaving: NONE,
    mustReturn: cut,
    interrupts: cut,
    heal: async () => {
      for (const { links } of nodes) {
        links.faults.blackhole = false;
        links.reset();
      }
    },
  };
}

/** Of short ones the leases survive; after long ones every partition starts anew. Either way all are served in the end. */
async function strikeDatabase(
  trouble: (typeof DATABASE_TROUBLES)[number],
  { house, database, traders }: Scene,
): Promise<Hit> {
  if (database === null) throw new Error(`${trouble}: this campaign has no database of its own`);
  const beyondLeaseMs = house.options.leaseMs + BEYOND_LEASE_MS;
  if (trouble === 'database restart') await database.restart();
  else if (trouble === 'database pause') await database.pause(beyondLeaseMs);
  else await database.failOver(trouble === 'fail-over' ? 0 : beyondLeaseMs);
  await house.untilRenewed();
  return { leaving: NONE, interrupts: traders, heal: () => database.addReplica() };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
