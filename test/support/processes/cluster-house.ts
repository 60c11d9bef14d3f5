// A cluster for tests: nodes as processes over a real PostgreSQL, each with a way of its own to the database, and a simulated exchange
// in the test's process. Every partition has a credential of its own, and as many sessions as asked for, each with an account.

import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Register } from '../../../src/cluster/nodes/register.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/mod.ts';
import { SharedRows } from '../../../src/store/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { FaultProxy } from '../network/fault-proxy.ts';
import { freePort } from '../network/free-port.ts';
import {
  type ClusterHouseOptions,
  type ClusterSession,
  programOf,
  ROOT,
  sessionsOf,
  worldOf,
  writeConfiguration,
} from './cluster-files.ts';
import { PASSWORD } from './exchange-house.ts';
import { LineProcess } from './line-process.ts';
import { START_FLAGS } from './start-flags.ts';

const STARTS_MAX = 3;
const START_MS = Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 60_000);

/** The PostgreSQL of a cluster: `target` is where it is now, and may change. */
export interface ClusterDatabase {
  readonly target: { readonly host: string; readonly port: number };
  createDatabase(): Promise<string>;
  /** Its address at that place. */
  past(url: string): string;
}

export class ClusterHouse {
  readonly options: ClusterHouseOptions;
  readonly folder: string;
  readonly simulator: Simulator;
  readonly nodes: readonly NodeProcess[];
  readonly sessions: readonly ClusterSession[];
  readonly register: Register;
  readonly #urlOf: () => string;
  #next: Promise<string> | null = null;
  readonly #rows: SharedRows;

