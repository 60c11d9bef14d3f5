// LimitsRequest(ULQ) → LimitsReport(ULR): the risk limits of the session and of its trading accounts, what of them is used, and
// what is left (rule O12). User-defined: the report answers its own request only (rule D1).

import type { Decimal } from '../../base/decimal.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import type { OrderLimits } from '../state/order-limits.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import { addressTo, askerOf } from '../vocabulary/sender.ts';

/** Accounts in one report; of more, each is asked for by Account(1). */
const ACCOUNTS_MAX = 50;

interface Limit {
  readonly name: string;
  readonly max: string;
  /** Null of a limit on each order by itself. */
  readonly used: number | null;
}

/** Take a LimitsRequest(ULQ). */
export function handleLimitsRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId, accounts } = session.config;
  const draft = addressTo(new MessageDraft(MsgType.LimitsReport), askerOf(view)).add(
    Tag.LimitsReqID,
    view.string(Tag.LimitsReqID) ?? '',
  );
  const account = view.string(Tag.Account);
  const wanted = accounts.filter((one) => account === null || one.account === account);
  if (account !== null && wanted.length === 0) {
    const text = `Account(1)=${account} is not on the list of this session`;
    turn.send(sessionId, addText(draft.add(Tag.NoLimits, '0'), session, text));
    return;
  }
  const entries = [
    ...(account === null && session.takesOrders ? sessionEntries(turn, session) : []),
    ...wanted.slice(0, ACCOUNTS_MAX).flatMap((one) => accountEntries(turn, one)),
  ];
  draft.add(Tag.NoLimits, `${entries.length}`);
  for (const { scope, account: name, limit } of entries) addLimit(draft, scope, name, limit);
  const rest = wanted.length - ACCOUNTS_MAX;
  const text = rest > 0 ? `${rest} accounts more: ask for each by Account(1)` : null;
  turn.send(sessionId, addText(draft, session, text));
}

interface Entry {
  readonly scope: 'S' | 'A';
  readonly account: string | null;
  readonly limit: Limit;
}

function sessionEntries(turn: Turn, { limits, negotiated, config }: SessionState): Entry[] {
  const open = turn.state.registry.openOrderCount(config.sessionId);
  const trades =
    negotiated === null
      ? []
      : [{ name: 'negotiatedPerMinute', max: `${negotiated.max}`, used: negotiated.taken(turn.steady) }];
  const all = [...limitsIn(limits, open, turn.steady), ...trades];
  return all.map((limit) => ({ scope: 'S', account: null, limit }));
}

function accountEntries(turn: Turn, { account, tradingAccountId }: AccountEntitlement): Entry[] {
  const limits = turn.state.accountLimits.get(tradingAccountId);
  if (limits === undefined) return [];
  const open = turn.state.registry.openOrderCountOf(tradingAccountId);
  return limitsIn(limits, open, turn.steady).map((limit) => ({ scope: 'A', account, limit }));
}

/** Limits that are set, in a fixed order. */
function limitsIn(limits: OrderLimits, openOrders: number, now: number): Limit[] {
  const perOrder = (name: string, max: Decimal | null): Limit[] =>
    max === null ? [] : [{ name, max: max.toString(), used: null }];
  const { openOrdersMax, rate } = limits;
  return [
    ...perOrder('orderQtyMax', limits.orderQtyMax),
    ...perOrder('notionalMax', limits.notionalMax),
    ...perOrder('priceBandPercent', limits.priceBandPercent),
    ...(openOrdersMax === null ? [] : [{ name: 'openOrdersMax', max: `${openOrdersMax}`, used: openOrders }]),
    ...(rate === null ? [] : [{ name: 'ordersPerSecondMax', max: `${rate.max}`, used: rate.taken(now) }]),
  ];
}

function addLimit(
  draft: MessageDraft,
  scope: Entry['scope'],
  account: string | null,
  { name, max, used }: Limit,
): void {
  draft.add(Tag.LimitScope, scope).addIf(Tag.Account, account).add(Tag.LimitName, name).add(Tag.LimitMax, max);
  if (used === null) return;
  // Lowered below what is open, nothing is left.
  draft.add(Tag.LimitUsed, `${used}`).add(Tag.LimitLeft, `${Math.max(0, Number(max) - used)}`);
}
