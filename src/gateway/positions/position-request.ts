// RequestForPositions(AN) → RequestForPositionsAck(AO) and a PositionReport(AP) per instrument, once or until taken back.
// The exchange's derivative positions are asked for with each request; position-report.ts writes one.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { inParts } from '../reports/in-parts.ts';
import { addText } from '../reports/text.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { AccountSubscription } from '../state/account-subscriptions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';
import { accountOf, askExchange, isObjection, type Objection, subscribe } from './account-request.ts';
import { addPosition, closedPosition, type ReportedPosition, saidOf } from './position-report.ts';

/** PosReqResult(728). */
const Result = {
  Valid: '0',
  Invalid: '1',
  NoneFound: '2',
  NotAuthorized: '3',
  NotSupported: '4',
  Other: '99',
} as const;
const RESULTS = {
  notAgreed: Result.NotAuthorized,
  unknownAccount: Result.NotAuthorized,
  tooMany: Result.Other,
} as const;

/** The account is unknown to AO and AP only in a refusal. */
type Asked = Pick<AccountSubscription, 'reqID' | 'accountType'> & {
  readonly asker: Sender;
  readonly account: string | null;
};

/** Take a RequestForPositions(AN): 724=0 alone. */
export function handleRequestForPositions(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const reqID = view.string(Tag.PosReqID) ?? '';
  if (view.string(Tag.SubscriptionRequestType) === '2') {
    turn.state.accountSubscriptions.remove(sessionId, 'positions', reqID);
    return;
  }
  const account = view.string(Tag.Account);
  const asked = { reqID, asker: askerOf(view), account, accountType: view.string(Tag.AccountType) ?? '1' };
  const type = view.string(Tag.PosReqType);
  if (type !== '0') {
    refuse(turn, session, asked, Result.NotSupported, `PosReqType(724)=${type} is not supported; 0 asks for positions`);
    return;
  }
  const found = accountOf(turn, session, account);
  const wanted = isObjection(found) ? found : subscription(turn, session, view, { ...asked, account: found });
  if ('text' in wanted) {
    refuse(turn, session, asked, RESULTS[wanted.kind], wanted.text);
    return;
  }
  askExchange(turn, session, wanted, (next, present, answer) => {
    const known = { ...asked, account: wanted.account.account };
    if (answer.kind !== 'positions') {
      next.state.accountSubscriptions.remove(sessionId, 'positions', reqID);
      const why = answer.kind === 'failed' ? answer.message : 'the answer is no list of positions';
      refuse(next, present, known, Result.Other, `The exchange could not be asked: ${why}`);
      return;
    }
    const positions = answer.positions.filter((position) => isWanted(present, wanted, position.symbol));
    wanted.said = new Map(positions.map((position) => [position.symbol, saidOf(position)]));
    const total = positions.length;
    const draft = acknowledgement(present, known, {
      total,
      result: total === 0 ? Result.NoneFound : Result.Valid,
      status: '0',
    });
    next.send(sessionId, draft);
    report(next, present, wanted, positions, total);
  });
}

function subscription(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  asked: Pick<AccountSubscription, 'reqID' | 'asker' | 'account' | 'accountType'>,
): AccountSubscription | Objection {
  const symbol = view.string(Tag.Symbol);
  const exchangeSymbol = symbol === null || symbol === '[N/A]' ? null : exchangeSymbolOf(session, symbol);
  const { sessionId } = session.config;
  return subscribe(turn, session, view, { ...asked, kind: 'positions', sessionId, exchangeSymbol });
}

function isWanted({ symbols }: SessionState, { exchangeSymbol }: AccountSubscription, symbol: string): boolean {
  return (exchangeSymbol === null || exchangeSymbol === symbol) && (symbols === null || symbols.has(symbol));
}

/** Report the positions that changed since the last report; a closed one has no quantity. */
export function tellPositions(
  turn: Turn,
  session: SessionState,
  subscription: AccountSubscription,
  all: readonly ReportedPosition[],
): void {
  const positions = all.filter(({ symbol }) => isWanted(session, subscription, symbol));
  const now = new Map(positions.map((position) => [position.symbol, saidOf(position)]));
  const changed = positions.filter(({ symbol }) => now.get(symbol) !== subscription.said.get(symbol));
  const closed = [...subscription.said.keys()].filter((symbol) => !now.has(symbol)).map(closedPosition);
  subscription.said = now;
  report(turn, session, subscription, [...changed, ...closed], null);
}

/** `total`: of the answer to the request; null for later reports. */
function report(
  turn: Turn,
  session: SessionState,
  { reqID, asker, account, accountType }: AccountSubscription,
  positions: readonly ReportedPosition[],
  total: number | null,
): void {
  const { sessionId } = session.config;
  inParts(turn, sessionId, positions, (next, position, i) => {
    const present = next.state.sessions.get(sessionId);
    if (present === undefined) return;
    const number = total === null ? `u${++next.state.answerCount}` : `${i + 1}`;
    const draft = addressTo(new MessageDraft(MsgType.PositionReport), asker)
      .add(Tag.PosMaintRptID, `${reqID}-${number}`)
      .add(Tag.PosReqID, reqID)
      .add(Tag.PosReqType, '0')
      .addIf(Tag.TotalNumPosReports, total === null ? null : `${total}`)
      .addIf(Tag.UnsolicitedIndicator, total === null ? 'Y' : null)
      .add(Tag.PosReqResult, Result.Valid);
    addPosition(next, present, { account: account.account, accountType, position }, draft);
    next.send(sessionId, draft);
  });
}

interface Acknowledged {
  readonly total: number;
  readonly result: string;
  readonly status: string;
}

function acknowledgement(session: SessionState, asked: Asked, { total, result, status }: Acknowledged): MessageDraft {
  const { reqID, asker, account, accountType } = asked;
  return (
    addressTo(new MessageDraft(MsgType.RequestForPositionsAck), asker)
      .add(Tag.PosMaintRptID, `${reqID}-0`)
      .add(Tag.PosReqID, reqID)
      .add(Tag.TotalNumPosReports, `${total}`)
      .add(Tag.PosReqResult, result)
      .add(Tag.PosReqStatus, status)
      // Required before FIX.5.0SP1, and the request need not have it.
      .add(Tag.Account, account ?? session.config.accounts[0]?.account ?? 'NONE')
      .add(Tag.AccountType, accountType)
  );
}

function refuse(turn: Turn, session: SessionState, asked: Asked, result: string, text: string): void {
  const draft = acknowledgement(session, asked, { total: 0, result, status: '2' });
  turn.send(session.config.sessionId, addText(draft, session, text));
}
