// Causes of each status reason code of custody and OTC trades, and of too many open orders, over real HTTP. Each code
// of the registry has one cause, or `knob` if only the fault knob makes it. How the client hears them all is
// test/exchange-client/reads/refusals.test.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATUS_REASONS } from '../../../src/exchange/mod.ts';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { accountSpec, assetSpec, defaultWorld, userSpec } from '../../../src/simulator/world/default-world.ts';
import type { World } from '../../../src/simulator/world/world.ts';
import {
  brokered,
  FUTURE,
  IDB_OTC,
  OTC,
  OTHER,
  otcKey,
  otcTrade,
  PERP,
  postJson,
  SECOND,
  selfHosted,
  withdraw,
} from '../../contract/situation.ts';
import { ACCOUNT, type Answer, Caller, type Json, type SendOptions, startTestSimulator } from '../exchange-caller.ts';

const WALLETS = '/trading-api/v1/wallets';
const DAY_MS = 86_400_000;
const BARRED = '111000000000010';
/** Accounts of demo for half a perpetual at 60,000: less than its margin, the margin without the fee, and with a debt. */
const POOR = '111000000000011';
const FEELESS = '111000000000012';
const OWING = '111000000000013';

function world(): World {
  const base = defaultWorld();
  const owner = (tradingAccountId: string, USDC: string) =>
    accountSpec(tradingAccountId, 'demo', { balances: { USDC } });
  const poor = [owner(POOR, '100'), owner(FEELESS, '3000'), owner(OWING, '100')];
  return {
    ...base,
    assets: [...base.assets, assetSpec('UNCARRIED', { networks: [] })],
    users: [
      ...base.users,
      userSpec('barred', { userId: '20010', mayTradeOtc: false }),
      userSpec('lonely', { userId: '20011' }),
    ],
    accounts: [...base.accounts, accountSpec(BARRED, 'barred'), ...poor],
    delegations: [...base.delegations, { ...base.delegations[0]!, tradingAccountId: POOR }],
  };
}

const clock = { now: Date.parse('2026-06-01T06:00:00.000Z') };
let simulator: Simulator;
let demo: Caller;
let other: Caller;
let broker: Caller;
const login = (key: string): Promise<Caller> => Caller.loggedIn(simulator, key, () => clock.now);

beforeAll(async () => {
  simulator = await startTestSimulator({ world: world(), now: () => clock.now, jwtValidityMs: 30 * DAY_MS });
  [demo, other, broker] = [await login('demo-ecdsa'), await login('other-ecdsa'), await login('broker-ecdsa')];
  simulator.control.fund(OWING, 'BTC', '-1');
});
afterAll(() => simulator.close());

/** Brings one code about; returns the answer or row that carries it. */
type Cause = () => Promise<Answer | Json>;
type Causes = Readonly<Record<string, Cause | 'knob'>>;

const get = (path: string, caller = demo): Promise<Answer> => caller.get(`${WALLETS}/${path}`);
const verify = (fields: Json): Promise<Answer> =>
  postJson(demo, `${WALLETS}/self-hosted/initiate`, { ...selfHosted('Wallet'), ...fields });
async function withdrawal(fields: Json, caller = demo, owner = demo, path = 'crypto/USDC'): Promise<Answer> {
  const list = (await get(`withdrawal-instructions/${path}`, owner)).json as unknown as Json[];
  const { destinationId, network, symbol } = list[0]!;
  return withdraw(caller, { commandType: 'V1Withdrawal', destinationId, network, symbol, quantity: '100', ...fields });
}

const CUSTODY: Causes = {
  8301: 'knob',
  8305: 'knob',
  8306: async () => get('limits/USDC', await login('lonely-ecdsa')),
  8307: 'knob',
  8310: () => withdrawal({ destinationId: 'ff' }),
  8311: () => withdrawal({ quantity: null }),
  8313: () => verify({ symbol: 'UNCARRIED' }),
  8315: 'knob',
  8316: () => get('deposit-instructions/crypto/UNCARRIED'),
  8317: async () => {
    const [bank] = (await get('withdrawal-instructions/fiat/USD')).json as unknown as Json[];
    simulator.control.restrictBank(String(bank!.destinationId), true);
    const answer = await withdrawal({}, demo, demo, 'fiat/USD');
    simulator.control.restrictBank(String(bank!.destinationId), false);
    expect((await withdrawal({}, demo, demo, 'fiat/USD')).json.errorCode).toBe(8322);
    return answer;
  },
  8318: () => verify({ symbol: 'USD', network: 'SWIFT' }),
  8319: async () => {
    const post = (enabled: boolean): Promise<Answer> => postJson(demo, '/control/custody', { asset: 'USDC', enabled });
    expect((await post(false)).status).toBe(200);
    const answer = await withdrawal({});
    expect((await post(true)).status).toBe(200);
    expect((await withdrawal({})).status).toBe(200);
    return answer;
  },
  8320: () => verify({ address: '0'.repeat(201) }),
  8322: () => withdrawal({ quantity: '3' }),
  8327: async () => {
    const caller = await login('demo-ecdsa');
    caller.authorizer = other.authorizer;
    return withdrawal({}, caller);
  },
  8329: 'knob',
  8331: () => withdrawal({ destinationId: 'myWallet' }),
  8332: () => withdrawal({ network: 'BTC' }),
  8333: () => withdrawal({ symbol: 'BTC' }),
  8334: async () => get('limits/USDC', await login('demo-hmac')),
  8335: () => withdrawal({}, demo, other),
  8336: async () => {
    const { destinationId } = (await verify({})).json;
    return withdrawal({ destinationId, network: 'ETH' });
  },
  8399: 'knob',
  8401: () => {
    const between = { fromTradingAccountId: POOR, toTradingAccountId: ACCOUNT };
    const transfer = { commandType: 'V2TransferAsset', assetSymbol: 'USDC', quantity: '101', ...between };
    return demo.send(transfer, { dialect: 'v3' });
  },
  8402: 'knob',
  8403: 'knob',
  8499: 'knob',
};

