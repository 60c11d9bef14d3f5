// A node of a simulated cluster: its placement machine, and the processes of its partitions with the lease of the store (lease.ts).
// All of it can be killed, or stand still: its clock goes on, and what comes for it waits.

import { type PlacementEffect, type PlacementInput, PlacementMachine } from '../../../src/cluster/placement/machine.ts';
import type { Randomness } from '../../simulation/randomness.ts';
import type { Scheduler } from '../../simulation/scheduler.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

export const LEASE_MS = 5_000;
export const BEAT_MS = 500;
const GIVE_UP_MS = (LEASE_MS * 3) / 4;
export const SETTINGS = { goneMs: LEASE_MS, joinMs: 2 * BEAT_MS, settleMs: 20_000, rebalances: true };

export interface World {
  readonly scheduler: Scheduler;
  readonly random: Randomness;
  readonly database: SimulatedDatabase;
  readonly partitions: readonly string[];
  /** A process sends a message to a counterparty. */
  readonly transmit: (partition: string, epoch: number, number: number) => void;
}

/** Something that stands still or dies as one: a node, or one of its processes. */
class Body {
  isAlive = true;
  isPaused = false;
  readonly #backlog: (() => void)[] = [];

  /** Run it now, or when this one goes on. */
  run(act: () => void): void {
    if (!this.isAlive) return;
    if (this.isPaused) this.#backlog.push(act);
    else act();
  }

  resume(): void {
    this.isPaused = false;
    for (let act = this.#backlog.shift(); act !== undefined; act = this.#backlog.shift()) this.run(act);
  }
}

export class SimulatedNode {
  readonly name: string;
  readonly body = new Body();
  readonly processes = new Map<string, SimulatedProcess>();
  readonly #world: World;
  readonly #machine: PlacementMachine;
  #offered: readonly string[];

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.#offered = world.partitions;
    this.#machine = new PlacementMachine({ ...SETTINGS, node: name, partitions: world.partitions });
    this.#beat();
  }

  kill(): void {
    this.body.isAlive = false;
    for (const { body } of this.processes.values()) body.isAlive = false;
  }

  pause(): void {
    this.body.isPaused = true;
    for (const { body } of this.processes.values()) body.isPaused = true;
  }

  resume(): void {
    this.body.resume();
    for (const { body } of this.processes.values()) body.resume();
  }

  after(ms: number, act: () => void): void {
    this.#world.scheduler.after(ms, () => this.body.run(act));
  }

  #beat(): void {
    const { database } = this.#world;
    const row = {
      name: this.name,
      address: '',
      weight: 1,
      version: '1',
      addressGroup: this.name,
      partitions: this.#offered,
    };
    database.ask(
      () => database.beat(row, LEASE_MS),
      (result) =>
        this.body.run(() => {
          this.input(result === null ? { kind: 'blind' } : { kind: 'rows', rows: result.value });
          this.after(BEAT_MS, () => this.#beat());
        }),
    );
  }

  input(input: PlacementInput): void {
    for (const effect of this.#machine.handle(input, this.#world.scheduler.now)) this.#perform(effect);
    const deadline = this.#machine.deadline();
    if (deadline === null) return;
    this.after(deadline - this.#world.scheduler.now, () => {
      if (this.#machine.deadline() === deadline) this.input({ kind: 'tick' });
    });
  }

  #perform(effect: PlacementEffect): void {
    const { database } = this.#world;
    const write = (act: () => void): void => database.ask(act, () => {});
    switch (effect.kind) {
      case 'assign':
        write(() => database.assign(effect.assignment));
        return;
      case 'prepared':
        write(() => database.prepared(effect.partition, effect.epoch));
        return;
      case 'owned':
        write(() => database.owned(effect.partition, this.name));
        return;
      case 'released':
        write(() => database.released(effect.partition, this.name));
        return;
      case 'balanced':
        write(() => {
          database.isRebalanceWanted = false;
        });
        return;
      case 'offer':
        this.#offered = effect.partitions;
        return;
      case 'stop':
        this.processes.get(effect.partition)?.stop();
        return;
      case 'start': {
        const { partition } = effect;
        const process = new SimulatedProcess(this.#world, this, partition);
        this.processes.set(partition, process);
        return;
      }
    }
  }
}

export class SimulatedProcess {
  readonly body = new Body();
  readonly #world: World;
  readonly #node: SimulatedNode;
  readonly partition: string;
  #epoch: number | null = null;
  #renewedAt = 0;
  #isStopping = false;

