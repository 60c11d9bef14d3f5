// The contract of the exchange client: every row of both tables again, through its typed calls, commands and streams,
// over real HTTP and WebSocket. Client and tables name the same endpoints and topics, so that none lacks a test of the
// client.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accountCommand,
  type CommandDialect,
  ENDPOINTS,
  type EndpointName,
  type EndpointQuestion,
  type ExchangeEvent,
  encodeCommand,
  type MarketDataEvent,
} from '../../src/exchange/mod.ts';
import {
  createExchangeClient,
  type ExchangeClient,
  type ExchangeClientOptions,
} from '../../src/exchange-client/mod.ts';
import type { StreamFrame } from '../../src/exchange-client/streams/subscription.ts';
import { ACCOUNT, freshNonce, type Json } from '../simulator/exchange-caller.ts';
import {
  answerSchema,
  type CommandRow,
  DIALECTS,
  type EndpointRow,
  nameOf,
  type Party,
  type QuestionRow,
} from './endpoint-row.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import { arrange, type Situation } from './situation.ts';
import { type HeardAs, STREAM_TABLE, type StreamRow } from './stream-table.ts';
import { deviations } from './validation.ts';

let situation: Situation;
const clients = new Map<string, ExchangeClient>();
/** Highest nonce that any client here may have used: the next one goes on above it. */
let ceiling: string | null = null;

beforeAll(async () => {
  situation = await arrange();
});
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await situation.simulator.close();
});

/** A client that is not started; it has the situation's clock. */
function connect(keyName: string, more: Partial<ExchangeClientOptions> = {}): ExchangeClient {
  const { simulator, now } = situation;
  return createExchangeClient({
    name: keyName,
    baseUrl: simulator.url,
    credential: simulator.keys.get(keyName)!,
    dialect: 'v2',
    prehash: 'hexdigest',
    tradingAccountIds: [],
    auctionSymbols: [],
    referenceSymbols: [],
    nonceMode: 'window',
    nonceCeiling: ceiling ?? freshNonce(now(), simulator.url),
    onNonceCeiling: (next) => {
      ceiling = next;
    },
    now,
    log: () => {},
    onAlarm: () => {},
    rates: {
      ordersPerSecond: 1e6,
      otherPerSecond: 1e6,
      publicPerSecond: 1e6,
      addressPer10Seconds: 1e7,
      custodyPerMinute: 1e6,
    },
    ...more,
  });
}

/** The started client of a party: with the ECDSA key for custody, else with the HMAC key; one per dialect. */
async function clientOf(
  party: Party,
  needs: EndpointRow['needs'],
  dialect: CommandDialect = 'v2',
): Promise<ExchangeClient> {
  const keyName = `${party}-${needs === 'ecdsa' ? 'ecdsa' : 'hmac'}`;
  const name = `${keyName} ${dialect}`;
  const known = clients.get(name);
  if (known !== undefined) return known;
  const client = connect(keyName, { dialect });
  clients.set(name, client);
  await client.start();
  return client;
}

const questions = ENDPOINT_TABLE.filter((row): row is QuestionRow => row.kind === 'question');
const commands = ENDPOINT_TABLE.filter((row): row is CommandRow => row.kind === 'command');

describe.each(questions.map((row) => [row.name, row] as const))('the call %s', (name, row) => {
  test(`reads ${row.answers}, field by field`, async () => {
    const client = await clientOf(row.as, row.needs);
    const question = (await row.values(situation)) as EndpointQuestion<EndpointName>;
    const answer = await client.call(name, question, row.body ?? undefined);
    expect(answer).toMatchObject({ kind: 'answer', status: 200 });
    if (answer.kind === 'failed') return;
    const schema = answerSchema(row);
    if (schema === null) expect(answer.body).toBe('');
    else expect(deviations(schema, JSON.parse(answer.body))).toEqual([]);
  });

  if (row.needs === 'ecdsa')
    test('is refused by the client itself where the key is an HMAC key', async () => {
      const client = await clientOf(row.as, 'login');
      const question = (await row.values(situation)) as EndpointQuestion<EndpointName>;
      expect(await client.call(name, question)).toMatchObject({ kind: 'failed', message: /ECDSA/ });
    });
});

