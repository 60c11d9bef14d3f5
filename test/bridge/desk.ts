// A bridge over the real exchange client and a real simulated exchange, and a desk's program that calls it over HTTP.

import {
  BRIDGE_FUNCTIONS,
  type Bridge,
  type BridgeCaller,
  type BridgeFunction,
  type BridgeLimits,
  Feeds,
  PublicFeeds,
  startBridge,
} from '../../src/bridge/mod.ts';
import type { BridgeOptions } from '../../src/bridge/port.ts';
import { type ClientRates, createExchangeClient, type ExchangeClient } from '../../src/exchange-client/mod.ts';
import type { Simulator, SimulatorOptions } from '../../src/simulator/mod.ts';
import { ACCOUNT, startTestSimulator } from '../simulator/exchange-caller.ts';

export { ACCOUNT };
export const SECOND_ACCOUNT = '111000000000002';
export const FOREIGN_ACCOUNT = '111000000000003';
export const FULL_TOKEN = 'full-token-of-the-desk-0001';
/** Of a client that signs for the exchange. */
export const ROBOT_TOKEN = 'robot-token-of-a-library-0003';
export const READER_TOKEN = 'reader-token-of-a-screen-0002';

export interface AuditEntry {
  readonly who: string;
  readonly action: string;
  readonly detail: string;
}

/** An answer of the bridge. */
export interface BridgeAnswer {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, unknown>;
  readonly headers: Headers;
}

export interface Desk {
  readonly simulator: Simulator;
  readonly client: ExchangeClient;
  readonly feeds: Feeds;
  readonly bridge: Bridge;
  readonly audited: AuditEntry[];
  readonly alarms: readonly string[];
  /** Whether the audit trail can record. */
  auditWorks: boolean;
  /** The kill switch that is on. */
  killSwitch: string | null;
  /** Why no account takes a delayed cancel-all; null while each does. */
  notExclusive: string | null;
  /** The limit that a leg of a market breaks; null while there is none. */
  limit: ((symbol: string) => string | null) | null;
  get(path: string, token?: string | null): Promise<BridgeAnswer>;
  post(path: string, body: unknown, more?: { token?: string; headers?: Record<string, string> }): Promise<BridgeAnswer>;
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly simulator?: Partial<SimulatorOptions>;
  readonly dialect?: 'v2' | 'v3';
  /** The key of the gateway's login; default: ECDSA. */
  readonly key?: 'demo-ecdsa' | 'demo-hmac';
  readonly limits?: Partial<BridgeLimits>;
  readonly requestMs?: number;
  /** The bridge's log. */
  readonly log?: BridgeOptions['log'];
  /** The clock of the bridge. */
  readonly now?: BridgeOptions['now'];
  /** The relay before the exchange, by its address; default: none. */
  readonly via?: (exchangeUrl: string) => Promise<string>;
  /** Token of a process in front, which owns the port; default: none stands there. */
  readonly frontToken?: string;
  /** Default: as good as unlimited. */
  readonly rates?: Partial<ClientRates>;
}

const secret = (value: string): BridgeCaller['token'] => ({ reference: 'env:TEST_TOKEN', read: () => value });

export const LIMITS: BridgeLimits = {
  bodyBytesMax: 65_536,
  requestArrivalMs: 15_000,
  connectionsMax: 100,
  requestsPerTokenMax: 16,
  streamsPerTokenMax: 4,
  newStreamsPerMinute: 1_000,
  negotiatedPerMinute: 1_000,
  streamBytesMax: 1_048_576,
  closeWaitMs: 5_000,
};

const FAST: Partial<ClientRates> = {
  ordersPerSecond: 10_000,
  otherPerSecond: 10_000,
  publicPerSecond: 10_000,
  addressPer10Seconds: 1_000_000,
};

const EVERYTHING = Object.keys(BRIDGE_FUNCTIONS) as BridgeFunction[];
const OWN = { credential: 'primary', tradingAccountIds: [ACCOUNT, SECOND_ACCOUNT], functions: EVERYTHING };

export const CALLERS: readonly BridgeCaller[] = [
  { name: 'desk', token: secret(FULL_TOKEN), ...OWN },
  { name: 'robot', token: secret(ROBOT_TOKEN), ...OWN, signedCommands: 'signAnew' },
  {
    name: 'screen',
    token: secret(READER_TOKEN),
    credential: 'primary',
    tradingAccountIds: [SECOND_ACCOUNT],
    functions: ['market-data', 'accounts'],
  },
];

