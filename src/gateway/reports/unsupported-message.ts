// Valid application messages that this gateway does not carry: j with 380=3 and, where there is one, the call of the
// REST bridge that does it.

import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { refuseInKind } from '../rules/exchange-refusal.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { askerOf } from '../vocabulary/sender.ts';
import { businessReject } from './answer.ts';

/** MsgType → the alternative: another message, or the bridge's call. */
export const BRIDGE_CALLS: Readonly<Record<string, string>> = {
  K: 'OrderCancelRequest(F) for each order of the list',
  L: 'the orders of a list go out at once, none is waited for',
  M: 'OrderStatusRequest(H) for each order of the list',
  x: 'SecurityDefinitionRequest(c) with SecurityRequestType(321)=3',
  z: 'SecurityDefinitionRequest(c) with SecurityRequestType(321)=3',
  CA: 'OrderMassCancelRequest(q), or OrderCancelRequest(F) for each order',
  R: 'negotiated trades: POST /trading-api/v2/otc-trades on the bridge',
  AJ: 'negotiated trades: POST /trading-api/v2/otc-command on the bridge',
  s: 'negotiated trades: POST /trading-api/v2/otc-trades on the bridge',
  // Before FIX.4.4.
  AE: 'negotiated trades: POST /trading-api/v2/otc-trades on the bridge',
  u: 'negotiated trades: POST /trading-api/v2/otc-command with V1CancelOtcTrade on the bridge',
  t: 'negotiated trades: POST /trading-api/v2/otc-command with V1CancelOtcTrade on the bridge, and a new one',
  S: 'liquidity: POST /trading-api/v2/amm-instructions (AMM) on the bridge',
  i: 'liquidity: POST /trading-api/v2/amm-instructions (AMM) on the bridge',
  Z: 'liquidity: POST /trading-api/v2/command with V3TerminateAMMInstruction on the bridge',
  AD: 'trades: GET /trading-api/v1/trades on the bridge',
  AN: 'positions: GET /trading-api/v1/derivatives-positions on the bridge',
  BB: 'collateral: GET /trading-api/v1/accounts/trading-accounts on the bridge',
  // Before FIX.4.4.
  BE: 'a password is changed by NewPassword(925) in the Logon(A), where that is agreed',
  AV: 'transfers are switched off in this gateway; the pages of the exchange make them',
  T: 'transfers are switched off in this gateway; the pages of the exchange make them',
};

/** Additional fields in versions that have them (rule D2). */
const MASS_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['K', ', or OrderMassCancelRequest(q)'],
  ['M', ', or OrderMassStatusRequest(AF)'],
]);

/** Field by which each type's sender recognises its request, for BusinessRejectRefID(379): the first that it has. */
const REF_ID_TAGS: readonly number[] = [11, 262, 320, 324, 335, 131, 693, 117, 568, 710, 791, 909, 923, 20100, 20110];
/**
 * For types with another id of their own, or with ClOrdIDs(11) of several orders (FIX 4.4 vol. 2, Business Message
 * Reject).
 */
const REF_ID_TAG: ReadonlyMap<string, number> = new Map([
  [MsgType.NewOrderList, Tag.ListID],
  ['K', Tag.ListID],
  ['L', Tag.ListID],
  ['M', Tag.ListID],
  [MsgType.OrderMassStatusRequest, Tag.MassStatusReqID],
]);

/** Answer a message type that is not carried. */
export function handleUnsupported(turn: Turn, session: SessionState, view: MessageView): void {
  const call = Object.hasOwn(BRIDGE_CALLS, view.msgType) ? BRIDGE_CALLS[view.msgType] : undefined;
  const mass = session.version.hasMassMessages ? (MASS_MESSAGES.get(view.msgType) ?? '') : '';
  const instead =
    call === undefined
      ? 'this gateway has no such function, over FIX or over its bridge'
      : `instead: ${call}${mass}${overFix(session, call)}`;
  rejectBusiness(turn, session, view, '3', `MsgType(35)=${view.msgType} is not carried on this session; ${instead}`);
}

/** The same call in a BridgeRequest(UBQ), where the session may send one. */
function overFix({ config }: SessionState, call: string): string {
  const [, method, path] = /(GET|POST) (\/\S+)/.exec(call) ?? [];
  if (method === undefined || (config.bridgeCaller ?? null) === null) return '';
  return `, or over FIX by BridgeRequest(UBQ) with 20111=${method} and 20112=${path}`;
}

/** Answer a message that no more specific answer exists for. */
export function rejectBusiness(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  reason: string,
  text: string,
): void {
  const refusal = refuseInKind(turn, session, view, text);
  if (refusal !== null) {
    turn.send(session.config.sessionId, refusal);
    return;
  }
  const tag = REF_ID_TAG.get(view.msgType) ?? REF_ID_TAGS.find((candidate) => view.has(candidate));
  const facts = {
    refSeqNum: view.int(Tag.MsgSeqNum),
    refMsgType: view.msgType,
    businessRejectRefID: tag === undefined ? null : view.string(tag),
    businessRejectReason: reason,
    text,
  };
  turn.send(session.config.sessionId, businessReject(session, askerOf(view), facts));
}

/** Whether a DontKnowTrade names its execution by these fields (rule O10). */
export function handleDontKnowTrade(turn: Turn, session: SessionState, view: MessageView): void {
  const orderID = view.string(Tag.OrderID);
  const execID = view.string(Tag.ExecID) ?? 'none';
  const reason = view.string(Tag.DKReason) ?? 'none';
  const found = orderID === null ? null : turn.state.registry.findByExchangeOrderId(orderID);
  const order = found !== null && found.sessionId === session.config.sessionId ? found : null;
  const words = view.string(Tag.Text);
  const named = `ExecID(17)=${execID} OrderID(37)=${orderID ?? 'none'} DKReason(127)=${reason}`;
  const text = `the counterparty does not know a fill: DontKnowTrade(Q) with ${named}${words === null ? '' : `: ${words}`}`;
  turn.alarm('dont-know-trade', text, order, { session: session.config.sessionId });
}
