// A cluster in virtual time: partitions trade on nodes that are killed, stand still and drain, over a database that delays, fails and
// reorders. No two owners of a partition transmit, no number is used twice, and in the end every partition is served by one node.

import { Randomness } from '../../simulation/randomness.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedNode, type World } from './simulated-node.ts';

const FAULTS_MS = 120_000;
const REST_MS = 150_000;

export interface SimulationResult {
  readonly transmitted: number;
  readonly takeOvers: number;
  readonly kills: number;
  readonly pauses: number;
  readonly broken: readonly string[];
}

export interface SimulationOptions {
  readonly seed: number;
  readonly nodes?: number;
  readonly partitions?: number;
}

class ClusterSimulation {
  readonly scheduler = new Scheduler(0);
  readonly random: Randomness;
  readonly database: SimulatedDatabase;
  readonly nodes = new Map<string, SimulatedNode>();
  readonly broken: string[] = [];
  readonly counts = { transmitted: 0, kills: 0, pauses: 0 };
  readonly #used = new Set<string>();
  readonly #lastAt = new Map<string, number>();
  readonly #names: string[];
  readonly #world: World;

  constructor({ seed, nodes = 3, partitions = 6 }: SimulationOptions) {
    this.random = new Randomness(seed);
    this.database = new SimulatedDatabase(this.scheduler, this.random);
    this.#names = Array.from({ length: nodes }, (_, k) => `n${k + 1}`);
    this.#world = {
      scheduler: this.scheduler,
      random: this.random,
      database: this.database,
      partitions: Array.from({ length: partitions }, (_, k) => `p${k + 1}`),
      transmit: (partition, epoch, number) => this.#transmit(partition, epoch, number),
    };
  }

  #transmit(partition: string, epoch: number, number: number): void {
    this.counts.transmitted++;
    this.#lastAt.set(partition, this.scheduler.now);
    const holder = this.database.leases.get(partition)!.epoch;
    if (holder !== epoch) this.#fail(`${partition}: epoch ${epoch} transmits while ${holder} holds the lease`);
    const key = `${partition} ${number}`;
    if (this.#used.has(key)) this.#fail(`${partition}: number ${number} is used twice`);
    this.#used.add(key);
  }

  #fail(text: string): void {
    this.broken.push(`at ${this.scheduler.now} ms: ${text}`);
  }

  run(): SimulationResult {
    for (const name of this.#names) {
      this.scheduler.after(this.random.between(0, 3_000), () => this.#start(name));
    }
    this.#plague();
    this.#until(FAULTS_MS);
    this.#heal();
    this.#until(FAULTS_MS + REST_MS);
    this.#expectRest();
    const takeOvers = [...this.database.leases.values()].reduce((sum, { epoch }) => sum + epoch, 0);
    return { ...this.counts, takeOvers, broken: this.broken };
  }

  #until(at: number): void {
    while (this.scheduler.now < at && this.broken.length === 0) if (!this.scheduler.step()) break;
  }

  #start(name: string): void {
    this.nodes.set(name, new SimulatedNode(this.#world, name));
  }

  #plague(): void {
    if (this.scheduler.now > FAULTS_MS) return;
    this.scheduler.after(this.random.between(500, 8_000), () => {
      if (this.scheduler.now < FAULTS_MS) this.#strike();
      this.#plague();
    });
  }

  #strike(): void {
    const node = this.nodes.get(this.random.pick(this.#names));
    if (node === undefined) return;
    const random = this.random;
    const row = this.database.nodes.get(node.name);
    switch (random.between(0, 6)) {
      case 0:
        this.counts.kills++;
        node.kill();
        this.scheduler.after(random.between(100, 15_000), () => this.#start(node.name));
        return;
      case 1:
        this.counts.pauses++;
        node.pause();
        this.scheduler.after(random.between(100, 12_000), () => node.resume());
        return;
      case 2: {
        const process = [...node.processes.values()][0];
        if (process === undefined) return;
        this.counts.pauses++;
        process.body.isPaused = true;
        this.scheduler.after(random.between(100, 12_000), () => process.body.resume());
        return;
      }
      case 3:
        [...node.processes.values()].at(-1)?.kill();
        return;
      case 4:
        if (row !== undefined) row.isDraining = !row.isDraining;
        return;
      case 5:
        this.database.isRebalanceWanted = true;
        return;
      case 6:
        this.database.isDown = true;
        this.scheduler.after(random.between(100, 9_000), () => {
          this.database.isDown = false;
        });
    }
  }

  #heal(): void {
    this.database.isDown = false;
    this.database.faults = { slow: 0, lost: 0 };
    for (const row of this.database.nodes.values()) row.isDraining = false;
  }

  /** Every partition trades, at the node that its row names, and the shares are equal. */
  #expectRest(): void {
    if (this.broken.length > 0) return;
    const loads = new Map<string, number>();
    for (const partition of this.#world.partitions) {
      const row = this.database.placements.get(partition);
      const owners = [...this.nodes.values()].filter((node) => node.body.isAlive && node.processes.has(partition));
      const silent = this.scheduler.now - (this.#lastAt.get(partition) ?? 0);
      if (row === undefined) this.#fail(`${partition} was never placed`);
      else if (owners.length !== 1 || owners[0]!.name !== row.node || row.owner !== row.node || silent > 1_000) {
        const names = owners.map(({ name }) => name).join(', ');
        this.#fail(
          `${partition} is meant for ${row.node}, said of ${row.owner}, run by ${names}, silent for ${silent}`,
        );
      } else loads.set(row.node, (loads.get(row.node) ?? 0) + 1);
    }
    const share = this.#world.partitions.length / this.#names.length;
    for (const [node, load] of loads) {
      if (load > Math.ceil(share) || load < Math.floor(share))
        this.#fail(`${node} serves ${load} partitions, not ${share}`);
    }
  }
}

export function simulateCluster(options: SimulationOptions): SimulationResult {
  return new ClusterSimulation(options).run();
}
