// A simulated exchange in which something of everything has happened, on a clock of its own: the state that the contract
// suite asks about. Each endpoint's request is in endpoint-table.ts, each topic's cause in stream-table.ts.

import { randomUUID } from 'node:crypto';
import type { Simulator } from '../../src/simulator/mod.ts';
import { defaultWorld, marketSpec } from '../../src/simulator/world/default-world.ts';
import type { World } from '../../src/simulator/world/world.ts';
import { ACCOUNT, type Answer, Caller, type Json, startTestSimulator, v2Cancel } from '../simulator/exchange-caller.ts';

/** Before the expiry of the short-lived markets. */
const START = Date.parse('2026-06-01T06:30:00.000Z');
const EXPIRY = '2026-06-01T08:00:00.000Z';
export const OTHER = '111000000000003';
export const SECOND = '111000000000002';
export const PERP = 'BTC-USDC-PERP';
export const FUTURE = 'BTC-USDC-20291228';
export const OPTION = 'BTC-USDC-20291228-60000-C';
export const EXPIRED_OPTION = 'BTC-USDC-20260601-50000-C';
const WITHDRAWAL = '/trading-api/v1/wallets/withdrawal';
const ADDRESS = '0xb0a64d976972d87b0783eeb1ff88306cd1891f02';

/** The built-in world with markets that end soon, and a maker who is paid for making. */
function world(): World {
  const base = defaultWorld();
  const dated = { expiryDatetime: EXPIRY, feeGroupId: 2 };
  return {
    ...base,
    markets: [
      ...base.markets,
      marketSpec('BTC-USDC-20260601', { ...dated, marketId: '10010', marketType: 'DATED_FUTURE' }),
      marketSpec(EXPIRED_OPTION, {
        ...dated,
        marketId: '10011',
        marketType: 'OPTION',
        optionType: 'CALL',
        optionStrikePrice: '50000.0000',
        referencePrice: '10000.0000',
      }),
    ],
    accounts: base.accounts.map((account) =>
      account.tradingAccountId === OTHER ? { ...account, makerFee: '-0.00010000' } : account,
    ),
  };
}

/** Names of ids that the situation knows: orders, trades, instructions, OTC trades, destinations. */
export type Known = Readonly<Record<string, string>>;

export interface Situation {
  readonly simulator: Simulator;
  readonly demo: Caller;
  /** Logged in with an HMAC key: trading only. */
  readonly demoHmac: Caller;
  readonly other: Caller;
  readonly broker: Caller;
  readonly ids: Known;
  now(): number;
  advance(ms: number): void;
  /** `[gte]` and `[lte]` filters around now for a time field. */
  range(field?: string): Readonly<Record<string, string>>;
}

/** A command that must be acknowledged. */
export async function acknowledged(caller: Caller, command: Json, path?: string): Promise<Json> {
  const answer = await caller.send(command, { dialect: 'v3', ...(path === undefined ? {} : { path }) });
  if (answer.status !== 200) throw new Error(`${String(command.commandType)} was refused: ${answer.text}`);
  return answer.json;
}

