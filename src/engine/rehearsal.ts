// Before a gateway opens it rehearses: in a folder and on ports of its own it trades with a simulated exchange, so that the
// code that takes an order is optimized when the first one comes, not after tens of thousands. Nothing of it reaches the
// journal, the sessions or the exchange that are configured, and a rehearsal that fails only leaves the first orders slower.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { isJournalOwned } from '../store/mod.ts';
import type { EngineLog, SecretReference } from './config.ts';
import { startEngine } from './engine.ts';
import type { EngineConfig, EngineSessionConfig } from './gateway-config.ts';
import { rehearseOrders } from './rehearsal-oms.ts';
import { kindOfKey, REHEARSAL_ACCOUNT, REHEARSAL_CREDENTIAL, rehearsedSessions } from './rehearsed-sessions.ts';
import { setFlag } from './v8-flag.ts';

const SEGMENT_BYTES = 4_194_304;
const UNLIMITED_RATES = { ordersPerSecond: 1_000_000, otherPerSecond: 1_000_000, addressPer10Seconds: 10_000_000 };

export interface RehearsalOptions {
  readonly config: EngineConfig;
  readonly log: EngineLog;
  /** How many orders are seen through, over all versions. */
  readonly orders: number;
  /** It is over after this time, whatever was seen by then. */
  readonly limitMs: number;
}

/**
 * Rehearse. Resolves with how many orders were seen through; 0 if it failed, which the log says. Beside a gateway that has
 * the journal there is nothing to rehearse for: the start that follows is refused, which should take no time, and the folder
 * may be the other's that rehearses as well.
 */
export async function rehearse({ config, log, orders, limitMs }: RehearsalOptions): Promise<number> {
  const begun = performance.now();
  // An owner on another host would have to be watched: whoever takes the lock does that. A journal that cannot be looked at is
  // told by the start.
  const isOwned = await isJournalOwned(join(config.stateDirectory, 'journal'), { silenceMs: 0 }).catch(() => false);
  if (isOwned) return 0;
  const directory = join(config.stateDirectory, 'rehearsal');
  let seen = 0;
  // Or a quiet night would undo it.
  setFlag('--no-flush-bytecode');
  optimizeEarly(true);
  try {
    await rm(directory, { recursive: true, force: true });
    seen = await rehearseIn(directory, config, orders, begun + limitMs);
    log('info', `rehearsed ${seen} orders`, { ms: Math.round(performance.now() - begun) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log('warn', `the rehearsal failed, so the first orders will be slower: ${reason}`);
  } finally {
    optimizeEarly(false);
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  }
  return seen;
}

/** Calls after which V8 optimizes a function: fewer while little else runs. Only where its defaults, which come back, are known. */
function optimizeEarly(early: boolean): void {
  if (!process.versions.node.startsWith('24.')) return;
  setFlag(`--invocation-count-for-maglev=${early ? 100 : 400}`);
  setFlag(`--invocation-count-for-turbofan=${early ? 300 : 3000}`);
}

async function rehearseIn(directory: string, config: EngineConfig, orders: number, until: number): Promise<number> {
  const sessions = rehearsedSessions(config);
  if (sessions.length === 0) return 0;
  const engine = await startEngine({
    config: rehearsalConfig(directory, config, sessions),
    log: () => {},
    now: Date.now,
    onSecretsReady: async () => {},
  });
  try {
    let seen = 0;
    for (const { session } of sessions) {
      seen += await rehearseOrders({
        port: engine.addresses[0]!.port,
        senderCompID: session.targetCompID,
        targetCompID: session.senderCompID,
        beginString: session.beginString,
        defaultApplVerID: session.defaultApplVerID,
        dictionaries: config.dictionariesDirectory,
        account: REHEARSAL_ACCOUNT,
        symbol: 'BTCUSDC',
        prices: { resting: '50000.0', moved: '50001.0', crossing: '70000.0' },
        orderQty: '0.0010',
        orders: Math.ceil(orders / sessions.length),
        until: performance.now() + (until - performance.now()) / sessions.length,
      });
    }
    return seen;
  } finally {
    await engine.close();
  }
}

function rehearsalConfig(
  directory: string,
  config: EngineConfig,
  sessions: readonly EngineSessionConfig[],
): EngineConfig {
  return {
    ...config,
    stateDirectory: directory,
    journalSegmentBytes: SEGMENT_BYTES,
    dailyFolder: null,
    postgres: null,
    listeners: [{ name: 'rehearsal', host: '127.0.0.1', port: 0, tls: null, allowFrom: [], proxyFrom: [] }],
    exchange: {
      ...config.exchange,
      baseUrl: null,
      rates: UNLIMITED_RATES,
      credentials: [
        {
          name: REHEARSAL_CREDENTIAL,
          key: generatedKey(directory, kindOfKey(config)),
          tradingAccountIds: [REHEARSAL_ACCOUNT],
        },
      ],
    },
    simulator: { liquidity: 'still', auctions: { manual: true }, limits: null },
    sessions,
    gateway: { ...config.gateway, accountLimits: {}, exclusiveAccounts: [] },
    bridge: null,
    rehearsal: { orders: 0, limitMs: 0, idleMicros: 0 },
  };
}

/** What the simulated exchange of the rehearsal generates. */
function generatedKey(directory: string, kind: 'hmac' | 'ecdsa'): SecretReference {
  const path = join(directory, 'secrets', `demo-${kind}.json`);
  return { reference: `file:${path}`, read: () => readFileSync(path, 'utf8') };
}