/** Start simulator, exchange client and bridge; resolves when the private stream is live. */
export async function startDesk(options: DeskOptions = {}): Promise<Desk> {
  const simulator = await startTestSimulator({ liquidity: 'still', ...options.simulator });
  const feeds: Feeds = new Feeds({
    follow: (_credential, topic, account) => client.followTopic(topic, account),
    unfollow: (_credential, topic, account) => client.unfollowTopic(topic, account),
  });
  const alarms: string[] = [];
  const key = simulator.keys.get(options.key ?? 'demo-ecdsa')!;
  const client = createExchangeClient({
    name: 'primary',
    baseUrl: (await options.via?.(simulator.url)) ?? simulator.url,
    credential: key,
    dialect: options.dialect ?? 'v2',
    prehash: 'hexdigest',
    tradingAccountIds: [ACCOUNT, SECOND_ACCOUNT],
    auctionSymbols: 'all',
    nonceMode: 'window',
    nonceCeiling: null,
    onNonceCeiling: () => {},
    now: Date.now,
    log: () => {},
    onAlarm: (alarm, text) => alarms.push(`${alarm}: ${text}`),
    timeouts: { requestMs: options.requestMs ?? 2_000, reconnectMs: 50, marketsMs: 3_600_000 },
    rates: options.rates ?? FAST,
  });
  const publicFeeds: PublicFeeds = new PublicFeeds({
    follow: (topic, subject) => client.followFrames(topic, subject),
    unfollow: (topic, subject) => client.unfollowFrames(topic, subject),
  });
  client.marketListener = {
    frame: (topic, subject, frame) => publicFeeds.take(topic, subject, frame),
    lost: (topics) => publicFeeds.lost(topics),
    refused: (topic, subject) => publicFeeds.refused(topic, subject),
  };
  client.onFrame = (feed, frame) => feeds.take('primary', feed, frame);
  client.onConnect = (feed) => feeds.forget('primary', feed);
  client.onTopicRefused = (topic, account) => feeds.refuse('primary', topic, account);
  const live = new Set<string>();
  const bothLive = new Promise<void>((resolve) => {
    client.onEvent = (event) => {
      if (event.kind !== 'feed') return;
      feeds.setLive('primary', event.feed, event.live);
      if (event.live) live.add(event.feed);
      if (live.size === 2) resolve();
    };
  });
  await client.start();
  await bothLive;
  const audited: AuditEntry[] = [];
  const desk: Pick<Desk, 'auditWorks' | 'killSwitch' | 'limit' | 'notExclusive'> = {
    auditWorks: true,
    killSwitch: null,
    limit: null,
    notExclusive: null,
  };
  const bridge = await startBridge({
    host: '127.0.0.1',
    port: 0,
    hosts: ['Bridge.example.com', '*.firm.example'],
    origins: ['https://desk.example.com'],
    tls: null,
    ...(options.frontToken === undefined ? {} : { frontToken: () => options.frontToken! }),
    limits: { ...LIMITS, ...options.limits },
    callers: CALLERS,
    exchanges: new Map([['primary', client]]),
    feeds,
    publicFeeds,
    killSwitchOf: () => desk.killSwitch,
    tradeRefusalOf: () => null,
    legRefusalOf: (_, { symbol }) => desk.limit?.(symbol) ?? null,
    cancel: (commandId, _, command) => client.submit(commandId, command),
    delayedCancelRefusalOf: () => desk.notExclusive,
    now: options.now ?? Date.now,
    observer: { bridgeAnswered: () => {}, listenerDropped: () => {} },
    log: options.log ?? (() => {}),
    audit: async (who, action, detail) => {
      if (desk.auditWorks) audited.push({ who, action, detail });
      return desk.auditWorks;
    },
  });
  const call = async (path: string, init: RequestInit): Promise<BridgeAnswer> => {
    const response = await fetch(bridge.url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, text, json: isJson ? JSON.parse(text) : {}, headers: response.headers };
  };
  return Object.assign(desk, {
    simulator,
    client,
    feeds,
    bridge,
    audited,
    alarms,
    get: (path: string, token: string | null = FULL_TOKEN) =>
      call(path, { headers: token === null ? {} : { authorization: `Bearer ${token}` } }),
    post: (path: string, body: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
      call(path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${more.token ?? FULL_TOKEN}`,
          'content-type': 'application/json',
          ...more.headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: async () => {
      await bridge.close();
      await client.close();
      await simulator.close();
    },
  });
}

/** An AMM instruction of the first account. */
export function liquidity(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    commandType: 'V3CreateAMMInstruction',
    symbol: 'BTCUSDC',
    baseQuantity: '1.0',
    quoteQuantity: '60000',
    upperBound: '66000',
    lowerBound: '54000',
    feeTierId: '1',
    tradingAccountId: ACCOUNT,
    ...fields,
  };
}
