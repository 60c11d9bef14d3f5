// MMPRequest(UMQ) → MMPReport(UMR): the state of an account's market maker protection, its changes, and its reset after it
// has frozen orders. User-defined, as FIX has no message for it: the report answers its own request only (rule D1).

import type { CommandOutcome, MmpConfiguration } from '../../exchange/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { accountOf, askExchange, isObjection, subscribe } from '../positions/account-request.ts';
import { addText } from '../reports/text.ts';
import { killSwitchOn } from '../rules/kill-switch-check.ts';
import { isUsed, useRequestID } from '../rules/request-ids.ts';
import type { AccountSubscription } from '../state/account-subscriptions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';

/** MMPAction(20201). */
const Action = { Status: '0', Reset: '1' } as const;
/** MMPResult(20208). */
const Result = { Done: '0', Rejected: '1', Unknown: '2' } as const;

interface Asked {
  readonly reqID: string;
  readonly asker: Sender;
  readonly account: string | null;
}

/** Take an MMPRequest(UMQ). */
export function handleMmpRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const reqID = view.string(Tag.MMPReqID) ?? '';
  const action = view.string(Tag.MMPAction);
  if (action === Action.Status && view.string(Tag.SubscriptionRequestType) === '2') {
    turn.state.accountSubscriptions.remove(sessionId, 'mmp', reqID);
    return;
  }
  const asked = { reqID, asker: askerOf(view), account: view.string(Tag.Account) };
  const account = accountOf(turn, session, asked.account);
  if (isObjection(account)) refuse(turn, session, asked, account.text);
  else if (action === Action.Reset) reset(turn, session, { ...asked, account }, view.string(Tag.UnderlyingSymbol));
  else if (action === Action.Status) sendStatus(turn, session, view, { ...asked, account });
  else refuse(turn, session, asked, `MMPAction(20201)=${action} is not supported; 0 asks for the state, 1 resets`);
}

type Known = Omit<Asked, 'account'> & { readonly account: AccountEntitlement };

function sendStatus(turn: Turn, session: SessionState, view: MessageView, { reqID, asker, account }: Known): void {
  const { sessionId } = session.config;
  const exchangeSymbol = view.string(Tag.UnderlyingSymbol);
  const wanted = { kind: 'mmp', sessionId, reqID, account, exchangeSymbol, accountType: '', asker } as const;
  const subscription = subscribe(turn, session, view, wanted);
  if ('text' in subscription) {
    refuse(turn, session, { reqID, asker, account: account.account }, subscription.text);
    return;
  }
  askExchange(turn, session, subscription, (next, present, answer) => {
    if (answer.kind === 'mmp') {
      const some = wantedOf(subscription, answer.configurations);
      subscription.said = saidOf(some);
      next.send(sessionId, report(subscription, some, false));
      return;
    }
    next.state.accountSubscriptions.remove(sessionId, 'mmp', reqID);
    const why = answer.kind === 'failed' ? answer.message : 'the answer is no protection';
    refuse(next, present, { reqID, asker, account: account.account }, `The exchange could not be asked: ${why}`);
  });
}

function wantedOf({ exchangeSymbol }: AccountSubscription, all: readonly MmpConfiguration[]): MmpConfiguration[] {
  return all.filter(({ underlyingAssetSymbol }) => exchangeSymbol === null || exchangeSymbol === underlyingAssetSymbol);
}

const saidOf = (all: readonly MmpConfiguration[]): ReadonlyMap<string, string> =>
  new Map(all.map((one) => [one.underlyingAssetSymbol, JSON.stringify(one)]));

/** Report the protections that have changed, such as one that has frozen orders. */
export function tellMmp(
  turn: Turn,
  subscription: AccountSubscription,
  configurations: readonly MmpConfiguration[],
): void {
  const all = wantedOf(subscription, configurations);
  const now = saidOf(all);
  const changed = all.filter((one) => {
    const name = one.underlyingAssetSymbol;
    return now.get(name) !== subscription.said.get(name);
  });
  const isGone = [...subscription.said.keys()].some((name) => !now.has(name));
  subscription.said = now;
  // A protection that is gone is missing in a report of all.
  if (isGone) turn.send(subscription.sessionId, report(subscription, all, true));
  else if (changed.length > 0) turn.send(subscription.sessionId, report(subscription, changed, true));
}

function report(
  { reqID, asker, account }: AccountSubscription,
  configurations: readonly MmpConfiguration[],
  isUnsolicited: boolean,
): MessageDraft {
  const draft = begin({ reqID, asker, account: account.account }, Result.Done, isUnsolicited);
  draft.add(Tag.NoMMPConfigs, `${configurations.length}`);
  for (const one of configurations) {
    draft
      .add(Tag.UnderlyingSymbol, one.underlyingAssetSymbol)
      .add(Tag.MMPActive, one.isActive ? 'Y' : 'N')
      .add(Tag.MMPWindow, one.windowTimeInSeconds)
      .add(Tag.MMPFrozenTime, one.frozenTimeInSeconds)
      .addIf(Tag.MMPQtyLimit, one.quantityLimit)
      .addIf(Tag.MMPDeltaLimit, one.deltaLimit);
  }
  return draft;
}

/** Reset a protection, at most once per MMPReqID (rule U4). It lets orders trade again: a kill switch forbids it. */
function reset(turn: Turn, session: SessionState, { reqID, asker, account }: Known, asset: string | null): void {
  const { sessionId } = session.config;
  const asked = { reqID, asker, account: account.account };
  const usedAs = `mmp ${reqID}`;
  const { tradingAccountId, credential } = account;
  const problem = !session.takesOrders
    ? 'A session that enters no orders resets no protection'
    : asset === null
      ? 'UnderlyingSymbol(311) is required for a reset'
      : (killSwitchOn(turn.state, sessionId, tradingAccountId) ??
        (isUsed(turn.state, sessionId, usedAs) ? `MMPReqID(20200)=${reqID} was used before` : null));
  if (problem !== null || asset === null) {
    refuse(turn, session, asked, problem ?? '');
    return;
  }
  useRequestID(turn, sessionId, usedAs);
  const command = { kind: 'resetMMP', tradingAccountId, underlyingAssetSymbol: asset } as const;
  turn.manage(sessionId, credential, command, (next, outcome) => {
    const present = next.state.sessions.get(sessionId);
    if (present !== undefined) tellReset(next, present, asked, outcome);
  });
}

function tellReset(turn: Turn, session: SessionState, asked: Asked, outcome: CommandOutcome): void {
  const [result, text] =
    outcome.kind === 'accepted'
      ? [Result.Done, 'The exchange has acknowledged the reset']
      : outcome.kind === 'refused'
        ? [Result.Rejected, outcome.message]
        : [Result.Unknown, `The outcome of the reset is unknown, ask for the state: ${outcome.message}`];
  const draft = begin(asked, result, false);
  turn.send(session.config.sessionId, addText(draft, session, text));
}

function begin({ reqID, asker, account }: Asked, result: string, isUnsolicited: boolean): MessageDraft {
  return addressTo(new MessageDraft(MsgType.MMPReport), asker)
    .add(Tag.MMPReqID, reqID)
    .add(Tag.MMPResult, result)
    .addIf(Tag.UnsolicitedIndicator, isUnsolicited ? 'Y' : null)
    .addIf(Tag.Account, account);
}

function refuse(turn: Turn, session: SessionState, asked: Asked, text: string): void {
  turn.send(session.config.sessionId, addText(begin(asked, Result.Rejected, false), session, text));
}
