// `crossgate cancel-all --account`: cancels everything on a trading account from its credential alone, while the gateway is
// down (rule C4). With a gateway running, on another node over PostgreSQL too, it refuses: that one cancels order by order and
// keeps its own account of them.

import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import { createExchangeClient, type ExchangeClient } from '../../exchange-client/mod.ts';
import { type ExchangePart, readAdminAddress, STANDING_BY } from '../../ops/mod.ts';
import { exchangeTls } from '../../runtime/mod.ts';
import { isJournalOwned, writerOfRows } from '../../store/mod.ts';
import { exchangePartOrExit } from '../options/configuration.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { askedAt, exchangeAddress } from '../options/exchange-address.ts';
import { exchangeKey } from '../options/exchange-key.ts';
import { operatorName } from '../options/operator.ts';
import { askDirectly } from './direct-request.ts';

/** Longest wait for a gateway to say that it is alive. */
const HEALTH_MS = 2_000;

interface CancelAllOptions {
  readonly sessions: string;
  readonly account: string;
  readonly market?: string;
  readonly why?: string;
  readonly url?: string;
  readonly json?: boolean;
  readonly force?: boolean;
}

/** In the state folder: who cancelled what, when and why; the journal is the gateway's, which may start meanwhile. */
const RECORD_FILE = 'cancel-all.jsonl';
/** Longest wait for a disk. */
const RECORD_MS = 2_000;
const LOOK_MS = 500;
/** Looks in a row at which no fewer orders are open than before: then they are said to be. And looks at all. */
const IDLE_LOOKS_MAX = 10;
const LOOKS_MAX = 240;

export function addCancelAllCommand(program: Command): void {
  program
    .command('cancel-all')
    .description('cancel everything on a trading account from its credential alone, while the gateway is down')
    .requiredOption('--account <id>', 'trading account id; orders of others on it are cancelled too')
    .option('--market <symbol>', 'only of this market')
    .option('--why <text>', 'reason, kept beside the journal in cancel-all.jsonl with who did it and when')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--url <url>', 'exchange address; default from the configuration')
    .option('--force', 'even though a gateway seems to be running')
    .option('--json', 'as JSON')
    .action(cancelAll);
}

async function cancelAll(options: CancelAllOptions): Promise<void> {
  // A session's fault may keep a gateway from starting.
  const config = await exchangePartOrExit(options.sessions);
  if (config === null) return;
  const { exchange } = config;
  const credential = exchange.credentials.find(({ tradingAccountIds }) => tradingAccountIds.includes(options.account));
  if (credential === undefined) {
    throw new CrossgateError(
      'XG_NOT_FOUND',
      `no credential of ${options.sessions} reaches account "${options.account}"`,
    );
  }
  const running = options.force === true ? null : await runningGateway(config);
  if (running !== null) {
    const instead = `crossgate kill-switch throw --account ${options.account} --why "…"`;
    throw new CrossgateError(
      'XG_GATEWAY_RUNNING',
      `${running} is running: let it cancel, with \`${instead}\`, or end it first if it does not answer any more`,
    );
  }
  const address = exchangeAddress(config, options.url);
  const client = createExchangeClient({
    name: credential.name,
    baseUrl: address,
    tls: exchangeTls(exchange),
    credential: exchangeKey(credential, config),
    dialect: exchange.dialect,
    prehash: exchange.prehash,
    tradingAccountIds: [options.account],
    auctionSymbols: [],
    referenceSymbols: [],
    nonceMode: exchange.nonceMode,
    // Nonces follow the clock, and go ahead of it where one is refused; the journal stays untouched: the gateway can start meanwhile.
    nonceCeiling: null,
    onNonceCeiling: () => {},
    rates: exchange.rates,
    timeouts: { ...exchange.timeouts, requestMs: exchange.requestTimeoutMs },
    settings: exchange.settings,
    now: Date.now,
    log: (level, text) => {
      if (level === 'warn' || level === 'error') say(text);
    },
    onAlarm: (_, text) => say(text),
  });
  // Reads have the orders of the last day alone: older ones that are still open are known by the private stream.
  let isLive = false;
  client.onEvent = (event) => {
    if (event.kind === 'feed' && event.feed === 'private') isLive = event.live;
  };
  try {
    await client.start().catch(async (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      await keepRecord(config.stateDirectory, options, { outcome: 'notSent', text });
      if (!(error instanceof CrossgateError) || error.code !== 'XG_EXCHANGE_UNREACHABLE') throw error;
      const what = `${error.message}, ${askedAt(config, options.url, address)}`;
      throw new CrossgateError(error.code, what, { cause: error });
    });
    await run(
      client,
      options,
      () => isLive,
      (what) => keepRecord(config.stateDirectory, options, what),
    );
  } finally {
    await client.close();
  }
}