/** A signed withdrawal; its timestamp and nonce stand in the body only. */
export function withdraw(caller: Caller, command: Json): Promise<Answer> {
  const timestamp = String(caller.now());
  const nonce = randomUUID();
  const body = JSON.stringify({ timestamp, nonce, authorizer: caller.authorizer, command });
  const signature = caller.sign(`${timestamp}${nonce}POST${WITHDRAWAL}${body}`);
  const headers = { authorization: `Bearer ${caller.token}`, 'bx-signature': signature };
  return caller.fetch(WITHDRAWAL, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
}

export const selfHosted = (label: string): Json => ({
  network: 'ETH',
  symbol: 'USDC',
  address: ADDRESS,
  label,
  requestedDepositAmount: '10.5',
});

export function postJson(caller: Caller, path: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
  return caller.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

let otcKeys = 0;
/** One side of a negotiated trade. */
export function otcTrade(side: 'BUY' | 'SELL', fields: Json = {}): Json {
  return {
    commandType: 'V1CreateOtcTrade',
    tradingAccountId: side === 'BUY' ? ACCOUNT : OTHER,
    isTaker: side === 'BUY',
    trades: [{ symbol: PERP, price: '60000.0', quantity: '0.5', side }],
    ...fields,
  };
}
export const otcKey = (): string => `contractKey${String(++otcKeys).padStart(4, '0')}`;

export const OTC = '/trading-api/v2/otc-trades';
export const IDB_OTC = '/trading-api/v2/idb/otc-trades';
export const brokered = (): Json => ({
  commandType: 'V1IdbCreateOtcTrade',
  idbRemarks: 'both sides',
  maker: { tradingAccountId: SECOND, remarks: 'maker side' },
  taker: { tradingAccountId: OTHER },
  trades: [{ symbol: PERP, price: '60000.0', quantity: '0.1', side: 'BUY' }],
});
export const liquidity = (): Json => ({
  commandType: 'V3CreateAMMInstruction',
  symbol: 'ETHUSDC',
  baseQuantity: '10',
  quoteQuantity: '30000',
  upperBound: '3600',
  lowerBound: '2400',
  feeTierId: '1',
  tradingAccountId: ACCOUNT,
});
export const mmp = (fields: Json = {}): Json => ({
  commandType: 'V1SetMMP',
  tradingAccountId: ACCOUNT,
  underlyingAssetSymbol: 'BTC',
  windowTimeInSeconds: '60',
  frozenTimeInSeconds: '30',
  quantityLimit: '5',
  deltaLimit: '100',
  ...fields,
});

/** Trade `quantity` between demo (buying) and other (selling, resting first) in one market. */
async function cross(
  demo: Caller,
  other: Caller,
  symbol: string,
  price: string,
  quantity: string,
  handle: string | null,
) {
  const common = { symbol, price, quantity };
  const maker = await other.create({ ...common, side: 'SELL', tradingAccountId: OTHER });
  const taker = await demo.create({ ...common, side: 'BUY', handle });
  return { maker, taker };
}

/** Start an exchange and let everything happen once. Takes a second; a file of tests shares one. */
export async function arrange(): Promise<Situation> {
  const clock = { now: START };
  const now = (): number => clock.now;
  const simulator = await startTestSimulator({ world: world(), now, heartbeatMs: 200 });
  const login = (key: string): Promise<Caller> => Caller.loggedIn(simulator, key, now);
  const demo = await login('demo-ecdsa');
  const other = await login('other-ecdsa');
  const broker = await login('broker-ecdsa');
  const advance = (ms: number): void => {
    clock.now += ms;
    simulator.control.advance();
  };
  const ids = {
    ...(await tradeSpot(simulator, demo, other)),
    ...(await tradeDerivatives(demo, other)),
    ...(await negotiate(demo, other, broker)),
    ...(await keepCustody(simulator, demo)),
    ...(await provideLiquidity(demo)),
  };
  await acknowledged(demo, mmp(), '/trading-api/v2/mmp-configuration');
  await holdAuctions(simulator, demo, other);
  // Two settlements, one hour of interest more than that, and the end of the short-lived markets.
  advance(5_400_000);
  advance(300_000);
  return {
    simulator,
    demo,
    demoHmac: await login('demo-hmac'),
    other,
    broker,
    ids,
    now,
    advance,
    range: (field = 'createdAt') => ({
      [`${field}Datetime[gte]`]: new Date(START - 3_600_000).toISOString(),
      [`${field}Datetime[lte]`]: new Date(clock.now + 3_600_000).toISOString(),
    }),
  };
}

async function tradeSpot(simulator: Simulator, demo: Caller, other: Caller): Promise<Known> {
  const { taker: orderId } = await cross(demo, other, 'BTCUSDC', '60000.0', '0.5', '1001');
  const found = await demo.get(`/trading-api/v1/trades?tradingAccountId=${ACCOUNT}&orderId=${orderId}`);
  const tradeId = String((found.json as unknown as Json[])[0]!.tradeId);
  const openOrderId = await demo.create({ side: 'BUY', price: '59000.0', handle: '1002' });
  await other.create({ side: 'SELL', price: '61000.0', tradingAccountId: OTHER });
  const cancelled = await demo.create({ side: 'BUY', price: '58000.0' });
  await demo.send(v2Cancel({ orderId: cancelled }));
  // Sells more than the account has: it owes bitcoin from here on.
  await demo.create({ side: 'SELL', price: '60500.0', quantity: '101', tradingAccountId: SECOND, allowMargin: true });
  simulator.control.trade('BTCUSDC', 'BUY', '60500.0', '101');
  const transfer = { commandType: 'V2TransferAsset', assetSymbol: 'USDC', quantity: '12.5' };
  await acknowledged(demo, { ...transfer, fromTradingAccountId: ACCOUNT, toTradingAccountId: SECOND });
  return { orderId, openOrderId, tradeId };
}

async function tradeDerivatives(demo: Caller, other: Caller): Promise<Known> {
  await cross(demo, other, PERP, '60100.0', '1', null);
  await cross(demo, other, FUTURE, '60200.0', '0.5', null);
  await cross(demo, other, 'BTC-USDC-20260601', '60050.0', '0.5', null);
  await cross(demo, other, OPTION, '5000.0', '1', null);
  await cross(demo, other, EXPIRED_OPTION, '10000.0', '1', null);
  await demo.create({ symbol: OPTION, side: 'BUY', price: '4900.0', quantity: '0.1' });
  return {};
}

async function negotiate(demo: Caller, other: Caller, broker: Caller): Promise<Known> {
  const matched = { sharedMatchKey: otcKey() };
  const own = { clientOtcTradeId: '7001', remarks: 'first otc trade', ...matched };
  const { otcTradeId } = await acknowledged(demo, otcTrade('BUY', own), OTC);
  await acknowledged(other, otcTrade('SELL', matched), OTC);
  const sharedMatchKey = otcKey();
  const waiting = await acknowledged(other, otcTrade('SELL', { sharedMatchKey }), OTC);
  await acknowledged(broker, brokered(), IDB_OTC);
  return {
    otcTradeId: String(otcTradeId),
    unconfirmedKey: sharedMatchKey,
    waitingOtcTradeId: String(waiting.otcTradeId),
  };
}

async function keepCustody(simulator: Simulator, demo: Caller): Promise<Known> {
  simulator.control.deposit(ACCOUNT, 'USDC', 'ETH', '1000', ADDRESS);
  const instructions = await demo.get('/trading-api/v1/wallets/withdrawal-instructions/crypto/USDC');
  const [destination] = instructions.json as unknown as Json[];
  const destinationId = String(destination!.destinationId);
  const fields = { network: String(destination!.network), symbol: 'USDC', quantity: '100' };
  await withdraw(demo, { commandType: 'V1Withdrawal', destinationId, ...fields });
  await postJson(demo, '/trading-api/v1/wallets/self-hosted/initiate', selfHosted('First wallet'));
  return { destinationId, network: fields.network };
}

async function provideLiquidity(demo: Caller): Promise<Known> {
  const path = '/trading-api/v2/amm-instructions';
  const { instructionId } = await acknowledged(demo, liquidity(), path);
  const ended = await acknowledged(demo, { ...liquidity(), feeTierId: '2' }, path);
  const terminate = { commandType: 'V3TerminateAMMInstruction', symbol: 'ETHUSDC', tradingAccountId: ACCOUNT };
  await acknowledged(demo, { ...terminate, instructionId: ended.instructionId });
  return { instructionId: String(instructionId) };
}

/** One auction that crossed, and one in lockdown. */
async function holdAuctions(simulator: Simulator, demo: Caller, other: Caller): Promise<void> {
  const { control } = simulator;
  for (const phase of ['CROSS', 'LOCKDOWN'] as const) {
    control.toPhase('BTCUSDC', 'ACCUMULATION');
    await demo.create({ side: 'BUY', quantity: '2', timeInForce: 'GTX' });
    await other.create({ side: 'SELL', quantity: '1', timeInForce: 'GTX', tradingAccountId: OTHER });
    control.toPhase('BTCUSDC', phase);
  }
}
