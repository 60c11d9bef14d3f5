// The common part of requests about an account: the account that they name, whether the session may ask, and subscriptions
// that are answered again after fills and from time to time.

import type { EpochMs } from '../../base/time.ts';
import type { DataAnswer } from '../../exchange/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { AccountSubscription } from '../state/account-subscriptions.ts';
import { OPEN_QUESTIONS_MAX } from '../state/questions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountDataSettings, AccountEntitlement } from '../vocabulary/config.ts';

/** Settings of a session that says nothing of them. */
export const ACCOUNT_DATA: AccountDataSettings = { refreshMs: 30_000, subscriptionsMax: 20, tradesMax: 1_000 };

/** Why a request about an account is refused, in words. */
export interface Objection {
  readonly kind: 'notAgreed' | 'unknownAccount' | 'tooMany';
  readonly text: string;
}

/** The session's settings for data of accounts, or null if it may not ask. */
export function accountDataOf({ config }: SessionState): AccountDataSettings | null {
  return config.accountData === undefined ? ACCOUNT_DATA : config.accountData;
}

/** The account of a request, by the session's name for it; a session with one account need not name it (rule O7). */
export function accountOf(turn: Turn, session: SessionState, account: string | null): AccountEntitlement | Objection {
  const { sessionId, accounts } = session.config;
  if (accountDataOf(session) === null) {
    return { kind: 'notAgreed', text: 'Data of accounts is not agreed for this session (setting accountData)' };
  }
  const found = account === null ? (accounts.length === 1 ? accounts[0] : undefined) : session.accounts.get(account);
  if (found === undefined) {
    const text =
      account === null ? 'Account(1) is required: the session has several' : `Account(1)=${account} is unknown`;
    return { kind: 'unknownAccount', text };
  }
  if (turn.state.questions.isFull(sessionId)) {
    return { kind: 'tooMany', text: `${OPEN_QUESTIONS_MAX} requests are open already; wait for an answer` };
  }
  return found;
}

export const isObjection = (account: AccountEntitlement | Objection): account is Objection => 'kind' in account;

/** Sends an answer: a first one to its requester, or the changes since the last one. */
export type TellAnswer = (turn: Turn, session: SessionState, answer: DataAnswer) => void;

/** Ask the exchange; the answer is dropped if the session has gone. */
export function askExchange(
  turn: Turn,
  session: SessionState,
  { kind, account }: Pick<AccountSubscription, 'kind' | 'account'>,
  tell: TellAnswer,
): void {
  const { sessionId } = session.config;
  const { tradingAccountId, credential } = account;
  turn.ask(sessionId, credential, { kind, tradingAccountId }, (next, answer) => {
    const present = next.state.sessions.get(sessionId);
    if (present !== undefined) tell(next, present, answer);
  });
}

/** Ask about every subscription that is due. `tell` sends what changed. */
export function askAgain(
  turn: Turn,
  tell: (turn: Turn, session: SessionState, subscription: AccountSubscription, answer: DataAnswer) => void,
): void {
  const { accountSubscriptions, sessions, questions } = turn.state;
  for (const subscription of accountSubscriptions.due(turn.steady)) {
    const session = sessions.get(subscription.sessionId);
    const settings = session === undefined ? null : accountDataOf(session);
    if (session === undefined || settings === null) {
      accountSubscriptions.clear(subscription.sessionId);
      continue;
    }
    subscription.dueAt = turn.steady + settings.refreshMs;
    if (questions.isFull(subscription.sessionId)) continue;
    subscription.isAsked = true;
    askExchange(turn, session, subscription, (next, present, answer) => {
      subscription.isAsked = false;
      // A failure is no news: the next question may be answered.
      if (answer.kind === subscription.kind && next.state.accountSubscriptions.has(subscription)) {
        tell(next, present, subscription, answer);
      }
    });
  }
}

/** Subscribe by SubscriptionRequestType(263)=1; the objection if the session has too many subscriptions. */
export function subscribe(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  subscription: Omit<AccountSubscription, 'said' | 'dueAt' | 'isAsked'>,
): AccountSubscription | Objection {
  const { refreshMs, subscriptionsMax } = accountDataOf(session) ?? ACCOUNT_DATA;
  const begun = { ...subscription, said: new Map<string, string>(), dueAt: dueNext(turn, refreshMs), isAsked: false };
  const wants = view.string(Tag.SubscriptionRequestType) === '1';
  if (!wants || turn.state.accountSubscriptions.add(begun, subscriptionsMax)) return begun;
  return {
    kind: 'tooMany',
    text: `More than ${subscriptionsMax} subscriptions of account data; take one back with 263=2`,
  };
}

const dueNext = (turn: Turn, refreshMs: number): EpochMs => turn.steady + refreshMs;
