// Rows of negotiated trades: of one's own, and of a broker who brings two sides together.

import { ACCOUNT, type Json } from '../simulator/exchange-caller.ts';
import { command, type EndpointRow, flat, OWN, question } from './endpoint-row.ts';
import * as negotiated from './negotiated-schemas.ts';
import {
  acknowledged,
  brokered,
  IDB_OTC,
  OTC,
  OTHER,
  otcKey,
  otcTrade,
  PERP,
  SECOND,
  type Situation,
} from './situation.ts';

const OTC_COMMAND = '/trading-api/v2/otc-command';
const IDB_COMMAND = '/trading-api/v2/idb/otc-command';

/** A trade of one's own that waits for its other side. */
const waiting = async ({ demo }: Situation) => {
  const { otcTradeId } = await acknowledged(demo, otcTrade('BUY', { sharedMatchKey: otcKey() }), OTC);
  return { otcTradeId: String(otcTradeId), tradingAccountId: ACCOUNT };
};
/** The taker's side of a brokered trade, which has to approve it. */
const approvable = async ({ broker }: Situation) => {
  const { taker } = await acknowledged(broker, brokered(), IDB_OTC);
  return { otcTradeId: String((taker as Json).otcTradeId), tradingAccountId: OTHER };
};
const brokeredKey = async ({ broker }: Situation): Promise<string> =>
  String((await acknowledged(broker, brokered(), IDB_OTC)).sharedMatchKey);

const READS: readonly EndpointRow[] = [
  question('otcTrades', 'OtcTradeView', negotiated.OtcTrade, { shape: 'pages', values: OWN }),
  question('otcTrade', 'OtcTradeView', negotiated.OtcTrade, {
    values: ({ ids }) => ({ otcTradeId: ids.otcTradeId!, ...OWN }),
  }),
  question('unconfirmedOtcTrade', 'UnconfirmedOtcTradeView', negotiated.UnconfirmedOtcTrade, {
    values: ({ ids }) => ({ ...OWN, sharedMatchKey: ids.unconfirmedKey! }),
  }),
  question('delegatedAccounts', 'ClientDelegatedAccountView', negotiated.ClientDelegation, { shape: 'list' }),
  question('brokerAccounts', 'IdbDelegatedAccountView', negotiated.BrokerDelegation, { as: 'broker', shape: 'pages' }),
  question('brokerOtcTrades', 'IdbOtcTradeView', negotiated.IdbOtcTrade, { as: 'broker', shape: 'pages' }),
];

const LEGS = [{ symbol: PERP, price: '60000.0', quantity: '0.5', side: 'BUY' }] as const;

const OWN_COMMANDS: readonly EndpointRow[] = [
  command(OTC, 'V1CreateOtcTrade', 'CreateOtcTradeResponse', negotiated.CreateOtcTradeAcknowledgement, {
    ask: ({ demo }) => flat(demo, otcTrade('BUY', { sharedMatchKey: otcKey() }), OTC),
    typed: async () => ({
      kind: 'createOtcTrade',
      sharedMatchKey: otcKey(),
      clientOtcTradeId: null,
      tradingAccountId: ACCOUNT,
      isTaker: true,
      remarks: 'two words',
      trades: LEGS,
    }),
  }),
  command(
    OTC_COMMAND,
    'V1ApproveOtcTrade',
    'ApproveOtcTradeResponse',
    negotiated.otcAcknowledgement('ApproveOtcTrade'),
    {
      as: 'other',
      ask: async (s) => flat(s.other, { commandType: 'V1ApproveOtcTrade', ...(await approvable(s)) }, OTC_COMMAND),
      typed: async (s) => ({ kind: 'approveOtcTrade', clientOtcTradeId: null, ...(await approvable(s)) }),
    },
  ),
  command(OTC_COMMAND, 'V1CancelOtcTrade', 'CancelOtcTradeResponse', negotiated.otcAcknowledgement('CancelOtcTrade'), {
    ask: async (s) => flat(s.demo, { commandType: 'V1CancelOtcTrade', ...(await waiting(s)) }, OTC_COMMAND),
    typed: async (s) => ({ kind: 'cancelOtcTrade', clientOtcTradeId: null, ...(await waiting(s)) }),
  }),
  command(OTC_COMMAND, 'V1CancelAllOtcTrades', 'CancelAllOtcTradesResponse', negotiated.CancelAllOtcAcknowledgement, {
    ask: ({ demo }) => flat(demo, { commandType: 'V1CancelAllOtcTrades', tradingAccountId: SECOND }, OTC_COMMAND),
    typed: async () => ({ kind: 'cancelAllOtcTrades', tradingAccountId: SECOND }),
  }),
];

const BROKER_COMMANDS: readonly EndpointRow[] = [
  command(
    IDB_OTC,
    'V1IdbCreateOtcTrade',
    'IdbCreateOtcTradeResponse',
    negotiated.idbAcknowledgement('IdbCreateOtcTrade'),
    {
      as: 'broker',
      ask: ({ broker }) => flat(broker, brokered(), IDB_OTC),
      typed: async () => ({
        kind: 'idbCreateOtcTrade',
        idbRemarks: 'both sides',
        maker: { tradingAccountId: SECOND, remarks: 'maker side' },
        taker: { tradingAccountId: OTHER, remarks: null },
        trades: [{ symbol: PERP, price: '60000.0', quantity: '0.1', side: 'BUY' }],
      }),
    },
  ),
  command(
    IDB_COMMAND,
    'V1IdbCancelOtcTrade',
    'IdbCancelOtcTradeResponse',
    negotiated.idbAcknowledgement('IdbCancelOtcTrade'),
    {
      as: 'broker',
      ask: async (s) =>
        flat(s.broker, { commandType: 'V1IdbCancelOtcTrade', sharedMatchKey: await brokeredKey(s) }, IDB_COMMAND),
      typed: async (s) => ({ kind: 'idbCancelOtcTrade', sharedMatchKey: await brokeredKey(s), idbRemarks: null }),
    },
  ),
  command(
    IDB_COMMAND,
    'V1IdbUpdateRemarks',
    'IdbUpdateRemarksResponse',
    negotiated.idbAcknowledgement('IdbUpdateRemarks'),
    {
      as: 'broker',
      ask: async (s) => {
        const changed = { sharedMatchKey: await brokeredKey(s), idbRemarks: 'changed' };
        return flat(s.broker, { commandType: 'V1IdbUpdateRemarks', ...changed }, IDB_COMMAND);
      },
      typed: async (s) => ({
        kind: 'idbUpdateRemarks',
        sharedMatchKey: await brokeredKey(s),
        idbRemarks: 'changed',
      }),
    },
  ),
];

export const NEGOTIATED_ENDPOINTS: readonly EndpointRow[] = [...READS, ...OWN_COMMANDS, ...BROKER_COMMANDS];