const LEG = { symbol: PERP, price: '60000.0', quantity: '0.5', side: 'BUY' };
const enter = (side: 'BUY' | 'SELL', fields: Json = {}, options: SendOptions = {}): Promise<Answer> => {
  const command = otcTrade(side, { sharedMatchKey: otcKey(), ...fields });
  return (side === 'BUY' ? demo : other).send(command, { dialect: 'v3', path: OTC, ...options });
};
const buy = (fields: Json, options?: SendOptions): Promise<Answer> => enter('BUY', fields, options);
const leg = (fields: Json): Promise<Answer> => buy({ trades: [{ ...LEG, ...fields }] });
const without = (header: string): Promise<Answer> => buy({}, { headers: { [header]: null } });
const command = (commandType: string, fields: Json, caller = demo): Promise<Answer> =>
  caller.send(
    { commandType, tradingAccountId: caller === demo ? ACCOUNT : OTHER, ...fields },
    { dialect: 'v3', path: '/trading-api/v2/otc-command' },
  );

async function trade(otcTradeId: unknown, tradingAccountId: string, caller: Caller): Promise<Json> {
  return (await caller.get(`${OTC}/${String(otcTradeId)}?tradingAccountId=${tradingAccountId}`)).json;
}
/** Both sides under one key, the seller's first; what becomes of the buyer's. */
async function pair(buyer: Json = {}, seller: Json = {}): Promise<{ bought: Json; sold: Json }> {
  const sharedMatchKey = otcKey();
  const first = await enter('SELL', { sharedMatchKey, ...seller });
  const second = await enter('BUY', { sharedMatchKey, ...buyer });
  const account = String(buyer.tradingAccountId ?? ACCOUNT);
  return {
    bought: await trade(second.json.otcTradeId, account, demo),
    sold: await trade(first.json.otcTradeId, OTHER, other),
  };
}
const bought = async (buyer: Json, seller?: Json): Promise<Json> => (await pair(buyer, seller)).bought;
const broke = (fields: Json = {}): Promise<Answer> =>
  broker.send({ ...brokered(), ...fields }, { dialect: 'v3', path: IDB_OTC });
/** A brokered trade; the ids of both sides and its key. */
async function brokeredTrade(): Promise<{ makerId: unknown; takerId: unknown; sharedMatchKey: unknown }> {
  const { maker, taker, sharedMatchKey } = (await broke()).json;
  return { makerId: (maker as Json).otcTradeId, takerId: (taker as Json).otcTradeId, sharedMatchKey };
}
function pass(ms: number): void {
  clock.now += ms;
  simulator.control.advance();
}

const ENTRY: Causes = {
  9001: () => buy({ isTaker: null }),
  9002: () => buy({ sharedMatchKey: 'tooShort' }),
  9003: () => leg({ side: 'HOLD' }),
  9004: () => buy({ clientOtcTradeId: '01' }),
  9005: () => buy({ trades: Array.from({ length: 26 }, () => LEG) }),
  9006: () => leg({ quantity: '0' }),
  9007: () => leg({ price: '-1' }),
  9008: () => command('V1CancelOtcTrade', { otcTradeId: '0' }),
  9009: () => leg({ symbol: 'NOSUCH' }),
  9010: () => broke({ maker: { tradingAccountId: ACCOUNT } }),
  9011: () => without('bx-signature'),
  9012: () => without('bx-nonce'),
  9013: () => without('bx-timestamp'),
  9014: () => buy({}, { timestamp: '1' }),
  9015: () => buy({}, { nonce: '1' }),
  9016: () => buy({}, { headers: { 'bx-referrer': 'me' } }),
  9017: () => leg({ symbol: 'BTCUSDC' }),
  9018: async () => {
    const fields = { sharedMatchKey: otcKey(), tradingAccountId: BARRED };
    return (await login('barred-ecdsa')).send(otcTrade('BUY', fields), { dialect: 'v3', path: OTC });
  },
  9019: () => buy({ remarks: 'r'.repeat(256) }),
  9020: () => command('V1CancelOtcTrade', {}),
  9021: () => buy({ trades: [LEG, LEG] }),
  9022: () => command('V1CancelOtcTrade', { otcTradeId: '5' }),
  9024: async () => {
    await buy({ clientOtcTradeId: '77' });
    return buy({ clientOtcTradeId: '77' });
  },
  9025: async () => {
    const { bought: matched } = await pair();
    return buy({ sharedMatchKey: matched.sharedMatchKey });
  },
  9029: () => command('V1CreateOtcTrade', {}),
  9030: async () => {
    const { otcTradeId } = (await buy({})).json;
    return command('V1ApproveOtcTrade', { otcTradeId });
  },
  9032: async () => {
    const { takerId } = await brokeredTrade();
    pass(DAY_MS);
    return command('V1ApproveOtcTrade', { otcTradeId: takerId }, other);
  },
  9040: () => broke({ taker: { tradingAccountId: POOR } }),
  9999: 'knob',
};

