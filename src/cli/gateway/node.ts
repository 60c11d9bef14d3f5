// `crossgate start` with `workers: auto`: this process owns the ports, and a process of its own runs each partition.

import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { httpUrl } from '../../base/host-port.ts';
import {
  BridgeFront,
  type BridgeWay,
  bridgeHere,
  type ClusterNode,
  connectionShortage,
  ForkHost,
  Front,
  movesInWords,
  type Partition,
  Supervisor,
  sharesProcessors,
  startClusterNode,
  startView,
} from '../../cluster/mod.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { formatProblems, wholeOps } from '../../ops/mod.ts';
import { makeStateDirectory, type PostgresConfig } from '../../runtime/mod.ts';
import { type Simulator, startSimulator } from '../../simulator/mod.ts';
import { markOfThisProcess, SharedRows } from '../../store/mod.ts';
import { VERSION } from '../options/version.ts';
import { endOnBug, leaveSoon, stopSignal } from '../output/exit.ts';
import { certificationsOf, type Start, secretsOf } from './starting.ts';
import { nodeWelcome, tellWelcome } from './welcome.ts';

/** Run partitions until a signal. @throws CrossgateError naming what cannot start */
export async function runNode(start: Start, partitions: readonly Partition[]): Promise<void> {
  const { first, log, signals, options } = start;
  endOnBug(log, () => null);
  const signal = stopSignal();
  signals.over();
  const node = new Node(start, partitions);
  try {
    const begun = await Promise.race([node.open().then(() => null), signal]);
    if (begun === null) tellWelcome(nodeWelcome(first.config, node.facts()), options, log);
    log('info', `${await Promise.race([signal, node.failed])} received`);
    process.exitCode = 0;
  } finally {
    if (!(await node.close())) process.exitCode = 1;
  }
  leaveSoon(log);
}

class Node {
  readonly failed: Promise<never>;
  private readonly start: Start;
  private readonly partitions: readonly Partition[];
  private readonly log: EngineLog;
  private readonly createSecrets: ReturnType<typeof secretsOf>;
  private readonly certifications: ReturnType<typeof certificationsOf>;
  private supervisor: Supervisor | null = null;
  /** In place of the supervisor, of a node of a cluster. */
  private cluster: ClusterNode | null = null;
  private front: Front | null = null;
  private bridge: BridgeFront | null = null;
  private view: Awaited<ReturnType<typeof startView>> = null;
  private simulator: Simulator | null = null;
  private opening: Promise<void> = Promise.resolve();
  private reloading: Promise<void> = Promise.resolve();
  private isClosing = false;
  private fail: (error: unknown) => void = () => {};

  constructor(start: Start, partitions: readonly Partition[]) {
    this.start = start;
    this.partitions = partitions;
    this.log = start.log;
    this.createSecrets = secretsOf(start.log);
    this.certifications = certificationsOf(start, (_, text, fields) => start.log('warn', text, fields));
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failed.catch(() => {});
  }

  /** Start every partition, then open the ports. @throws CrossgateError */
  open(): Promise<void> {
    this.opening = this.openAll();
    return this.opening;
  }

  private async openAll(): Promise<void> {
    const { config } = this.start.first;
    const { log } = this;
    await makeStateDirectory(config.stateDirectory);
    if (config.postgres !== null) await this.lookForRoom(config.postgres);
    if (config.simulator !== null) {
      const keysDirectory = join(config.stateDirectory, 'secrets');
      this.simulator = await startSimulator({ ...config.simulator, keysDirectory, log });
    }
    await this.createSecrets(config);
    await this.certifications.apply(this.start.first.certifications);
    const supervisor = new Supervisor({ host: this.newHost(), log });
    this.supervisor = supervisor;
    if ((config.cluster ?? null) !== null) await this.join();
    const { cluster } = this;
    const kept = cluster ?? supervisor;
    this.front = new Front({
      config,
      route: (name) => {
        if (cluster !== null) return cluster.route(name);
        const partition = supervisor.partition(name);
        return partition === null ? null : (handed) => partition.take(handed);
      },
      certifications: this.certifications.elsewhere.bind(this.certifications),
      log,
      now: Date.now,
    });
    if (config.bridge !== null) {
      const wayHere = (name: string): BridgeWay | null => {
        const partition = supervisor.partition(name);
        return partition === null ? null : bridgeHere(partition);
      };
      const wayTo = cluster === null ? wayHere : cluster.bridgeWay.bind(cluster);
      this.bridge = new BridgeFront({ config, wayTo, log }, config.bridge);
    }
    await this.openView(kept);
    if (cluster !== null) {
      cluster.onRequests = (service, socket) => {
        const server = service === 'admin' ? this.view : this.bridge;
        if (server === null) socket.destroy();
        else server.takePeer(socket);
      };
    }
    if (this.isClosing) return;
    const started = Promise.all(cluster === null ? this.partitions.map(({ name }) => supervisor.keep(name)) : []);
    // A node that stands by serves no partition for a long time, and takes the connections of others all the same.
    if (config.postgres?.standsBy === true) started.catch(this.fail);
    else await started;
    if (this.isClosing) return;
    await this.front.open();
    await this.bridge?.open();
  }