/** A value for every parameter that a question may have. */
const SAMPLES: Readonly<Record<string, string>> = {
  tradingAccountId: ACCOUNT,
  symbol: 'BTCUSDC',
  orderId: '1',
  tradeId: '1',
  clientOrderId: '1001',
  otcTradeId: '1',
  clientOtcTradeId: '7001',
  sharedMatchKey: 'contractKey0001',
  brokeredBy: 'BRKR',
  requestId: '1',
  assetSymbol: 'USDC',
  side: 'BUY',
  isAuctionOrder: 'true',
  includeExisting: 'true',
  signed: 'true',
  locked: 'false',
  address: '0xb0a64d976972d87b0783eeb1ff88306cd1891f02',
  destinationId: '1',
  marketType: 'OPTION',
  optionType: 'CALL',
  type: 'CALL',
  sort: 'marketType',
  expiry: '20291228',
  depth: '5',
  _pageSize: '5',
  _metaData: 'true',
};
/** Where a word means something of its own. */
const WORDS: Readonly<Partial<Record<EndpointName, Readonly<Record<string, string>>>>> = {
  orders: { status: 'OPEN' },
  pastOrders: { status: 'CANCELLED' },
  instructions: { status: 'CLOSED', symbol: 'ETHUSDC' },
  transfers: { status: 'CLOSED' },
  pastMarkets: { status: 'ACTIVE' },
  otcTrades: { status: 'MATCHED' },
  brokerOtcTrades: { status: 'APPROVAL_PENDING' },
  mmpConfiguration: { symbol: 'BTC' },
  settlements: { symbol: 'BTC-USDC-20291228' },
  optionTrades: { optionType: 'PUT' },
  optionLadders: { sort: 'optionType' },
  positions: { symbol: 'BTC-USDC-PERP' },
};
/** Cursors come from links only, and have a test of their own. */
const CURSORS: ReadonlySet<string> = new Set(['_nextPage', '_previousPage']);

