// The place of the attacks: a real gateway as a process of its own, with a victim, a control and some attackers configured, all
// on loopback. Attackers and the measured counterparty run in processes of their own (attacker.ts, prober.ts).

import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { UNLIMITED } from '../support/processes/exchange-process.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import type { AttackFigures, AttackPlan } from './attacker.ts';
import type { Delays, ProbePlan } from './prober.ts';
import type { SquatPlan } from './squatter.ts';

export const PASSWORD = 'generated-password-of-the-hostile-day';
const ACCOUNT = '111000000000001';
export const GATEWAY = 'EXCHANGE_TEST';
const START_MS = 60_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A session file; `extra` are further lines of YAML. */
function sessionFile(compID: string, extra: string): string {
  return `targetCompID: ${compID}
password: file:secrets/${compID}.password
accounts:
  - account: "${ACCOUNT}"
    credential: primary
limits:
  orderQtyMax: "100"
  notionalMax: "500000000"
  openOrdersMax: 100000
  priceBandPercent: off
${extra}`;
}

export interface HouseSession {
  readonly compID: string;
  /** Further lines of its file. */
  readonly extra?: string;
  /** Default: the password of all. */
  readonly password?: string;
}

/** A gateway under attack. */
export class House {
  readonly home: GatewayHome;
  gateway!: GatewayProcess;
  readonly #children: LineProcess[] = [];

  private constructor(home: GatewayHome) {
    this.home = home;
  }

  static async open(
    sessions: readonly HouseSession[],
    gateway: Readonly<Record<string, unknown>> = {},
  ): Promise<House> {
    const house = new House(await GatewayHome.create());
    const { home } = house;
    await home.writePasswords(PASSWORD);
    for (const { compID, extra = '', password = PASSWORD } of sessions) {
      await writeFile(join(home.sessions, `${compID}.yaml`), sessionFile(compID, extra), { mode: 0o600 });
      await writeFile(join(home.secrets, `${compID}.password`), `${password}\n`, { mode: 0o600 });
    }
    for (const sample of ['VENUE_OMS', 'MIDDLE_OFFICE']) await rm(join(home.sessions, `${sample}.yaml`));
    await home.configure('gateway.yaml', {
      'fix.listen.1': undefined,
      'exchange.rates': UNLIMITED,
      'exchange.credentials.0.key': `file:${join(home.secrets, 'demo-hmac.json')}`,
      'bridge.enabled': false,
      ...gateway,
    });
    const exchange = ['sim', '--json', '--port', '0', '--keys', home.secrets, '--liquidity', 'off', '--no-limits'];
    const sim = new LineProcess(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...exchange], { cwd: ROOT });
    house.#children.push(sim);
    const { url } = JSON.parse(await sim.line(/^\{/, START_MS)) as { url: string };
    house.gateway = await home.start(url);
    return house;
  }

  get port(): number {
    return this.gateway.fixPort;
  }

  /** Begin an attack; resolves when it is under way. */
  async attack(plan: Omit<AttackPlan, 'port' | 'password' | 'targetCompID' | 'account'>): Promise<Attack> {
    const full: AttackPlan = { port: this.port, password: PASSWORD, targetCompID: GATEWAY, account: ACCOUNT, ...plan };
    const child = this.#begin('attacker.ts', full);
    await child.line(/^under way/, START_MS);
    return new Attack(child);
  }

  /** Hold connections that say nothing; resolves when all have been opened. */
  async squat(plan: Omit<SquatPlan, 'port'>): Promise<Attack> {
    const full: SquatPlan = { port: this.port, ...plan };
    const child = this.#begin('squatter.ts', full);
    await child.line(/^under way/, START_MS);
    return new Attack(child);
  }

  /** D to the first 8 of a session that behaves, in milliseconds. */
  async probe(plan: Omit<ProbePlan, 'port' | 'password' | 'targetCompID' | 'account'>): Promise<Delays> {
    const full: ProbePlan = { port: this.port, password: PASSWORD, targetCompID: GATEWAY, account: ACCOUNT, ...plan };
    const child = this.#begin('prober.ts', full);
    const line = await child.line(/^\{/, START_MS + 4 * full.seconds * 1000);
    await child.ended();
    return JSON.parse(line) as Delays;
  }

  /** Bytes that stand in the journal, without what is reserved behind them. */
  async journalBytes(): Promise<number> {
    const folder = join(this.home.state, 'journal');
    let bytes = 0;
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.xgj')) continue;
      const content = await readFile(join(folder, name));
      let end = content.length;
      while (end > 0 && content[end - 1] === 0) end--;
      bytes += end;
    }
    return bytes;
  }

  /** Resident memory of the gateway; 0 where the system does not say. */
  gatewayMegabytes(): number {
    try {
      const status = readFileSync(`/proc/${this.gateway.process.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  }

  /** Processor time of the gateway so far; 0 where the system does not say. */
  gatewayProcessorMs(): number {
    try {
      const fields = readFileSync(`/proc/${this.gateway.process.pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
      // utime and stime, in ticks of 10 ms.
      return 10 * (Number(fields[11]) + Number(fields[12]));
    } catch {
      return 0;
    }
  }

  /** Kinds of alarms so far that name a session. */
  alarmsOf(compID: string): string[] {
    const lines = this.gateway.process.lines.filter((line) => line.includes('"alarm":"') && line.includes(compID));
    return [...new Set(lines.map((line) => /"alarm":"([^"]+)"/.exec(line)![1]!))];
  }

  #begin(script: string, plan: object): LineProcess {
    const path = fileURLToPath(new URL(script, import.meta.url));
    const child = new LineProcess(process.execPath, [path, JSON.stringify(plan)]);
    this.#children.push(child);
    return child;
  }

  async close(): Promise<void> {
    for (const child of this.#children) await child.kill();
    await this.home.remove();
  }
}

/** An attack under way. */
export class Attack {
  readonly #child: LineProcess;

  constructor(child: LineProcess) {
    this.#child = child;
  }

  /** End it; what it sent. */
  async end<Figures = AttackFigures>(): Promise<Figures> {
    this.#child.signal('SIGTERM');
    const line = await this.#child.line(/^\{/);
    await this.#child.ended();
    return JSON.parse(line) as Figures;
  }
}

export function inWords({ p50, p99, worst, count }: Delays): string {
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return `p50 ${ms(p50)}, p99 ${ms(p99)}, worst ${ms(worst)} of ${count}`;
}