const ENDS: Causes = {
  9023: async () => {
    const { control } = simulator;
    const trades = (side: string): Json => ({ trades: [{ ...LEG, symbol: FUTURE, side }] });
    control.holdOtc(true);
    const { bought: held } = await pair(trades('BUY'), trades('SELL'));
    expect(held.status).toBe('RISK_PENDING');
    control.setMarket(FUTURE, { marketEnabled: false });
    control.holdOtc(false);
    return trade(held.otcTradeId, ACCOUNT, demo);
  },
  9026: () => bought({ isTaker: false }),
  9027: () => bought({ trades: [{ ...LEG, price: '60001.0' }] }),
  9028: async () => {
    const { otcTradeId } = (await buy({})).json;
    pass(DAY_MS);
    return trade(otcTradeId, ACCOUNT, demo);
  },
  9031: async () => {
    const sharedMatchKey = otcKey();
    await buy({ sharedMatchKey });
    const { otcTradeId } = (await buy({ sharedMatchKey, isTaker: false })).json;
    return trade(otcTradeId, ACCOUNT, demo);
  },
  9033: () => bought({ tradingAccountId: POOR }),
  9034: () => bought({ tradingAccountId: FEELESS }),
  9035: () => bought({ tradingAccountId: OWING }),
  9036: async () => (await pair({ tradingAccountId: POOR })).sold,
  9037: async () => {
    const { otcTradeId } = (await buy({})).json;
    await command('V1CancelOtcTrade', { otcTradeId });
    return trade(otcTradeId, ACCOUNT, demo);
  },
  9038: async () => {
    const { makerId, takerId } = await brokeredTrade();
    await command('V1CancelOtcTrade', { otcTradeId: makerId, tradingAccountId: SECOND });
    return trade(takerId, OTHER, other);
  },
  9039: async () => {
    const { takerId, sharedMatchKey } = await brokeredTrade();
    const cancel = { commandType: 'V1IdbCancelOtcTrade', sharedMatchKey };
    await broker.send(cancel, { dialect: 'v3', path: '/trading-api/v2/idb/otc-command' });
    return trade(takerId, OTHER, other);
  },
};

const made = (causes: Causes): [string, Cause][] =>
  Object.entries(causes).flatMap(([code, cause]) => (cause === 'knob' ? [] : [[code, cause]]));
const sorted = (...tables: object[]): string[] => tables.flatMap(Object.keys).sort();

describe('custody', () => {
  test.each(made(CUSTODY))('%s has a cause', async (code, cause) => {
    const { status, json } = (await cause()) as Answer;
    expect([status, String(json.errorCode)]).toEqual([code === '8334' ? 403 : 400, code]);
  });

  test('every code has a cause or is left to the knob', () => {
    expect(sorted(CUSTODY)).toEqual(sorted(STATUS_REASONS.custody));
  });
});

describe('OTC trades', () => {
  test.each(made(ENTRY))('%s refuses a command', async (code, cause) => {
    const { status, json } = (await cause()) as Answer;
    expect([status, String(json.errorCode)]).toEqual([400, code]);
  });

  test.each(made(ENDS))('%s ends a trade', async (code, cause) => {
    const { status, statusReasonCode } = (await cause()) as Json;
    expect([status, statusReasonCode]).toEqual([expect.stringMatching(/^(REJECTED|CANCELLED)$/), code]);
  });

  test('every code has a cause or is left to the knob', () => {
    expect(sorted(ENTRY, ENDS)).toEqual(sorted(STATUS_REASONS.otc));
  });
});

test.each([
  [2021, { allowMargin: false }],
  [2015, { allowMargin: true }],
])('%i ends an order of an account that may have no more open ones', async (code, fields) => {
  const tradingAccountId = `11100000000${code}`;
  const limits = { openSpotOrdersMax: 0, openMarginOrdersMax: 0 };
  const added = await postJson(demo, '/control/world', { accounts: [{ tradingAccountId, user: 'demo', ...limits }] });
  expect(added.status).toBe(200);
  const orderId = await demo.create({ tradingAccountId, price: '59000', ...fields });
  const { json } = await demo.get(`/trading-api/v2/orders/${orderId}?tradingAccountId=${tradingAccountId}`);
  expect([json.status, Number(json.statusReasonCode)]).toEqual(['REJECTED', code]);
});
