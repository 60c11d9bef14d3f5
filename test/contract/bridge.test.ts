// The contract of the bridge: every call and every command of the exchange that it offers, over real HTTP on both sides,
// and the fields that the exchange's document names (reach.yaml).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/bridge/commands/commands.ts';
import {
  BRIDGE_FUNCTIONS,
  type Bridge,
  type BridgeFunction,
  Feeds,
  PublicFeeds,
  startBridge,
} from '../../src/bridge/mod.ts';
import { ENDPOINTS } from '../../src/bridge/reads/endpoints.ts';
import { accountCommand, encodeCommand } from '../../src/exchange/mod.ts';
import { createExchangeClient, type ExchangeClient } from '../../src/exchange-client/mod.ts';
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
import { readReach } from './reach.ts';
import { plainJson } from './record-samples.ts';
import { arrange, OPTION, OTHER, SECOND, type Situation } from './situation.ts';
import { deviations } from './validation.ts';

/** Names of keys: the ECDSA key for custody, else the HMAC key, since no other caller here uses its nonces. */
const KEYS = ['demo-hmac', 'other-hmac', 'broker-hmac', 'demo-ecdsa'] as const;
const keyOf = ({ as, needs }: { readonly as: Party; readonly needs: EndpointRow['needs'] }): string =>
  `${as}-${needs === 'ecdsa' ? 'ecdsa' : 'hmac'}`;
const tokenOf = (key: string): string => `token-of-the-bridge-for-${key}`;
let situation: Situation;
let bridge: Bridge;
const clients = new Map<string, ExchangeClient>();

beforeAll(async () => {
  situation = await arrange();
  const { simulator, now } = situation;
  for (const name of KEYS) {
    const fast = { ordersPerSecond: 1e6, otherPerSecond: 1e6, publicPerSecond: 1e6, addressPer10Seconds: 1e7 };
    const client = createExchangeClient({
      name,
      baseUrl: simulator.url,
      credential: simulator.keys.get(name)!,
      dialect: 'v2',
      prehash: 'hexdigest',
      tradingAccountIds: [],
      auctionSymbols: [],
      referenceSymbols: [],
      nonceMode: 'window',
      nonceCeiling: freshNonce(now(), simulator.url),
      onNonceCeiling: () => {},
      now,
      log: () => {},
      onAlarm: () => {},
      rates: { ...fast, custodyPerMinute: 1e6 },
    });
    await client.start();
    clients.set(name, client);
  }
  bridge = await startBridge({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    origins: [],
    tls: null,
    limits: {
      bodyBytesMax: 65_536,
      requestArrivalMs: 15_000,
      connectionsMax: 100,
      requestsPerTokenMax: 16,
      streamsPerTokenMax: 4,
      newStreamsPerMinute: 1_000,
      negotiatedPerMinute: 1_000,
      streamBytesMax: 1_048_576,
      closeWaitMs: 5_000,
    },
    callers: KEYS.map((key) => ({
      name: key,
      token: { reference: 'env:TEST', read: () => tokenOf(key) },
      credential: key,
      tradingAccountIds: [ACCOUNT, SECOND, OTHER],
      functions: Object.keys(BRIDGE_FUNCTIONS) as BridgeFunction[],
    })),
    exchanges: clients,
    feeds: new Feeds(),
    publicFeeds: new PublicFeeds({ follow: () => false, unfollow: () => {} }),
    killSwitchOf: () => null,
    tradeRefusalOf: () => null,
    legRefusalOf: () => null,
    cancel: (commandId, { credential }, command) => clients.get(credential)!.submit(commandId, command),
    delayedCancelRefusalOf: () => null,
    now,
    observer: { bridgeAnswered: () => {}, listenerDropped: () => {} },
    log: () => {},
    audit: async () => true,
  });
});
afterAll(async () => {
  await bridge.close();
  await Promise.all([...clients.values()].map((client) => client.close()));
  await situation.simulator.close();
});