const filters = questions.flatMap((row) =>
  ENDPOINTS[row.name].may.filter((name) => !CURSORS.has(name)).map((name) => [row.name, name, row] as const),
);
test.each(filters)('%s may be asked with %s', async (name, parameter, row) => {
  const client = await clientOf(row.as, row.needs);
  const given = await row.values(situation);
  const [, field, form] = /^(\w+)(Datetime|Timestamp)\[/.exec(parameter) ?? [];
  const time = form === 'Timestamp' ? String(situation.now()) : new Date(situation.now()).toISOString();
  const value = WORDS[name]?.[parameter] ?? SAMPLES[parameter] ?? time;
  // History needs a range: both ends have one form.
  const range = field === undefined ? {} : { [`${field}${form}[gte]`]: time, [`${field}${form}[lte]`]: time };
  const others = Object.entries(given).filter(([key]) => field === undefined || !key.startsWith(`${field}Datetime`));
  const values = { ...Object.fromEntries(others), ...range, [parameter]: value };
  const answer = await client.call(name, values as EndpointQuestion<EndpointName>, row.body ?? undefined);
  expect(answer.kind === 'answer' ? [answer.status, answer.status === 200 ? '' : answer.body] : answer).toEqual([
    200,
    '',
  ]);
});

/** A typed command in a dialect: its path and name there. */
async function spelled(row: CommandRow, dialect: CommandDialect) {
  const typed = await row.typed(situation);
  const isOrder = 'kind' in typed && ORDER_KINDS.has(typed.kind);
  const command = isOrder ? typed : accountCommand(typed as Parameters<typeof accountCommand>[0], dialect);
  const envelope = { timestamp: '1', nonce: '1', authorizer: '' };
  const settings = { v2CancelPath: '/trading-api/v2/command' };
  const { path, body } = encodeCommand(command as Parameters<typeof encodeCommand>[0], dialect, envelope, settings);
  const json = JSON.parse(body);
  return { typed, isOrder, path, commandType: String((json.command ?? json).commandType) };
}
const ORDER_KINDS: ReadonlySet<string> = new Set([
  'createOrder',
  'cancelOrder',
  'amendOrder',
  'cancelAll',
  'cancelAllByMarket',
  'delayedCancelAll',
  'unsetDelayedCancelAll',
]);

describe.each(DIALECTS)('dialect %s', (dialect) => {
  // One after the other: two clients of one key would number past each other.
  afterAll(async () => {
    for (const [name, client] of clients) {
      await client.close();
      clients.delete(name);
    }
  });

  test.each(commands.map((row) => [nameOf(row), row] as const))('X2 %s, as a typed command', async (_name, row) => {
    const { typed, isOrder, path, commandType } = await spelled(row, dialect);
    // A command that is called otherwise in this dialect is the other dialect's.
    if (commandType !== row.command) {
      const other = await spelled(row, dialect === 'v2' ? 'v3' : 'v2');
      expect([other.path, other.commandType]).toEqual([row.path, row.command]);
      return;
    }
    expect(path).toBe(row.path);
    const client = await clientOf(row.as, row.needs, dialect);
    if (isOrder) {
      const outcome = await client.submit(
        `${dialect} ${nameOf(row)}`,
        typed as Parameters<ExchangeClient['submit']>[1],
      );
      expect(outcome).toMatchObject({ kind: 'accepted' });
      return;
    }
    const sent = await client.send(`${dialect} ${nameOf(row)}`, typed as Parameters<ExchangeClient['send']>[1]);
    expect(sent.outcome).toMatchObject({ kind: 'accepted' });
    const json = sent.result?.kind === 'answer' ? JSON.parse(sent.result.body) : null;
    expect(deviations(answerSchema(row)!, json)).toEqual([]);
  });
});

test.each(ENDPOINT_TABLE.flatMap((row) => (row.kind === 'login' ? [[nameOf(row), row] as const] : [])))(
  '%s, by the client',
  (_name, row) => row.client(situation, connect),
);

type Heard =
  | { readonly by: 'frame'; readonly frame: StreamFrame }
  | { readonly by: 'event'; readonly event: ExchangeEvent | MarketDataEvent };

/** A client that follows a row's topic, and what it says, in order. */
async function follow(row: StreamRow): Promise<{ client: ExchangeClient; next: () => Promise<Heard> }> {
  const heard: Heard[] = [];
  let wake = (): void => {};
  const hear = (what: Heard): void => {
    heard.push(what);
    wake();
  };
  const isPrivate = row.stream === 'private-data';
  const isMore = isPrivate && !['orders', 'trades', 'heartbeat'].includes(row.topic);
  const client = connect('demo-hmac', {
    tradingAccountIds: isPrivate ? [ACCOUNT] : [],
    auctionSymbols: row.stream === 'market-data/auction' ? ['BTCUSDC'] : [],
    timeouts: { heartbeatMs: HEARTBEAT_MS },
  });
  if (isMore) client.followTopic(row.topic, ACCOUNT);
  client.onEvent = (event) => hear({ by: 'event', event });
  client.onMarketData = (event) => hear({ by: 'event', event });
  client.onFrame = (feed, frame) => {
    if (feed === 'private') hear({ by: 'frame', frame });
  };
  let at = 0;
  const next = async (): Promise<Heard> => {
    while (at >= heard.length) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return heard[at++]!;
  };
  await client.start();
  if (row.follow !== null && !client.subscribe(row.follow.topic, row.follow.subject)) throw new Error('not followed');
  return { client, next };
}

/** Longer than the heartbeats of the situation are apart, shorter than some of them together. */
const HEARTBEAT_MS = 700;

const served = STREAM_TABLE.flatMap((row) =>
  row.frames === null ? [] : [[`${row.stream} ${row.topic}`, row] as const],
);

describe.each(served)('%s', (_name, row) => {
  test(`the client makes ${row.frames!.heardAs} of it`, async () => {
    const { dataType, schema, cause, heardAs } = row.frames!;
    const { client, next } = await follow(row);
    try {
      // The cause of the next update waits until the feed is live.
      const feed = row.stream === 'private-data' ? 'private' : row.follow === null ? 'auction' : null;
      await until(next, ({ event }) =>
        feed === null
          ? event?.kind === 'marketFeed' && event.live
          : event?.kind === 'feed' && event.feed === feed && event.live,
      );
      await cause(situation);
      if (heardAs === 'life') {
        await stayLive(next);
        return;
      }
      const awaited = new Set<HeardAs>([heardAs, ...(row.stream === 'private-data' ? (['frame'] as const) : [])]);
      await until(next, ({ event, frame }) => {
        if (event !== undefined) awaited.delete(event.kind);
        if (frame?.dataType === dataType && frame.type === 'update' && awaited.delete('frame')) {
          expect(deviations(schema, JSON.parse(JSON.stringify(frame.data)))).toEqual([]);
        }
        return awaited.size === 0;
      });
    } finally {
      await client.close();
    }
  });
});

type One = { readonly event?: ExchangeEvent | MarketDataEvent; readonly frame?: StreamFrame };

/** The next thing that a client says which matches. */
async function until(next: () => Promise<Heard>, matches: (heard: One) => boolean | undefined): Promise<One> {
  for (;;) {
    const heard = await next();
    if (matches(heard)) return heard;
  }
}

/** The book stands still: only heartbeats keep its stream from being taken for dead, for longer than it may be silent. */
async function stayLive(next: () => Promise<Heard>): Promise<void> {
  const stream = await situation.demo.stream('market-data/orderbook');
  await stream.subscribe({ topic: 'heartbeat' });
  const isHeartbeat = ({ dataType }: Json): boolean => dataType === 'V1TAHeartbeat';
  const ended = until(next, ({ event }) => event?.kind === 'marketFeed' && !event.live).then(() => 'ended');
  const beats = async (): Promise<string> => {
    while (stream.frames.filter(isHeartbeat).length < 6) await stream.find(isHeartbeat, stream.frames.length);
    return 'alive';
  };
  expect(await Promise.race([ended, beats()])).toBe('alive');
  stream.close();
}

test('deprecated topics are refused, and a client that asks for them has its orders all the same', async () => {
  const refused: string[] = [];
  const client = connect('demo-hmac', {
    tradingAccountIds: [ACCOUNT],
    log: (_level, _text, { topic }) => {
      if (typeof topic === 'string') refused.push(topic);
    },
  });
  for (const { frames, topic } of STREAM_TABLE) if (frames === null) client.followTopic(topic, ACCOUNT);
  try {
    const live = new Promise<void>((resolve) => {
      client.onEvent = (event) => {
        if (event.kind === 'feed' && event.feed === 'private' && event.live) resolve();
      };
    });
    await client.start();
    await live;
    expect(refused.sort()).toEqual(['derivativesPositions', 'events', 'marginAccounts', 'positions', 'spotAccounts']);
  } finally {
    await client.close();
  }
});

describe('nothing is without a test of the client', () => {
  test('every question that the client can ask has a row', () => {
    const rows = new Set(questions.map(({ name }) => name));
    expect(Object.keys(ENDPOINTS).filter((name) => !rows.has(name as EndpointName))).toEqual([]);
  });

  test('every row is a question, a command or a login of the client', () => {
    expect(questions.length + commands.length + ENDPOINT_TABLE.filter(({ kind }) => kind === 'login').length).toBe(
      ENDPOINT_TABLE.length,
    );
  });
});