/** Written beside the result, for the operator who waits. */
function say(text: string): void {
  console.error(terminalLines(`crossgate: ${text}`));
}

/** One line as it begins and one as it ends; a failed write is reported and hinders nothing (rule C4). */
async function keepRecord(stateDirectory: string, options: CancelAllOptions, what: object): Promise<void> {
  const { account, market = null, why = null } = options;
  const record = { at: formatIso(Date.now()), who: operatorName(), account, market, why, ...what };
  const file = join(stateDirectory, RECORD_FILE);
  const written = appendFile(file, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
  const tooLate = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${file} takes nothing`)), RECORD_MS).unref();
  });
  await Promise.race([written, tooLate]).catch((error: unknown) => {
    say(`this is not on record: ${error instanceof Error ? error.message : error}`);
  });
}

async function run(
  client: ExchangeClient,
  options: CancelAllOptions,
  isLive: () => boolean,
  record: (what: object) => Promise<void>,
): Promise<void> {
  const { account, market } = options;
  const isMeant = ({ symbol, status }: { symbol: string; status: string }): boolean =>
    status === 'OPEN' && (market === undefined || market === symbol);
  const before = (await client.recent(account))?.orders.filter(isMeant).length ?? null;
  const begun = record({ outcome: 'begun', openBefore: before });
  const outcome = await client.submit(
    `cancel-all/${account}`,
    market === undefined
      ? { kind: 'cancelAll', tradingAccountId: account }
      : { kind: 'cancelAllByMarket', symbol: market, tradingAccountId: account },
  );
  await begun;
  if (outcome.kind === 'refused') {
    await record({ outcome: 'refused', text: outcome.message });
    throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', `the exchange refused the cancel: ${outcome.message}`);
  }
  let after: number | null = null;
  let isAll = false;
  let idle = 0;
  for (let looks = 0; looks < LOOKS_MAX && idle < IDLE_LOOKS_MAX && !(after === 0 && isAll); looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    isAll = isLive();
    const previous: number | null = after;
    after = (await client.recent(account))?.orders.filter(isMeant).length ?? null;
    idle = after !== null && previous !== null && after < previous ? 0 : idle + 1;
  }
  if (after === 0 && !isAll) {
    say('the private stream did not come up, and nothing else shows orders older than a day');
    after = null;
  }
  const result = { account, market: market ?? null, outcome: outcome.kind, openBefore: before, openAfter: after };
  await record({ outcome: outcome.kind, openBefore: before, openAfter: after });
  if (options.json) console.log(JSON.stringify(result, null, 2));
  else
    console.log(
      `${outcome.kind}: ${before ?? 'an unknown number of'} orders were open, ${after ?? 'unknown'} still are`,
    );
  process.exitCode = after === 0 ? 0 : 1;
}

/** Which gateway runs, in words: here, or on another node over PostgreSQL; null if none does. */
async function runningGateway({ stateDirectory, postgres }: ExchangePart): Promise<string | null> {
  if (await isRunning(stateDirectory)) return `the gateway of ${stateDirectory}`;
  return postgres === null ? null : await nodeOf(postgres);
}

/** Rule C4: where the database cannot be asked, that is said and hinders nothing. */
async function nodeOf({ url, journal }: NonNullable<ExchangePart['postgres']>): Promise<string | null> {
  try {
    const writer = await writerOfRows({ url: url.read(), journal }, (holder, ms) =>
      console.error(
        `crossgate: ${holder} wrote journal ${journal} last: for up to ${ms / 1000} s is looked whether it still does; --force cancels at once`,
      ),
    );
    return writer === null ? null : `the gateway ${writer} of journal ${journal} in PostgreSQL`;
  } catch (error) {
    if (!(error instanceof CrossgateError)) throw error;
    console.error(`crossgate: whether another node runs cannot be seen: ${error.message}`);
    return null;
  }
}

/** Answer of /healthz; null if no gateway answers. */
function statusIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly status?: unknown } | null)?.status;
  } catch {
    return null;
  }
}

/**
 * True if a gateway answers from that state folder, or owns its journal: one in another container answers nothing here.
 */
async function isRunning(stateDirectory: string): Promise<boolean> {
  if (await isJournalOwned(join(stateDirectory, 'journal'))) return true;
  const address = await readAdminAddress(stateDirectory).catch(() => null);
  if (address === null || address.url === null) return false;
  // This asks for health only and sends no token: any certificate will do.
  const asked = { method: 'GET', timeoutMs: HEALTH_MS, tls: { rejectUnauthorized: false } } as const;
  const answer = await askDirectly(new URL('/healthz', address.url), asked).catch(() => null);
  if (answer === null) return false;
  // It cancels nothing itself: the node that it waits for may, or none does.
  return statusIn(answer.text) !== STANDING_BY;
}
