// Negotiated (OTC) trades, single and by a broker (exchange catalogue, Appendix B).

import { type TSchema, Type } from 'typebox';
import {
  AccountId,
  Amount,
  AssetSymbol,
  exactly,
  Flag,
  Id,
  listOf,
  MarketSymbol,
  moment,
  oneOf,
  orNull,
  Side,
  Word,
} from './scalars.ts';

const Status = oneOf(
  'APPROVAL_PENDING',
  'COUNTERPARTY_PENDING',
  'COUNTERPARTY_PAIRED',
  'RISK_PENDING',
  'MATCHED',
  'CANCELLED',
  'REJECTED',
);
const MatchKey = Type.String({ pattern: '^[A-Za-z0-9]{12,64}$' });
const leg = { symbol: MarketSymbol, price: Amount, quantity: Amount, side: Side };
/** Only once the trade is matched. */
const filled = { tradeId: Id, quoteAmount: Amount, baseFee: Amount, quoteFee: Amount, ...moment('createdAt') };
const trade = {
  otcTradeId: Id,
  tradingAccountId: AccountId,
  sharedMatchKey: MatchKey,
  status: Status,
  statusReason: Word,
  statusReasonCode: Id,
  ...moment('createdAt'),
  ...moment('expire'),
};

export const OtcTrade = exactly(
  {
    ...trade,
    trades: listOf(
      exactly(
        { ...leg, isTaker: Flag },
        { ...filled, tradeRebateAmount: orNull(Amount), tradeRebateAssetSymbol: orNull(AssetSymbol) },
      ),
    ),
  },
  { clientOtcTradeId: Id, otcMatchId: Id, tradingAccountNickname: Word, remarks: Word, brokeredBy: Word },
);
export const UnconfirmedOtcTrade = exactly({
  sharedMatchKey: MatchKey,
  isTaker: Flag,
  ...moment('createdAt'),
  ...moment('expire'),
  trades: listOf(exactly(leg)),
});
export const IdbOtcTrade = exactly(
  {
    ...trade,
    institutionName: Word,
    tradingAccountNickname: Word,
    brokeredBy: Word,
    trades: listOf(exactly({ ...leg, isTaker: Flag }, filled)),
  },
  { remarks: Word, idbRemarks: Word },
);

const Approval = oneOf('STRAIGHT_THROUGH', 'APPROVAL_REQUIRED');
export const ClientDelegation = exactly({
  tradingAccountId: AccountId,
  idbShortCode: Word,
  tradingAccountNickname: Word,
  approvalMethod: Approval,
});
export const BrokerDelegation = exactly(
  { institutionName: Word, tradingAccountId: AccountId, tradingAccountNickname: Word, approvalMethod: Approval },
  { institutionRegistrationNumber: Word },
);

const acknowledged = (name: string): TSchema => Type.Literal(`Command acknowledged - ${name}`);
export const CreateOtcTradeAcknowledgement = exactly({
  message: acknowledged('CreateOtcTrade'),
  requestId: Id,
  otcTradeId: Id,
  clientOtcTradeId: orNull(Id),
  sharedMatchKey: MatchKey,
});
export const otcAcknowledgement = (name: string): TSchema =>
  exactly({
    message: acknowledged(name),
    requestId: Id,
    otcTradeId: Id,
    clientOtcTradeId: orNull(Id),
    tradingAccountId: AccountId,
  });
export const CancelAllOtcAcknowledgement = exactly({
  message: Type.String({ pattern: '^Command acknowledged - Cancel(All)?OtcTrades?$' }),
  requestId: Id,
  tradingAccountId: AccountId,
});
const item = exactly({ requestId: Id, otcTradeId: Id });
export const idbAcknowledgement = (name: string): TSchema =>
  exactly({ message: acknowledged(name), sharedMatchKey: MatchKey, maker: item, taker: item });
