// A cluster in trouble: OMSs trade over all nodes while nodes, the network between them and the database fail, and partitions move. In
// the end the OMSs, the journals and the exchange have to agree: cluster-oracle.ts.

import process from 'node:process';
import { Decimal } from '../../../src/base/decimal.ts';
import type { ReplicatedPostgres } from '../../store/replicated-postgres.ts';
import type { ClusterHouse, NodeProcess } from '../processes/cluster-house.ts';
import { recordedMessages } from './cluster-evidence.ts';
import { answeredIn, type ClusterEvidence, disagreements, fillsIn } from './cluster-oracle.ts';
import { ClusterTrader, FILL_PRICE } from './cluster-trader.ts';
import { strike, type Trouble } from './cluster-troubles.ts';

const PATIENCE_MS = Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 60_000);
const RETRY_MS = 50;
/** All OMSs together try no more often than so, or the machine does nothing else. */
const RETRIES_PER_SECOND_MAX = 300;
/** Faults that a failed campaign shows. */
const SHOWN = 10;

export interface Round {
  readonly trouble: Trouble;
  readonly node: string;
  /** Longest time that an OMS was without a session because of it, milliseconds. */
  readonly downMs: number;
}

export interface CampaignResult {
  readonly rounds: readonly Round[];
  readonly orders: number;
  readonly neverArrived: number;
  readonly fills: number;
  readonly logons: number;
}

export class ClusterCampaign {
  readonly #house: ClusterHouse;
  readonly #database: ReplicatedPostgres | null;
  readonly #traders: readonly ClusterTrader[];
  readonly #rounds: Round[] = [];
  #sold = Decimal.ZERO;
  #selling: NodeJS.Timeout | null = null;

  /** @param database of the house, if it is to have troubles */
  constructor(house: ClusterHouse, database: ReplicatedPostgres | null = null) {
    this.#house = house;
    this.#database = database;
    const { partitions } = house.options;
    this.#traders = house.sessions.map(
      (session, k) => new ClusterTrader(session, this.#portsFrom(k + Math.floor(k / partitions))),
    );
  }

  /** Nodes in turn, those of one partition from another node on: most connections come to one that does not serve the session. */
  #portsFrom(first: number): () => number {
    const { nodes } = this.#house;
    let next = first;
    return () => nodes[next++ % nodes.length]!.fixPort;
  }

  /** Start all nodes and OMSs. @param everyMs time between two orders of an OMS */
  async begin(everyMs: number): Promise<void> {
    await Promise.all(this.#house.nodes.map((node) => node.start()));
    await this.#house.untilServed();
    const retryMs = Math.max(RETRY_MS, (1_000 * this.#traders.length) / RETRIES_PER_SECOND_MAX);
    for (const trader of this.#traders) trader.begin({ everyMs, retryMs });
    await this.#untilUp([]);
    this.#selling = setInterval(() => {
      const filled = this.#house.simulator.control.trade('BTCUSDC', 'SELL', FILL_PRICE, '0.01');
      this.#sold = this.#sold.add(Decimal.of(filled));
    }, 40);
  }

  /** One trouble at one node, or of the whole. @throws Error if the cluster does not recover from it */
  async round(trouble: Trouble, node: NodeProcess): Promise<Round> {
    const began = performance.now();
    const { placements } = await this.#house.register.read();
    const owners = new Map(placements.map(({ partition, owner }) => [partition, owner ?? '']));
    const served = new Set([...owners.keys()].filter((partition) => owners.get(partition) === node.name));
    const scene = { house: this.#house, traders: this.#traders, database: this.#database, node, served, owners };
    const { leaving, mustReturn = [], interrupts, heal } = await strike(trouble, scene);
    const hit = interrupts ?? this.#traders.filter(({ session }) => leaving.has(session.partition));
    await this.#house.untilServed((owners) => [...leaving].every((partition) => owners.get(partition) !== node.name));
    await this.#untilUp(mustReturn, began);
    const downMs = longestDown(hit, began);
    await heal?.();
    await this.#house.untilLive();
    await this.#untilUp([]);
    const round = { trouble, node: node.name, downMs: Math.max(downMs, longestDown(hit, began)) };
    this.#rounds.push(round);
    return round;
  }

  /** All are logged on, those that must return since `began`. */
  async #untilUp(mustReturn: readonly ClusterTrader[], began = 0): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const returning = mustReturn.filter(({ loggedOnAt }) => loggedOnAt <= began);
      const down = [...this.#traders.filter((trader) => !trader.isUp), ...returning];
      if (down.length === 0) return;
      if (performance.now() > until) {
        const names = down.map(({ session }) => session.name).join(', ');
        throw new Error(`not let in: ${names}\n${this.#house.lastLines(25)}`);
      }
      await pause(20);
    }
  }

  /** Come to rest, and compare. @throws Error that says what does not agree */
  async end(): Promise<CampaignResult> {
    if (this.#selling !== null) clearInterval(this.#selling);
    for (const trader of this.#traders) trader.rest();
    await this.#house.untilServed();
    await this.#untilUp([]);
    let faults: readonly string[] = [];
    // Answers, resends and fills are under way; what never comes is a fault.
    for (const until = performance.now() + PATIENCE_MS; ; await pause(500)) {
      if (this.#isAnswered()) faults = disagreements(await this.#evidence());
      if ((this.#isAnswered() && faults.length === 0) || performance.now() > until) break;
    }
    if (!this.#isAnswered()) faults = disagreements(await this.#evidence());
    if (faults.length > 0) {
      const shown = faults.slice(0, SHOWN).join('\n');
      throw new Error(`${faults.length} faults, of which the first:\n${shown}\n${this.#house.lastLines(5)}`);
    }
    const received = this.#traders.map((trader) => trader.received);
    return {
      rounds: this.#rounds,
      orders: this.#traders.reduce((sum, { sent }) => sum + sent.size, 0),
      neverArrived: this.#traders.reduce((sum, { neverArrived }) => sum + neverArrived.size, 0),
      fills: received.reduce((sum, views) => sum + fillsIn(views).size, 0),
      logons: received.flat().filter((view) => view.msgType === 'A').length,
    };
  }

  async close(): Promise<void> {
    if (this.#selling !== null) clearInterval(this.#selling);
    await Promise.all(this.#traders.map((trader) => trader.close()));
  }

  #isAnswered(): boolean {
    return this.#traders.every(({ received, sent, neverArrived }) => {
      const answered = answeredIn(received);
      return [...sent.values()].every((clOrdID) => neverArrived.has(clOrdID) || answered.has(clOrdID));
    });
  }

  async #evidence(): Promise<ClusterEvidence> {
    const recorded = await recordedMessages(this.#house.url);
    const { control } = this.#house.simulator;
    const sessions = this.#traders.map(({ session, connections, sent, neverArrived }) => ({
      name: session.name,
      connections,
      sent: [...sent.values()],
      neverArrived,
      recorded: recorded.get(session.name) ?? new Map(),
      openOrders: control.openOrders(session.account).map(({ orderId }) => orderId),
    }));
    return { sessions, traded: this.#sold };
  }
}

/** Of those that logged on again since then. */
function longestDown(traders: readonly ClusterTrader[], began: number): number {
  const back = traders.filter(({ loggedOnAt }) => loggedOnAt > began);
  return Math.max(0, ...back.map(({ lastDownMs }) => lastDownMs));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