async function ask(key: string, target: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const headers = { authorization: `Bearer ${tokenOf(key)}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(bridge.url + target, init);
  return { status: response.status, json: await response.json() };
}

const offered = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`));
const isOffered = (row: EndpointRow): row is QuestionRow => row.kind === 'question' && offered.has(nameOf(row));
const questions = ENDPOINT_TABLE.filter(isOffered);

async function answerOf(row: QuestionRow): Promise<{ status: number; json: unknown }> {
  const { query: taken } = ENDPOINTS.find(({ path }) => path.replace(/\{(\w+)\}/g, ':$1') === row.path)!;
  const own = 'tradingAccountId' in taken ? { tradingAccountId: ACCOUNT } : {};
  const values: Readonly<Record<string, string>> = { ...own, ...(await row.values(situation)) };
  const inPath = new Set([...row.path.matchAll(/:(\w+)/g)].map((match) => match[1]!));
  const path = row.path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams(Object.entries(values).filter(([name]) => !inPath.has(name))).toString();
  return ask(keyOf(row), query === '' ? path : `${path}?${query}`, row.method === 'POST' ? row.body : undefined);
}

test.each(questions.map((row) => [nameOf(row), row] as const))(
  '%s over the bridge answers as the exchange, field by field',
  async (_, row) => {
    const { status, json } = await answerOf(row);
    expect(status, JSON.stringify(json)).toBe(200);
    expect(deviations(plainJson(answerSchema(row)) as never, json)).toEqual([]);
  },
);

const commands = COMMANDS.map((spec) => {
  const isOf = (row: EndpointRow): row is CommandRow => row.kind === 'command' && row.command === spec.commandType;
  return { spec, row: ENDPOINT_TABLE.find((row) => isOf(row) && row.path === spec.path) as CommandRow };
});

test.each(commands.map(({ spec, row }) => [spec.commandType, row] as const))(
  '%s over the bridge is acknowledged as by the exchange',
  async (commandType, row) => {
    const command = await row.typed(situation);
    const isOrder =
      !('kind' in command) || /^(cancel(Order|All|AllByMarket)|(unsetD|d)elayedCancelAll)$/.test(command.kind);
    const envelope = { timestamp: '1', nonce: '1', authorizer: '' };
    const fieldsIn = (dialect: (typeof DIALECTS)[number]): Json => {
      if (!isOrder) return { ...accountCommand(command as never, dialect).fields };
      const body: Json = JSON.parse(encodeCommand(command as never, dialect, envelope).body);
      return 'command' in body ? (body.command as Json) : body;
    };
    const fields = DIALECTS.map(fieldsIn).find((one) => one.commandType === commandType)!;
    const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
    const { status, json } = await ask(keyOf(row), row.path, body);
    expect(status, JSON.stringify(json)).toBe(200);
    // The exchange acknowledges the spelling of the dialect that the gateway speaks (rule X2).
    const same = commands.filter((one) => one.row.path === row.path && one.row.answers === row.answers);
    const found = same.map((one) => deviations(plainJson(one.row.schema) as never, json));
    expect(
      found.find(({ length }) => length === 0),
      JSON.stringify([json, found]),
    ).toEqual([]);
  },
);

/** An option and a brokered trade have fields that a spot market and an own trade lack. */
const ASKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/trading-api/v1/markets/:symbol/tick': { symbol: OPTION },
  '/trading-api/v2/otc-trades': { tradingAccountId: SECOND },
};

describe('the bridge', () => {
  const fields = readReach().fields.filter(({ bridge: cell }) => cell?.test === 'bridge-fields');
  test.each([...Map.groupBy(fields, ({ bridge: cell }) => cell!.how)])(
    'carries the named fields of %s',
    async (how, rows) => {
      const row = questions.find((one) => nameOf(one).replace(/:(\w+)/g, '{$1}') === how)!;
      const more = ASKED[row.path];
      const asked = more === undefined ? row : { ...row, values: async () => more };
      const text = JSON.stringify((await answerOf(asked)).json);
      for (const { name } of rows) expect(text, name).toContain(`"${name.replace(/^.*: /, '')}":`);
    },
  );
});