  private async lookForRoom({ url, requestTimeoutMs }: PostgresConfig): Promise<void> {
    const rows = new SharedRows({ url: () => url.read(), requestTimeoutMs });
    const shortage = await connectionShortage(rows, this.partitions.length);
    await rows.close();
    if (shortage !== null) this.log('warn', shortage);
  }

  /** Health, metrics, console and admin API of all partitions. */
  private async openView(kept: Pick<Supervisor, 'states' | 'partition'>): Promise<void> {
    const { first, configuration } = this.start;
    const node = this.cluster?.name ?? hostname();
    const { cluster } = this;
    const ofCluster =
      cluster === null
        ? {}
        : { switches: cluster.switches, dial: cluster.dial.bind(cluster, 'admin'), cluster: cluster.view };
    this.view = await startView({
      configuration,
      loaded: first,
      node,
      partitions: () =>
        cluster?.places() ??
        [...kept.states()].map(([name, state]) => {
          const partition = kept.partition(name);
          const { adminUrl = null, nodeToken: token = '' } = partition ?? {};
          return { name, node, state, adminUrl, token };
        }),
      ...ofCluster,
      certifications: this.certifications,
      log: this.log,
      now: Date.now,
      version: VERSION,
      process: markOfThisProcess(),
    });
  }

  /** As a node of a cluster, that starts and stops partitions as they are placed. @throws CrossgateError */
  private async join(): Promise<void> {
    const { config } = this.start.first;
    const options = { config, partitions: this.partitions, host: this.newHost(), log: this.log, version: VERSION };
    this.cluster = await startClusterNode(options);
    void this.cluster.lost.then((reason) => this.fail(new CrossgateError('XG_JOURNAL_LOCKED', reason)));
  }

  facts(): Parameters<typeof nodeWelcome>[1] {
    const { config } = this.start.first;
    const exchange =
      this.simulator === null ? `${config.exchange.baseUrl}` : `${this.simulator.url} (simulated, embedded)`;
    return {
      addresses: this.front!.addresses,
      partitions: (this.cluster ?? this.supervisor!).serving,
      exchange,
      bridge: this.bridge?.url ?? null,
      console: this.view?.url ?? null,
    };
  }

  /** Stop in order; false if a partition did not end in order. */
  async close(): Promise<boolean> {
    this.isClosing = true;
    await this.front?.closePorts();
    this.bridge?.closePort();
    await this.certifications.closeAll();
    await this.cluster?.close();
    const isInOrder = (await this.supervisor?.stop()) ?? true;
    // Its error was thrown before, or is the end of partitions that were still starting.
    await this.opening.catch(() => {});
    await this.bridge?.close();
    await this.reloading;
    await this.view?.close();
    await this.simulator?.close();
    return isInOrder;
  }

  private newHost(): ForkHost {
    const { options, environment, first } = this.start;
    const consoleUrl = (): string | null => this.view?.url ?? plannedUrl(first.admin);
    return new ForkHost({
      program: process.argv[1]!,
      args: ['start', '--sessions', options.sessions, '--log', options.log, '--log-level', options.logLevel],
      environment,
      beginning: {
        partitions: this.partitions,
        simulatorUrl: this.simulator?.url ?? null,
        sharesProcessors: sharesProcessors(this.partitions.length),
        // Asked at each start: the console may open behind the first partitions.
        get consoleUrl() {
          return consoleUrl();
        },
      },
      standsBy: first.config.postgres?.standsBy === true,
      log: this.log,
      onApplied: () => {
        this.reloading = this.reloading.then(() => this.reload());
      },
    });
  }

  /** A partition has taken over changed files: routes and certificates follow. */
  private async reload(): Promise<void> {
    const { loadConfiguration } = await wholeOps();
    const loaded = loadConfiguration(this.start.configuration);
    const { config } = loaded;
    const moves = config === null ? [] : movesInWords(config, this.partitions);
    if (config === null || moves.length > 0) {
      const why = config === null ? formatProblems(loaded.problems) : moves.join('; ');
      this.log('warn', `the listeners keep the configuration before: ${why}`);
      return;
    }
    try {
      await this.createSecrets(config);
      this.front?.use(config);
      this.bridge?.use(config);
      await this.certifications.apply(loaded.certifications);
      this.renew();
    } catch (error) {
      this.log('error', 'the listeners could not take over the changed configuration', { error });
    }
  }

  private renew(): void {
    const ofBridge = this.bridge?.renewals(() => true, Date.now()) ?? [];
    for (const { text, take } of [...(this.front?.renewals(() => true) ?? []), ...ofBridge]) {
      take();
      this.log('info', text);
    }
  }
}

/** Where the console will be; null if that is not known yet, or it is switched off. */
function plannedUrl(admin: Start['first']['admin']): string | null {
  return admin === null || admin.port === 0 ? null : httpUrl(admin.host, admin.port, admin.tls !== null);
}