  private constructor(parts: {
    options: ClusterHouseOptions;
    folder: string;
    urlOf: () => string;
    simulator: Simulator;
    nodes: readonly NodeProcess[];
    sessions: readonly ClusterSession[];
  }) {
    this.options = parts.options;
    this.folder = parts.folder;
    this.simulator = parts.simulator;
    this.nodes = parts.nodes;
    this.sessions = parts.sessions;
    this.#urlOf = parts.urlOf;
    this.#rows = new SharedRows({ url: parts.urlOf, requestTimeoutMs: 10_000 });
    this.register = new Register(this.#rows, 'crossgate');
  }

  /** The database, past the nodes' ways to it. */
  get url(): string {
    return this.#urlOf();
  }

  /** Prepare all; no node is started. */
  static async create(server: ClusterDatabase, options: ClusterHouseOptions): Promise<ClusterHouse> {
    const folder = await mkdtemp(join(tmpdir(), 'crossgate-cluster-'));
    const secrets = join(folder, 'secrets');
    for (const name of ['secrets', 'sessions']) await mkdir(join(folder, name), { mode: 0o700 });
    await copyFile(join(ROOT, 'sessions', 'defaults.yaml'), join(folder, 'sessions', 'defaults.yaml'));
    const sessions = sessionsOf(options);
    await writeFile(join(folder, 'world.yaml'), worldOf(sessions));
    const simulator = await startSimulator({
      keysDirectory: secrets,
      worldFile: join(folder, 'world.yaml'),
      liquidity: 'off',
      auctions: { manual: true },
      limits: null,
    });
    const { certificatePem, keyPem } = await createSelfSignedCertificate({
      commonName: 'cluster',
      alternativeNames: Array.from({ length: options.nodes }, (_, k) => linkHostOf(`n${k + 1}`)),
    });
    const files = { 'node.crt': certificatePem, 'node.key': keyPem, password: `${PASSWORD}\n` };
    for (const [name, text] of Object.entries(files)) await writeFile(join(secrets, name), text, { mode: 0o600 });
    await writeConfiguration(folder, sessions, options, simulator.url);
    const database = await server.createDatabase();
    const names = Array.from({ length: options.nodes }, (_, k) => `n${k + 1}`);
    const nodes: NodeProcess[] = [];
    const { target } = server;
    const place = { url: server.past(database), target, environment: options.environment ?? {} };
    for (const name of names) nodes.push(await NodeProcess.create(name, folder, place));
    return new ClusterHouse({ options, folder, urlOf: () => server.past(database), simulator, nodes, sessions });
  }

  node(name: string): NodeProcess {
    return this.nodes.find((node) => node.name === name)!;
  }

  /** The node that serves a partition, by the rows; null if none does. */
  async ownerOf(partition: string): Promise<string | null> {
    const { placements } = await this.register.read();
    return placements.find((row) => row.partition === partition)?.owner ?? null;
  }

  /** Every partition is served where it should be. @throws Error if it is not in time */
  async untilServed(isRight: (owners: ReadonlyMap<string, string>) => boolean = () => true): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      // The database may be in trouble.
      const { placements } = await this.register.read().catch(() => ({ placements: [] }));
      const owners = new Map(
        placements.flatMap(({ partition, owner }) => (owner === null ? [] : [[partition, owner]])),
      );
      const isServed = owners.size === this.options.partitions && placements.every(({ node, owner }) => node === owner);
      if (isServed && isRight(owners)) return;
      if (Date.now() > until) {
        throw new Error(`partitions are not served: ${JSON.stringify(placements)}\n${this.lastLines(15)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The other of two versions of the program: this one, and a copy with a later number. */
  async otherProgram({ program }: NodeProcess): Promise<string> {
    if (program !== ROOT) return ROOT;
    this.#next ??= programOf(join(this.folder, 'next'));
    return await this.#next;
  }

  /** Every node sends heartbeats. @throws Error if it is not in time */
  async untilLive(): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      const { nodes } = await this.register.read().catch(() => ({ nodes: [] }));
      const live = nodes.filter(({ silentMs }) => silentMs < this.options.leaseMs / 2);
      if (live.length === this.nodes.length) return;
      if (Date.now() > until) throw new Error(`nodes send no heartbeat\n${this.lastLines(15)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Every lease is renewed after this call, by the database's clock. @throws Error if it is not in time */
  async untilRenewed(): Promise<void> {
    const { leaseMs, partitions } = this.options;
    const [now] = await this.#patiently<{ now: string }>('select clock_timestamp()::text as now', []);
    const renewed = `select 1 from crossgate_lease where expires_at >= $1::timestamptz + $2 * interval '1 millisecond'
      having count(*) = $3`;
    await this.#patiently(renewed, [now!.now, leaseMs, partitions]);
  }

  /** Ask until there is a row. */
  async #patiently<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const until = Date.now() + START_MS;
    for (;;) {
      const rows = await this.#rows.query<Row>(sql, values).catch(() => []);
      if (rows.length > 0) return rows;
      if (Date.now() > until) throw new Error(`the database does not show: ${sql}\n${this.lastLines(15)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  lastLines(count: number): string {
    return this.nodes.map(({ name, lines }) => `${name}:\n${lines.slice(-count).join('\n')}`).join('\n');
  }

  /** Keep what each node said, to be read after the end; returns the folder. */
  async keepLines(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'crossgate-cluster-log-'));
    for (const { name, lines, workers } of this.nodes) {
      const commands = workers.map(
        (pid) => `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').at(-2)}`,
      );
      const text = [...lines, `processes: ${commands.join(', ')}`].join('\n');
      await writeFile(join(folder, `${name}.log`), `${text}\n`);
    }
    return folder;
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) await node.remove();
    await this.#rows.close();
    await this.simulator.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface NodeDatabase {
  readonly url: string;
  readonly target: ClusterDatabase['target'];
  readonly environment: Readonly<Record<string, string>>;
}

interface NodeParts {
  readonly environment: Readonly<Record<string, string>>;
  readonly fixPort: number;
  readonly clusterPort: number;
  readonly database: FaultProxy;
  readonly links: FaultProxy;
}

/** The address at which the other nodes reach it: of a proxy that listens at the node's own port. */
function linkHostOf(name: string): string {
  return `127.0.0.1${name.slice(1)}`;
}

/** A node: its process with those of its partitions, on the same ports from one start to the next. */
export class NodeProcess {
  readonly name: string;
  readonly fixPort: number;
  /** Its way to the database. */
  readonly database: FaultProxy;
  /** The other nodes' way to it. */
  readonly links: FaultProxy;
  readonly #clusterPort: number;
  readonly #environment: Readonly<Record<string, string>>;
  #program = ROOT;
  readonly #folder: string;
  readonly #url: string;
  #child: LineProcess | null = null;

  private constructor(name: string, folder: string, url: string, parts: NodeParts) {
    this.name = name;
    this.#folder = folder;
    this.fixPort = parts.fixPort;
    this.#clusterPort = parts.clusterPort;
    this.#environment = parts.environment;
    this.database = parts.database;
    this.links = parts.links;
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String(parts.database.port);
    this.#url = own.href;
  }

  static async create(name: string, folder: string, database: NodeDatabase): Promise<NodeProcess> {
    const [fixPort, clusterPort] = [await freePort(), await freePort()];
    const at = { host: linkHostOf(name), port: clusterPort };
    const links = await FaultProxy.open({ host: '127.0.0.1', port: clusterPort }, at);
    const { url, target, environment } = database;
    return new NodeProcess(name, folder, url, {
      environment,
      fixPort,
      clusterPort,
      database: await FaultProxy.open(target),
      links,
    });
  }

  get state(): string {
    return join(this.#folder, this.name);
  }

  get lines(): readonly string[] {
    return this.#child?.lines ?? [];
  }

  /** The folder of the program that it runs. */
  get program(): string {
    return this.#program;
  }

  /** A line of its start, such as the address of the bridge; waits for it. */
  async printed(pattern: RegExp): Promise<string> {
    return pattern.exec(await this.#child!.line(pattern, START_MS))![1]!;
  }

  /** Ask its admin API, with the token of a user or the shared one. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of it
  async ask(path: string, body?: unknown, token?: string): Promise<{ status: number; body: any }> {
    const { url } = JSON.parse(readFileSync(join(this.state, 'admin.json'), 'utf8'));
    const shared = (): string => readFileSync(join(this.state, 'secrets', 'admin.token'), 'utf8').trim();
    const response = await fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token ?? shared()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Start it, by the program in that folder; resolves when it takes connections. */
  async start(program = this.#program): Promise<void> {
    this.#program = program;
    await mkdir(this.state, { recursive: true, mode: 0o700 });
    for (let attempt = 1; ; attempt++) {
      this.#begin();
      try {
        await this.#child!.line(/joined the cluster/, START_MS);
        return;
      } catch (error) {
        // As a supervisor does: on a busy machine the database may answer the first connection too late.
        const isLate = this.lines.some((line) => /does not answer: (timeout expired|canceling statement)/.test(line));
        if (!isLate || attempt === STARTS_MAX) throw error;
      }
    }
  }

  #begin(): void {
    const flags = [...START_FLAGS, '--title=crossgate-under-test', 'src/cli/main.ts', 'start', '--log', 'json'];
    this.#child = new LineProcess(process.execPath, flags, {
      cwd: this.#program,
      env: {
        CROSSGATE_SESSIONS: join(this.#folder, 'sessions'),
        CROSSGATE_STATE: this.state,
        CROSSGATE_FIX_PORT: String(this.fixPort),
        CROSSGATE_CLUSTER_NODE: this.name,
        CROSSGATE_CLUSTER_ADDRESS: linkHostOf(this.name),
        CROSSGATE_CLUSTER_PORT: String(this.#clusterPort),
        CLUSTER_DATABASE: this.#url,
        ...this.#environment,
      },
    });
  }

  /** Processes of its partitions. */
  get workers(): number[] {
    const pid = this.#child?.pid ?? -1;
    try {
      const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      return text.split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /** To the node and its partitions, as if its machine did it. */
  signal(signal: NodeJS.Signals): void {
    const pids = [this.#child?.pid ?? -1, ...this.workers];
    for (const pid of pids) if (pid > 0) process.kill(pid, signal);
  }

  /** Its machine is gone. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#child?.ended();
  }

  /** Ctrl-C: the exit code. */
  async stop(): Promise<number | string> {
    return (await this.#child?.kill('SIGINT')) ?? 0;
  }

  async remove(): Promise<void> {
    await this.kill().catch(() => {});
    await this.database.close();
    await this.links.close();
  }
}
