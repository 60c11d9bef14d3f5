// The real gateway as a child process, with a folder of its own for state and secrets: started, killed, started again on the
// same ports. The exchange is embedded, or stands in another process and outlives the gateway.

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { LineProcess } from './line-process.ts';
import { START_FLAGS } from './start-flags.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A temporary folder with a copy of the sample configuration; several gateways may run in it one after the other. */
export class GatewayHome {
  readonly folder: string;
  readonly #children: LineProcess[] = [];
  #fixPort = 0;
  #tlsPort = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<GatewayHome> {
    const home = new GatewayHome(await mkdtemp(join(tmpdir(), 'crossgate-e2e-')));
    await cp(join(ROOT, 'sessions'), home.sessions, { recursive: true });
    await mkdir(home.secrets, { recursive: true, mode: 0o700 });
    return home;
  }

  get sessions(): string {
    return join(this.folder, 'sessions');
  }

  get state(): string {
    return join(this.folder, 'state');
  }

  get secrets(): string {
    return join(this.state, 'secrets');
  }

  /** Change keys of a configuration file: `{'fix.listen.1': undefined}` deletes one. */
  async configure(file: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
    const path = join(this.sessions, file);
    const document = parseDocument(await readFile(path, 'utf8'));
    for (const [key, value] of Object.entries(changes)) {
      const at = key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
      if (value === undefined) document.deleteIn(at);
      else document.setIn(at, document.createNode(value));
    }
    await writeFile(path, String(document));
  }

  /** Write the FIX passwords that a start with the embedded exchange would create. */
  async writePasswords(password: string): Promise<void> {
    for (const compID of ['ACME_OMS', 'VENUE_OMS', 'MIDDLE_OFFICE']) {
      await writeFile(join(this.secrets, `${compID}.password`), `${password}\n`, { mode: 0o600 });
    }
    await writeFile(join(this.secrets, 'bridge-desk.token'), 'bridge-token-of-the-tests-0001\n', { mode: 0o600 });
  }

  async password(compID = 'ACME_OMS'): Promise<string> {
    return (await readFile(join(this.secrets, `${compID}.password`), 'utf8')).trim();
  }

  /** Start a gateway and wait until it takes connections. `exchangeUrl` null embeds the simulated exchange. */
  async start(
    exchangeUrl: string | null,
    env: Readonly<Record<string, string>> = {},
    entry = 'src/cli/main.ts',
  ): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.ready(this.begin(exchangeUrl, env, entry));
    this.#fixPort = gateway.fixPort;
    this.#tlsPort = gateway.tlsPort ?? 0;
    return gateway;
  }

  /** Start one and wait for nothing. */
  begin(
    exchangeUrl: string | null,
    env: Readonly<Record<string, string>> = {},
    entry = 'src/cli/main.ts',
  ): LineProcess {
    // The title separates it from a gateway run by hand on the same machine.
    const title = '--title=crossgate-under-test';
    const child = new LineProcess(process.execPath, [...START_FLAGS, title, entry, 'start'], {
      cwd: ROOT,
      env: {
        CROSSGATE_SESSIONS: this.sessions,
        CROSSGATE_STATE: this.state,
        CROSSGATE_FIX_PORT: String(this.#fixPort),
        CROSSGATE_ADMIN_PORT: '0',
        CROSSGATE_BRIDGE_PORT: '0',
        // Tests are about what orders come to, not about how fast the first ones are.
        ...(exchangeUrl === null
          ? { CROSSGATE_SIMULATOR_PORT: '0', CROSSGATE_FIX_TLS_PORT: String(this.#tlsPort) }
          : {
              CROSSGATE_SIMULATOR_EMBEDDED: 'false',
              CROSSGATE_EXCHANGE_URL: exchangeUrl,
              CROSSGATE_EXCHANGE_ENVIRONMENT: 'simulator',
            }),
        ...env,
      },
    });
    this.#children.push(child);
    return child;
  }

  /** Nothing of it is left: neither process nor file. */
  async remove(): Promise<void> {
    for (const child of this.#children) await child.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class GatewayProcess {
  readonly process: LineProcess;
  readonly fixPort: number;
  readonly tlsPort: number | null;
  readonly exchangeUrl: string;

  private constructor(child: LineProcess, ports: { fix: number; tls: number | null }, exchangeUrl: string) {
    this.process = child;
    this.fixPort = ports.fix;
    this.tlsPort = ports.tls;
    this.exchangeUrl = exchangeUrl;
  }

  static async ready(child: LineProcess): Promise<GatewayProcess> {
    // One with a journal older than the exchange runs, but admits no session (rule J3).
    await child.line(/ready for orders|accepts no Logon/);
    const plain = await child.line(/^ {2}FIX {2,}\S+:\d+/);
    const exchange = await child.line(/^ {2}exchange {2,}http/);
    const tls = child.lines.find((line) => /^ {2}FIX over TLS/.test(line));
    const ports = { fix: portIn(plain), tls: tls === undefined ? null : portIn(tls) };
    return new GatewayProcess(child, ports, /http\S+/.exec(exchange)![0]);
  }

  /** Gone at once, with whatever it was doing. */
  async kill(): Promise<void> {
    await this.process.kill('SIGKILL');
  }

  /** Ctrl-C; the exit code. */
  async interrupt(): Promise<number | string> {
    return await this.process.kill('SIGINT');
  }
}

function portIn(line: string): number {
  return Number(/:(\d+)/.exec(line)![1]);
}
