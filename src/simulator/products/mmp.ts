// Market maker protection: limits on trades of an account's MMP orders in options of one underlying within a window.
// Over a limit, all its MMP orders there are cancelled (6019) and new ones are refused (3073) until the freeze ends.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Floor } from '../venue/floor.ts';
import { type Order, Reason, ZERO } from '../venue/order.ts';
import { end } from '../venue/order-end.ts';
import type { TradeView } from '../venue/venue-view.ts';
import {
  type MmpConfiguration,
  type MmpRequestView,
  type MmpTriggerView,
  mmpKey,
  type ResetMmp,
  type SetMmp,
} from './mmp-configuration.ts';
import { greeksOf } from './option-model.ts';

export function setMmp(floor: Floor, command: SetMmp, now: EpochMs): void {
  const { kind: _kind, requestId: _requestId, ...fields } = command;
  const configuration: MmpConfiguration = { ...fields, fills: [], frozenUntil: null };
  floor.mmp.set(mmpKey(command.tradingAccountId, command.asset), configuration);
  tellRequest(floor, { command, configuration: fields, reason: Reason.executed, at: now });
}

function tellRequest(floor: Floor, request: MmpRequestView): void {
  floor.histories.mmpRequests.push(request);
  floor.emit({ kind: 'mmpRequest', request });
}

export function resetMmp(floor: Floor, command: ResetMmp, now: EpochMs): void {
  const configuration = floor.mmp.get(mmpKey(command.tradingAccountId, command.asset)) ?? null;
  if (configuration !== null) {
    configuration.fills = [];
    configuration.frozenUntil = null;
  }
  const reason = configuration === null ? Reason.badRequest : Reason.executed;
  if (configuration === null) {
    tellRequest(floor, { command, configuration, reason, at: now });
    return;
  }
  const { fills: _fills, frozenUntil: _frozenUntil, ...fields } = configuration;
  tellRequest(floor, { command, configuration: fields, reason, at: now });
}

/** Whether an MMP order of this account and underlying is refused now. */
export function isFrozen(floor: Floor, tradingAccountId: string, asset: string, now: EpochMs): boolean {
  const until = floor.mmp.get(mmpKey(tradingAccountId, asset))?.frozenUntil ?? null;
  return until !== null && until > now;
}

/** Count a fill of an MMP order; limits are looked at when the command that caused it is done. */
export function countMmpFill(floor: Floor, order: Order, trade: TradeView): void {
  const configuration = floor.mmp.get(mmpKey(order.tradingAccountId, order.market.baseSymbol));
  if (configuration === undefined) return;
  const market = floor.markets.get(order.market.symbol)!;
  const { delta } = greeksOf(
    order.market,
    floor.indexPrice(market),
    market.expiresAt ?? trade.createdAt,
    trade.createdAt,
  );
  const signed = Decimal.of(delta).multiply(trade.quantity);
  configuration.fills.push({
    at: trade.createdAt,
    quantity: trade.quantity,
    delta: order.side === 'BUY' ? signed : signed.negate(),
  });
  floor.mmpTouched.add(configuration);
}

/** Freeze every account that exceeded a limit since the last call. */
export function tendMmp(floor: Floor, now: EpochMs): void {
  for (const configuration of floor.mmpTouched) {
    const from = now - configuration.windowMs;
    configuration.fills = configuration.fills.filter(({ at }) => at > from);
    const triggeredBy = overLimit(configuration);
    if (triggeredBy !== null) freeze(floor, configuration, triggeredBy, now);
  }
  floor.mmpTouched.clear();
}

function overLimit({ fills, quantityLimit, deltaLimit }: MmpConfiguration): MmpTriggerView['triggeredBy'] | null {
  const quantity = fills.reduce((sum, fill) => sum.add(fill.quantity), ZERO);
  if (quantityLimit !== null && quantity.compare(quantityLimit) >= 0) return 'QUANTITY_LIMIT';
  const delta = fills.reduce((sum, fill) => sum.add(fill.delta), ZERO);
  return deltaLimit !== null && delta.abs().compare(deltaLimit) >= 0 ? 'DELTA_LIMIT' : null;
}

function freeze(
  floor: Floor,
  configuration: MmpConfiguration,
  triggeredBy: MmpTriggerView['triggeredBy'],
  now: EpochMs,
): void {
  const { tradingAccountId, asset, frozenMs } = configuration;
  configuration.frozenUntil = now + frozenMs;
  configuration.fills = [];
  for (const order of floor.openOrders(tradingAccountId)) {
    if (order.isMMP && order.market.baseSymbol === asset) end(floor, order, 'CANCELLED', Reason.mmpCancelled, now);
  }
  const mmpTriggerId = floor.identifiers.next(now);
  const trigger = { mmpTriggerId, tradingAccountId, asset, triggeredBy, frozenMs, at: now };
  floor.histories.mmpTriggers.push(trigger);
  floor.emit({ kind: 'mmpTrigger', trigger });
}
