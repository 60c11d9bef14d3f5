// Debian's Prometheus and Alertmanager beside a gateway: started on free ports in a temporary folder, with the files of
// deploy/, and asked over HTTP.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { freePort } from '../support/network/free-port.ts';
import { LineProcess } from '../support/processes/line-process.ts';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

interface Rule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The rules as delivered. */
export function alertRules(): Rule[] {
  const file = parse(readFileSync(join(DEPLOY, 'prometheus/rules.yml'), 'utf8')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export class Monitoring {
  readonly folder = mkdtempSync(join(tmpdir(), 'crossgate-monitoring-'));
  readonly #children: LineProcess[] = [];
  #prometheus = '';
  alertmanager = '';

  /** Scrape the gateway at this address. Rules fire after a second: their own times are minutes. */
  async start(gateway: URL, token: string): Promise<void> {
    const [prometheus, alertmanager] = [await freePort(), await freePort()];
    this.#prometheus = `http://127.0.0.1:${prometheus}`;
    this.alertmanager = `http://127.0.0.1:${alertmanager}`;
    mkdirSync(join(this.folder, 'data'));
    cpSync(join(DEPLOY, 'alertmanager/alertmanager.yml'), join(this.folder, 'alertmanager.yml'));
    writeFileSync(join(this.folder, 'metrics.token'), token, { mode: 0o600 });
    const rules = readFileSync(join(DEPLOY, 'prometheus/rules.yml'), 'utf8').replace(/ for: \w+$/gm, ' for: 1s');
    writeFileSync(join(this.folder, 'rules.yml'), rules);
    const config = parse(readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8'));
    config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
    const [scrape] = config.scrape_configs;
    scrape.authorization.credentials_file = join(this.folder, 'metrics.token');
    scrape.static_configs[0].targets = [gateway.host];
    config.alerting.alertmanagers[0].static_configs[0].targets = [`127.0.0.1:${alertmanager}`];
    writeFileSync(join(this.folder, 'prometheus.yml'), stringify(config));
    this.#run('prometheus-alertmanager', [
      '--config.file=alertmanager.yml',
      '--storage.path=data',
      '--cluster.listen-address=',
      `--web.listen-address=127.0.0.1:${alertmanager}`,
    ]);
    this.#run('prometheus', [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data/prometheus',
      `--web.listen-address=127.0.0.1:${prometheus}`,
      // Alertmanager takes what is resolved at once.
      '--rules.alert.resend-delay=1s',
    ]);
    await this.#ready(`${this.alertmanager}/-/ready`);
    await this.#ready(`${this.#prometheus}/-/ready`);
  }

  /** Where Prometheus listens. */
  get prometheus(): string {
    return this.#prometheus;
  }

  /** An instant query. @throws Error if Prometheus refuses it */
  async query(expression: string): Promise<Sample[]> {
    const url = `${this.#prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const answer = (await (await fetch(url)).json()) as { status: string; error?: string; data: { result: Sample[] } };
    if (answer.status !== 'success') throw new Error(`${expression}: ${answer.error}`);
    return answer.data.result;
  }

  /** Active alerts of Alertmanager with these labels. */
  async alerts(...labels: readonly string[]): Promise<Alert[]> {
    const filter = labels.map((label) => `filter=${encodeURIComponent(label)}`).join('&');
    return (await (await fetch(`${this.alertmanager}/api/v2/alerts?${filter}`)).json()) as Alert[];
  }

  async stop(): Promise<void> {
    for (const child of this.#children) await child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #run(command: string, args: readonly string[]): void {
    this.#children.push(new LineProcess(command, args, { cwd: this.folder }));
  }

  async #ready(url: string): Promise<void> {
    await eventually(`${url}`, async () => (await fetch(url).catch(() => null))?.ok === true);
  }
}

/** Wait for something that says nothing when it comes. @throws Error naming it */
export async function eventually(what: string, holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const until = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
