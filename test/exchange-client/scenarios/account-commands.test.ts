// Every signed command of the exchange catalogue beside orders, typed, in both dialects, against the simulated exchange.

import { afterEach, expect, test } from 'vitest';
import { type AccountCommand, accountCommand } from '../../../src/exchange/mod.ts';
import { ACCOUNT, openVenue, type Venue } from '../venue.ts';

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

const LEG = { symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000', quantity: '0.1' } as const;
const MATCH_KEY = 'matchKey00000001';

/** One of each kind, with the command's name in each dialect. */
const ALL: readonly (readonly [AccountCommand, v2: string, v3: string])[] = [
  [
    {
      kind: 'createAMMInstruction',
      tradingAccountId: ACCOUNT,
      symbol: 'BTCUSDC',
      baseQuantity: '1',
      quoteQuantity: '60000',
      upperBound: '70000',
      lowerBound: '50000',
      feeTierId: '1',
    },
    'V2AddLiquidity',
    'V3CreateAMMInstruction',
  ],
  [
    { kind: 'terminateAMMInstruction', instructionId: '5', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT },
    'V2RemoveLiquidity',
    'V3TerminateAMMInstruction',
  ],
  [
    {
      kind: 'transferAsset',
      assetSymbol: 'USDC',
      quantity: '1',
      fromTradingAccountId: ACCOUNT,
      toTradingAccountId: '111000000000002',
    },
    'V1TransferAsset',
    'V2TransferAsset',
  ],
  [
    {
      kind: 'setMMP',
      tradingAccountId: ACCOUNT,
      underlyingAssetSymbol: 'BTC',
      windowTimeInSeconds: '5',
      frozenTimeInSeconds: '10',
      quantityLimit: '100',
      deltaLimit: null,
    },
    'V1SetMMP',
    'V1SetMMP',
  ],
  [{ kind: 'resetMMP', tradingAccountId: ACCOUNT, underlyingAssetSymbol: 'BTC' }, 'V1ResetMMP', 'V1ResetMMP'],
  [
    {
      kind: 'createOtcTrade',
      sharedMatchKey: MATCH_KEY,
      clientOtcTradeId: '77',
      tradingAccountId: ACCOUNT,
      isTaker: true,
      remarks: 'two words',
      trades: [LEG],
    },
    'V1CreateOtcTrade',
    'V1CreateOtcTrade',
  ],
  [
    { kind: 'approveOtcTrade', otcTradeId: '5', clientOtcTradeId: null, tradingAccountId: ACCOUNT },
    'V1ApproveOtcTrade',
    'V1ApproveOtcTrade',
  ],
  [
    { kind: 'cancelOtcTrade', otcTradeId: null, clientOtcTradeId: '77', tradingAccountId: ACCOUNT },
    'V1CancelOtcTrade',
    'V1CancelOtcTrade',
  ],
  [{ kind: 'cancelAllOtcTrades', tradingAccountId: ACCOUNT }, 'V1CancelAllOtcTrades', 'V1CancelAllOtcTrades'],
  [
    {
      kind: 'idbCreateOtcTrade',
      idbRemarks: null,
      maker: { tradingAccountId: ACCOUNT, remarks: null },
      taker: { tradingAccountId: '111000000000002', remarks: 'r' },
      trades: [LEG],
    },
    'V1IdbCreateOtcTrade',
    'V1IdbCreateOtcTrade',
  ],
  [
    { kind: 'idbCancelOtcTrade', sharedMatchKey: MATCH_KEY, idbRemarks: null },
    'V1IdbCancelOtcTrade',
    'V1IdbCancelOtcTrade',
  ],
  [
    { kind: 'idbUpdateRemarks', sharedMatchKey: MATCH_KEY, idbRemarks: 'r' },
    'V1IdbUpdateRemarks',
    'V1IdbUpdateRemarks',
  ],
  [
    { kind: 'withdraw', destinationId: 'd', symbol: 'USDC', network: 'ETH', quantity: '5' },
    'V1Withdrawal',
    'V1Withdrawal',
  ],
];

test.each(ALL)('X2 $kind is spelled as each dialect has it', (command, v2, v3) => {
  expect(accountCommand(command, 'v2').fields.commandType).toBe(v2);
  expect(accountCommand(command, 'v3').fields.commandType).toBe(v3);
});

test('X2 fields stand in the order of the documents, however the caller wrote them', () => {
  const [first] = ALL[0]!;
  expect(Object.keys(accountCommand(first, 'v2').fields)).toEqual([
    'commandType',
    'symbol',
    'baseQuantity',
    'quoteQuantity',
    'upperBound',
    'lowerBound',
    'feeTierId',
    'tradingAccountId',
  ]);
});

test.each(['v2', 'v3'] as const)('X2 the exchange verifies and reads every command in dialect %s', async (dialect) => {
  venue = await openVenue();
  const { client } = venue.connect({ dialect, credential: venue.credential('demo-ecdsa'), referenceSymbols: [] });
  await client.start();
  const said: string[] = [];
  for (const [command] of ALL) {
    const { outcome } = await client.send(command.kind, command);
    said.push(outcome.kind === 'refused' ? `${command.kind} ${outcome.errorCode} ${outcome.message}` : outcome.kind);
    // Refusals are about the business (no such trade, no such destination), never about signature, nonce or shape.
    expect(said.at(-1)).not.toMatch(/unknown|signature|nonce|envelope|command ?type|field|missing|timestamp/i);
  }
  expect(said.filter((one) => one === 'accepted').length).toBeGreaterThanOrEqual(5);
});

test('X2 a withdrawal has its own envelope and a UUID nonce', async () => {
  venue = await openVenue();
  const { client } = venue.connect({ dialect: 'v3', credential: venue.credential('demo-ecdsa') });
  await client.start();
  const { outcome, result } = await client.send('w', ALL.at(-1)![0]);
  expect(outcome).toMatchObject({ kind: 'refused' });
  expect(result).toMatchObject({ kind: 'answer' });
  if (outcome.kind === 'refused') expect(outcome.message).not.toMatch(/UUID|signature|envelope/i);
});
