// This process as a node of a cluster: sends heartbeats, reads the rows that all nodes share, does as the placement machine says,
// and routes connections to the node that serves their partition. The lease of a journal says which process may write it.

import { createHash, randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { CrossgateError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import type { EngineLog, HandedConnection } from '../../engine/mod.ts';
import type { ClusterConfig, EngineConfig, PostgresConfig } from '../../runtime/mod.ts';
import { SharedRows } from '../../store/mod.ts';
import { type BridgeWay, bridgeHere } from '../front/bridge-front.ts';
import type { Partition } from '../partitions/partition.ts';
import { liveNodes } from '../placement/decide.ts';
import { type PlacementEffect, type PlacementInput, PlacementMachine } from '../placement/machine.ts';
import type { ViewCluster } from '../view/cluster-routes.ts';
import type { PartitionPlace } from '../view/place.ts';
import type { PartitionHost, RunningPartition } from '../workers/partition-host.ts';
import { AddressShares, sharersIn } from './address-share.ts';
import { clusterView, placeIn, type Sight } from './node-view.ts';
import { OneAfterAnother } from './one-after-another.ts';
import { PartitionSwitches } from './partition-switches.ts';
import { CLUSTER_CHANNEL, type NodeFacts, Register, type RegisterRows } from './register.ts';
import { type NodeService, NodeSplices } from './splice.ts';
import { StartTurns } from './start-turns.ts';
import { SwitchRows } from './switch-rows.ts';

export interface ClusterNodeOptions {
  /** With `cluster` and `postgres`. */
  readonly config: EngineConfig;
  readonly partitions: readonly Partition[];
  readonly host: PartitionHost;
  readonly log: EngineLog;
  readonly version: string;
}

/** Heartbeats without one of another process after which a name is free: its process was killed. */
const FREE_AFTER_BEATS = 3;

/** Start a node: it joins the cluster, and serves what is placed here. @throws CrossgateError */
export async function startClusterNode(options: ClusterNodeOptions): Promise<ClusterNode> {
  const { cluster = null, postgres } = options.config;
  if (cluster === null || postgres === null) {
    throw new CrossgateError('XG_CONFIG_INVALID', 'a node of a cluster has `cluster` and a store in PostgreSQL');
  }
  const node = new ClusterNode(options, cluster, postgres);
  await node.open();
  return node;
}

export class ClusterNode {
  readonly #options: ClusterNodeOptions;
  readonly #cluster: ClusterConfig;
  readonly #postgres: PostgresConfig;
  readonly #rows: SharedRows;
  readonly #register: Register;
  readonly #machine: PlacementMachine;
  readonly #switches: PartitionSwitches;
  readonly #running = new Map<string, RunningPartition>();
  readonly #ends = new Set<Promise<void>>();
  #splices: NodeSplices | null = null;
  #facts: NodeFacts;
  #seen: RegisterRows | null = null;
  #seenAt = 0;
  readonly #looks = new OneAfterAnother(() => this.#lookOnce());
  #beatTimer: NodeJS.Timeout | null = null;
  #tickTimer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #closing: Promise<void> | null = null;
  #trouble: string | null = null;
  readonly #shares = new AddressShares(() => this.#running.values());
  readonly #startTurns = new StartTurns();
  #lost: (reason: string) => void = () => {};
  /** Resolves with the reason when this node may serve nothing more; never otherwise. */
  readonly lost: Promise<string>;
  /** Answers requests of another node. */
  onRequests: (service: NodeService, socket: Duplex) => void = (_, socket) => socket.destroy();

  constructor(options: ClusterNodeOptions, cluster: ClusterConfig, postgres: PostgresConfig) {
    this.lost = new Promise((resolve) => {
      this.#lost = resolve;
    });
    this.#options = options;
    this.#cluster = cluster;
    this.#postgres = postgres;
    const names = options.partitions.map(({ name }) => name);
    const { node, weight, addressGroup, heartbeatMs, settleMs, rebalances } = cluster;
    this.#rows = new SharedRows({
      url: () => postgres.url.read(),
      requestTimeoutMs: postgres.requestTimeoutMs,
      channel: CLUSTER_CHANNEL,
      onNotify: (payload) => {
        if (payload === postgres.journal) void this.#looks.run();
      },
    });
    this.#register = new Register(this.#rows, postgres.journal);
    this.#switches = new PartitionSwitches(options.log);
    const settings = { goneMs: postgres.leaseMs, joinMs: 2 * heartbeatMs, settleMs, rebalances };
    this.#machine = new PlacementMachine({ ...settings, node, partitions: names });
    this.#facts = {
      name: node,
      incarnation: randomUUID(),
      address: '',
      weight,
      version: options.version,
      addressGroup,
      partitions: names,
      configuration: configurationOf(options.partitions),
    };
  }

  get name(): string {
    return this.#cluster.node;
  }

  /** The rows that all nodes share. */
  get register(): Register {
    return this.#register;
  }

  /** Kill switches over all partitions. */
  get switches(): SwitchRows {
    return new SwitchRows(this.#register);
  }

  /** As they were read last; null before that. */
  get rows(): RegisterRows | null {
    return this.#seen;
  }

  /** Null while it is not served here. */
  partition(name: string): RunningPartition | null {
    return this.#running.get(name) ?? null;
  }

  /** Each partition with a process here, and what that does, in a word. */
  states(): ReadonlyMap<string, string> {
    return new Map(this.#machine.present.map((name) => [name, this.#running.has(name) ? 'running' : 'starting']));
  }

  /** Partitions that are served here. */
  get serving(): readonly RunningPartition[] {
    return [...this.#running.values()];
  }

  /** Every partition, and where its admin API is: here, at the node that serves it, or nowhere now. */
  places(): PartitionPlace[] {
    return this.#options.partitions.map(({ name }) => placeIn(this.#sight(), name));
  }

  /** The nodes for the admin server, and what operators do with them. */
  get view(): ViewCluster {
    return clusterView(this.#register, this.#postgres.leaseMs, () => this.#sight());
  }

  #sight(): Sight {
    const [rows, seenAt, running] = [this.#seen, this.#seenAt, this.#running];
    return { node: this.name, rows, seenAt, running, live: this.#live(), present: this.#machine.present };
  }

  /** A connection for requests to another node, at its place in the cluster; it fails if this node has left. */
  dial(service: NodeService, address: string): Duplex {
    if (this.#splices === null) throw new CrossgateError('XG_ENGINE_CLOSED', 'this node is not in the cluster');
    return this.#splices.dial(service, address);
  }

  /** Where the bridge of a partition is: here, or at the node that serves it; null if none does. */
  bridgeWay(partition: string): BridgeWay | null {
    const running = this.#running.get(partition);
    if (running !== undefined) return bridgeHere(running);
    const node = this.#ownerOf(partition);
    if (node === null || this.#splices === null) return null;
    const { address } = node;
    return { kind: 'node', address, dial: () => this.dial('bridge', address) };
  }

  /** Takes a connection for a partition, here or at the node that serves it; null if none does. */
  readonly route = (partition: string): ((handed: HandedConnection) => void) | null => {
    const local = this.#local(partition);
    if (local !== null) return local;
    const node = this.#ownerOf(partition);
    if (node === null || this.#splices === null) return null;
    return (handed) => this.#splices!.handOn(handed, partition, node.address);
  };

  async open(): Promise<void> {
    const { log } = this.#options;
    const local = (partition: string) => this.#local(partition);
    this.#splices = await NodeSplices.open({
      config: this.#cluster,
      local,
      answer: (service, socket) => this.onRequests(service, socket),
      log,
    });
    this.#facts = { ...this.#facts, address: hostPort(this.#cluster.address, this.#splices.port) };
    try {
      await this.#join();
    } catch (error) {
      await this.close();
      throw error;
    }
    log('info', `node ${this.name} joined the cluster ${this.#register.cluster}`, { address: this.#facts.address });
    await this.#beat();
  }

  /** Leave the cluster: other nodes take over at once. Resolves when every partition here has stopped in order. */
  async close(): Promise<void> {
    if (this.#closing !== null) return await this.#closing;
    this.#closing = this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    if (this.#beatTimer !== null) clearTimeout(this.#beatTimer);
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    this.#shares.close();
    // Before the partitions stop: the next node starts its processes meanwhile.
    await this.#register.leave(this.#facts).catch(() => {});
    for (const effect of this.#machine.leave()) this.#perform(effect);
    await Promise.all([...this.#ends]);
    await this.#splices?.close();
    await this.#rows.close();
  }

  /** @throws CrossgateError XG_JOURNAL_LOCKED if another process has this name, and lives */
  async #join(): Promise<void> {
    const { heartbeatMs } = this.#cluster;
    const { leaseMs } = this.#postgres;
    const first = await this.#register.holder(this.name);
    if (first === null) return;
    if (first.silentMs <= leaseMs) {
      this.#options.log('info', `another process had the name ${this.name}: waiting whether it lives`);
      await new Promise((resolve) => setTimeout(resolve, FREE_AFTER_BEATS * heartbeatMs));
    }
    if (await this.#register.inherit(this.#facts, first.beat)) return;
    const text = `a process with the name ${this.name} is in the cluster: give each node a name of its own (\`cluster.node\`, CROSSGATE_CLUSTER_NODE)`;
    throw new CrossgateError('XG_JOURNAL_LOCKED', text);
  }

  async #beat(): Promise<void> {
    const { heartbeatMs } = this.#cluster;
    const begun = performance.now();
    try {
      if (!(await this.#register.beat(this.#facts, this.#postgres.leaseMs))) {
        this.#replaced();
        return;
      }
    } catch {
      // The look that follows reports it.
    }
    await this.#looks.run();
    if (this.#isClosed) return;
    const left = Math.max(0, heartbeatMs - (performance.now() - begun));
    this.#beatTimer = setTimeout(() => void this.#beat(), left);
  }

  /** Another process took the name of this node while it stood still: this one ends. */
  #replaced(): void {
    this.#isClosed = true;
    for (const effect of this.#machine.leave()) this.#perform(effect);
    this.#lost(`another process has the name of this node, ${this.name}, now`);
  }

  /** Read the rows. */
  async #lookOnce(): Promise<void> {
    if (this.#isClosed) return;
    let rows: RegisterRows;
    try {
      rows = await this.#register.read();
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error));
      this.#input({ kind: 'blind' });
      return;
    }
    if (this.#isClosed) return;
    if (this.#trouble !== null) this.#options.log('info', 'the rows of the cluster can be read again');
    this.#trouble = null;
    this.#seen = rows;
    this.#seenAt = Date.now();
    this.#input({ kind: 'rows', rows });
    this.#shares.divide(sharersIn(rows, this.#live(), this.#cluster.addressGroup));
    for (const partition of this.#running.values()) void this.#switches.bring(partition, rows.killSwitches);
  }

  #tell(trouble: string): void {
    if (trouble !== this.#trouble) {
      this.#options.log('error', `${trouble}; partitions go on under their own leases`, { alarm: 'cluster-blind' });
    }
    this.#trouble = trouble;
  }

  #live(): RegisterRows['nodes'] {
    if (this.#seen === null) return [];
    const settings = { goneMs: this.#postgres.leaseMs, joinMs: 0, settleMs: 0, rebalances: false };
    const live = new Set(liveNodes(this.#seen, settings).map(({ name }) => name));
    return this.#seen.nodes.filter(({ name }) => live.has(name));
  }

  /** Another node that serves a partition; null if none does. */
  #ownerOf(partition: string): RegisterRows['nodes'][number] | null {
    const owner = this.#seen?.placements.find((row) => row.partition === partition)?.owner ?? null;
    return this.#live().find(({ name }) => name === owner && name !== this.name) ?? null;
  }

  #local(partition: string): ((handed: HandedConnection) => void) | null {
    const running = this.#running.get(partition);
    return running === undefined ? null : (handed) => running.take(handed);
  }

  #input(input: PlacementInput): void {
    for (const effect of this.#machine.handle(input, performance.now())) this.#perform(effect);
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    const deadline = this.#machine.deadline();
    if (deadline === null || this.#isClosed) return;
    this.#tickTimer = setTimeout(() => this.#input({ kind: 'tick' }), Math.max(0, deadline - performance.now()));
  }

  #perform(effect: PlacementEffect): void {
    const register = this.#register;
    const { log } = this.#options;
    switch (effect.kind) {
      case 'assign': {
        const { partition, node, why } = effect.assignment;
        this.#write(async () => {
          if (!(await register.assign(effect.assignment, `node ${this.name}`))) return;
          log('info', `partition ${partition} is placed on node ${node} (${why})`, { partition });
        });
        return;
      }
      case 'prepared':
        this.#write(() => register.prepared(effect.partition, effect.epoch));
        return;
      case 'owned':
        this.#write(() => register.owned(effect.partition, this.name));
        return;
      case 'released':
        this.#write(() => register.released(effect.partition, this.name));
        return;
      case 'balanced':
        this.#write(() => register.balanced());
        return;
      case 'offer':
        this.#facts = { ...this.#facts, partitions: effect.partitions };
        log('warn', 'partitions that this node can start', { partitions: effect.partitions.join(', ') });
        return;
      case 'start':
        this.#start(effect.partition);
        return;
      case 'stop':
        log('info', `partition ${effect.partition} stops here: ${effect.why}`, { partition: effect.partition });
        void this.#options.host.stop(effect.partition);
        return;
    }
  }

  /** A write that fails is repeated: the rows of the next look lack it. */
  #write(act: () => Promise<unknown>): void {
    act().catch((error: unknown) => this.#tell(error instanceof Error ? error.message : String(error)));
  }

  #start(partition: string): void {
    const end = this.#serve(partition).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  async #serve(partition: string): Promise<void> {
    const { host, log } = this.#options;
    let reason: string;
    const endTurn = await this.#startTurns.next();
    try {
      if (!this.#machine.isWanted(partition)) throw new Error('it is not wanted here any more');
      const onStanding = (): void => {
        endTurn();
        this.#input({ kind: 'standing', partition });
      };
      const running = await host.start(partition, { onStanding, watchdogMs: this.#postgres.leaseMs, standsBy: true });
      endTurn();
      this.#running.set(partition, running);
      log('info', 'partition serves', { partition, process: running.pid });
      this.#input({ kind: 'serving', partition });
      this.#shares.tell(running);
      if (this.#seen !== null) void this.#switches.bring(running, this.#seen.killSwitches);
      reason = await running.ended;
      this.#running.delete(partition);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    } finally {
      endTurn();
    }
    log('info', `the process of a partition ended: ${reason}`, { partition });
    this.#input({ kind: 'ended', partition, reason });
  }
}

/** Equal for nodes with the same partitions. */
function configurationOf(partitions: readonly Partition[]): string {
  return createHash('sha256').update(JSON.stringify(partitions)).digest('hex').slice(0, 12);
}
