// One derivative position in the fields of PositionReport(AP).

import { Decimal } from '../../base/decimal.ts';
import { formatUtcTimestamp } from '../../base/time.ts';
import type { DerivativePosition } from '../../exchange/mod.ts';
import { type MessageDraft, Tag } from '../../wire/mod.ts';
import { addInstrument, sessionSymbolOf } from '../reference-data/instrument.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';

export type ReportedPosition = DerivativePosition;

/** A position that is no more. */
export function closedPosition(symbol: string): ReportedPosition {
  const amounts = { notional: '0', entryNotional: '0', mtmPnl: null, reportedMtmPnl: null, reportedFundingPnl: null };
  return { symbol, side: 'BUY', quantity: '0', ...amounts, realizedPnl: null, settlementAssetSymbol: null };
}

/** Everything that a report has of a position: one that differs is reported again. */
export const saidOf = (position: ReportedPosition): string => JSON.stringify(position);

/** PosAmtType(707) of each amount; FIX has no closer words (**assumed**). */
const AMOUNTS: readonly (readonly [type: string, name: keyof DerivativePosition])[] = [
  ['FMTM', 'mtmPnl'],
  ['IMTM', 'reportedMtmPnl'],
  ['CASH', 'reportedFundingPnl'],
  ['TVAR', 'realizedPnl'],
  ['VADJ', 'notional'],
];

/** Decimals of a price that is divided, beyond those of the market. */
const MORE_DECIMALS = 4;

/** Add account, instrument, prices, quantity and amounts of a position. */
export function addPosition(
  turn: Turn,
  session: SessionState,
  said: { readonly account: string; readonly accountType: string; readonly position: ReportedPosition },
  draft: MessageDraft,
): void {
  const { account, accountType, position } = said;
  const { symbol, side, quantity } = position;
  const rules = turn.state.board.rules(symbol);
  draft
    .add(Tag.ClearingBusinessDate, formatUtcTimestamp(turn.now).slice(0, 8))
    .add(Tag.Account, account)
    .add(Tag.AccountType, accountType);
  if (rules === null) draft.add(Tag.Symbol, sessionSymbolOf(session, symbol));
  else addInstrument(session, rules, draft);
  draft
    .addIf(Tag.Currency, position.settlementAssetSymbol)
    // Of the present position at the mark price, and at the average entry price.
    .addDecimal(Tag.SettlPrice, perContract(position.notional, quantity, rules?.market.pricePrecision ?? 0))
    .add(Tag.SettlPriceType, '2')
    .addDecimal(Tag.PriorSettlPrice, perContract(position.entryNotional, quantity, rules?.market.pricePrecision ?? 0))
    .add(Tag.NoPositions, '1')
    .add(Tag.PosType, 'TQ')
    .add(side === 'BUY' ? Tag.LongQty : Tag.ShortQty, quantity);
  const amounts = AMOUNTS.filter(([, name]) => position[name] !== null);
  if (amounts.length === 0) return;
  draft.add(Tag.NoPosAmt, `${amounts.length}`);
  for (const [type, name] of amounts) draft.add(Tag.PosAmtType, type).add(Tag.PosAmt, position[name]!);
}

function perContract(amount: string | null, quantity: string, decimals: number): Decimal {
  const [total, contracts] = [Decimal.parse(amount ?? '0'), Decimal.parse(quantity)];
  if (total === null || contracts === null || contracts.isZero()) return Decimal.ZERO;
  return total
    .abs()
    .divide(contracts.abs(), decimals + MORE_DECIMALS)
    .trimmed();
}
