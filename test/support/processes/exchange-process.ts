// The simulated exchange in its own process with its books on disk: killed and restarted on the same port, controlled
// over its control endpoint, and read at the end as a customer reads it.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { decodePage, parseExactJson } from '../../../src/exchange/mod.ts';
import { type Credential, createExchangeClient } from '../../../src/exchange-client/mod.ts';
import { PATIENCE_MS } from '../patience.ts';
import { LineProcess } from './line-process.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const RETRY_MS = 50;
const PAGES_MAX = 1_000;

/** No rate limit is reached with these. */
export const UNLIMITED = { ordersPerSecond: 1_000_000, otherPerSecond: 1_000_000, addressPer10Seconds: 10_000_000 };

export interface ExchangeProcessOptions {
  readonly keys: string;
  /** Further arguments of `crossgate sim`. */
  readonly more?: readonly string[];
}

export class ExchangeProcess {
  readonly #options: ExchangeProcessOptions;
  readonly #memory: string;
  #child: LineProcess;
  #url = '';

  private constructor(options: ExchangeProcessOptions, memory: string) {
    this.#options = options;
    this.#memory = memory;
    this.#child = this.#spawn(0);
  }

  static async start(options: ExchangeProcessOptions): Promise<ExchangeProcess> {
    const exchange = new ExchangeProcess(options, await mkdtemp(join(tmpdir(), 'crossgate-exchange-')));
    await exchange.#ready();
    return exchange;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Kill -9 and start again with the same books on the same port. */
  async crash(): Promise<void> {
    await this.#child.kill('SIGKILL');
    this.#child = this.#spawn(Number(new URL(this.#url).port));
    await this.#ready();
  }

  /** POST to the control endpoint, again while the exchange is down; null if it refuses. */
  async control(path: string, body: Readonly<Record<string, unknown>>): Promise<Record<string, unknown> | null> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        const answer = await fetch(`${this.#url}/control/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const json = (await answer.json()) as Record<string, unknown>;
        return answer.ok ? json : null;
      } catch (error) {
        if (Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Every item of some lists, read with a login of its own (`key` names a file of the keys directory). */
  async read(key: string, targets: readonly string[]): Promise<Record<string, unknown>[][]> {
    const credential = JSON.parse(await readFile(join(this.#options.keys, `${key}.json`), 'utf8')) as Credential;
    const client = createExchangeClient({
      name: 'auditor',
      baseUrl: this.#url,
      credential,
      dialect: 'v2',
      prehash: 'hexdigest',
      tradingAccountIds: [],
      rates: UNLIMITED,
      auctionSymbols: [],
      nonceMode: 'window',
      nonceCeiling: null,
      onNonceCeiling: () => {},
      now: Date.now,
      log: () => {},
      onAlarm: () => {},
    });
    await client.start();
    try {
      const lists: Record<string, unknown>[][] = [];
      for (const target of targets) lists.push(await list((next) => client.get(next), target));
      return lists;
    } finally {
      await client.close();
    }
  }

  async remove(): Promise<void> {
    await this.#child.kill('SIGKILL');
    await rm(this.#memory, { recursive: true, force: true });
  }

  #spawn(port: number): LineProcess {
    const { keys, more = [] } = this.#options;
    const args = ['sim', '--json', '--port', String(port), '--keys', keys, '--memory', this.#memory, ...more];
    return new LineProcess(process.execPath, ['--title=crossgate-sim-under-test', 'src/cli/main.ts', ...args], {
      cwd: ROOT,
    });
  }

  async #ready(): Promise<void> {
    this.#url = (JSON.parse(await this.#child.line(/^\{/)) as { url: string }).url;
  }
}

type Get = ReturnType<typeof createExchangeClient>['get'];

async function list(get: Get, target: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  const sign = target.includes('?') ? '&' : '?';
  let next: string | null = `${target}${sign}_pageSize=100&_metaData=true`;
  for (let pages = 0; next !== null; pages++) {
    if (pages === PAGES_MAX) throw new Error(`${target} does not end`);
    const answer = await patientGet(get, next);
    if (answer.kind !== 'answer' || answer.status !== 200) throw new Error(`${next}: ${JSON.stringify(answer)}`);
    const json = parseExactJson(answer.body);
    if (Array.isArray(json)) return json as Record<string, unknown>[];
    const page = decodePage(json);
    if (page === null) throw new Error(`${next} is no list: ${answer.body.slice(0, 200)}`);
    items.push(...(page.items as Record<string, unknown>[]));
    next = page.next;
  }
  return items;
}

/** An unanswered request is repeated: on a busy machine a page may take longer than a read waits. */
async function patientGet(get: Get, target: string): ReturnType<Get> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    const answer = await get(target);
    if (answer.kind === 'answer' || Date.now() >= until) return answer;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