  constructor(world: World, node: SimulatedNode, partition: string) {
    this.#world = world;
    this.#node = node;
    this.partition = partition;
    this.#after(world.random.between(200, 1_500), () => {
      this.#tell('standing');
      this.#take();
    });
  }

  get epoch(): number | null {
    return this.#epoch;
  }

  kill(): void {
    this.#end('killed');
  }

  /** The parent notices the end of its process, if it runs itself. */
  #end(reason: string): void {
    if (!this.body.isAlive) return;
    this.body.isAlive = false;
    this.#world.scheduler.after(1, () =>
      this.#node.body.run(() => {
        if (this.#node.processes.get(this.partition) !== this) return;
        this.#node.processes.delete(this.partition);
        this.#node.input({ kind: 'ended', partition: this.partition, reason });
      }),
    );
  }

  #tell(kind: 'standing' | 'serving'): void {
    this.#world.scheduler.after(1, () =>
      this.#node.body.run(() => {
        if (this.#node.processes.get(this.partition) !== this) return;
        this.#node.input({ kind, partition: this.partition });
      }),
    );
  }

  #after(ms: number, act: () => void): void {
    this.#world.scheduler.after(ms, () => this.body.run(act));
  }

  #ask<T>(execute: () => T, answer: (result: { readonly value: T } | null) => void): void {
    this.#world.database.ask(execute, (result) => this.body.run(() => answer(result)));
  }

  #take(): void {
    if (this.#isStopping) {
      this.#end('stopped');
      return;
    }
    const { database, scheduler, random } = this.#world;
    const askedAt = scheduler.now;
    this.#ask(
      () => database.take(this.partition, this.#node.name, LEASE_MS),
      (result) => {
        if (result === null || result.value === null)
          return this.#after(random.between(100, 1_000), () => this.#take());
        this.#epoch = result.value;
        this.#renewedAt = askedAt;
        this.#renew();
        this.#after(random.between(20, 400), () => this.#serve());
      },
    );
  }

  get #isOver(): boolean {
    return this.#world.scheduler.now - this.#renewedAt > GIVE_UP_MS;
  }

  #renew(): void {
    const { database, scheduler } = this.#world;
    if (this.#isOver) {
      this.#end('the lease is over');
      return;
    }
    const askedAt = scheduler.now;
    this.#ask(
      () => database.renew(this.partition, this.#epoch!, LEASE_MS),
      (result) => {
        if (result?.value === false) {
          this.#end('another node has the lease');
          return;
        }
        if (result !== null) this.#renewedAt = Math.max(this.#renewedAt, askedAt);
        this.#after(result === null ? 250 : LEASE_MS / 3, () => this.#renew());
      },
    );
  }

  #serve(): void {
    if (this.#isOver) {
      this.#end('the lease is over');
      return;
    }
    this.#tell('serving');
    this.#trade();
  }

  /** Persist, then transmit, while the lease holds. */
  #trade(): void {
    if (this.#isStopping) {
      this.#release();
      return;
    }
    if (this.#isOver) {
      this.#end('the lease is over');
      return;
    }
    const { database, random, transmit } = this.#world;
    const epoch = this.#epoch!;
    this.#ask(
      () => database.commit(this.partition, epoch),
      (result) => {
        if (this.#isOver) {
          this.#end('the lease is over');
          return;
        }
        if (result?.value === null) {
          this.#end('another node writes');
          return;
        }
        // Without an answer it is not known whether the message is recorded: it is resent by its number, if it is.
        if (result !== null) transmit(this.partition, epoch, result.value);
        this.#after(random.between(50, 200), () => this.#trade());
      },
    );
  }

  stop(): void {
    this.body.run(() => {
      this.#isStopping = true;
    });
  }

  #release(): void {
    const { database } = this.#world;
    this.#ask(
      () => database.release(this.partition, this.#epoch!),
      () => this.#end('stopped'),
    );
  }
}
