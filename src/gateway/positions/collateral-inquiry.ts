// CollateralInquiry(BB) → CollateralReport(BA): one report of the account with its margins, and one per asset, once or
// until taken back. An inquiry that is refused gets a CollateralInquiryAck(BG).

import { Decimal } from '../../base/decimal.ts';
import type { AccountFigures, AssetBalance } from '../../exchange/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { inParts } from '../reports/in-parts.ts';
import { addText } from '../reports/text.ts';
import type { AccountSubscription } from '../state/account-subscriptions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';
import { accountOf, askExchange, isObjection, subscribe } from './account-request.ts';

/** CollInquiryResult(946). */
const Result = { InvalidParties: '3', Unauthorized: '9', Other: '99' } as const;
const RESULTS = { notAgreed: Result.Unauthorized, unknownAccount: Result.Unauthorized, tooMany: Result.Other } as const;

/** The figures of an account, or one of its assets. */
type Item = { readonly figures: AccountFigures } | { readonly balance: AssetBalance };

/** Take a CollateralInquiry(BB). */
export function handleCollateralInquiry(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const reqID = view.string(Tag.CollInquiryID) ?? '';
  if (view.string(Tag.SubscriptionRequestType) === '2') {
    turn.state.accountSubscriptions.remove(sessionId, 'collateral', reqID);
    return;
  }
  const asker = askerOf(view);
  const account = accountOf(turn, session, view.string(Tag.Account));
  const accountType = view.string(Tag.AccountType) ?? '1';
  const wanted = isObjection(account)
    ? account
    : subscribe(turn, session, view, {
        kind: 'collateral',
        sessionId,
        reqID,
        account,
        exchangeSymbol: null,
        accountType,
        asker,
      });
  if ('text' in wanted) {
    refuse(turn, session, { reqID, asker, account: view.string(Tag.Account) }, RESULTS[wanted.kind], wanted.text);
    return;
  }
  askExchange(turn, session, wanted, (next, present, answer) => {
    if (answer.kind === 'collateral') {
      const items = itemsOf(answer);
      wanted.said = saidOf(items);
      report(next, present, wanted, items);
      return;
    }
    next.state.accountSubscriptions.remove(sessionId, 'collateral', reqID);
    const why = answer.kind === 'failed' ? answer.message : 'the answer is no account';
    const asked = { reqID, asker, account: wanted.account.account };
    refuse(next, present, asked, Result.Other, `The exchange could not be asked: ${why}`);
  });
}

function itemsOf({
  figures,
  balances,
}: {
  readonly figures: AccountFigures;
  readonly balances: readonly AssetBalance[];
}): Item[] {
  return [{ figures }, ...balances.map((balance) => ({ balance }))];
}

const keyOf = (item: Item): string => ('balance' in item ? item.balance.assetSymbol : '');
const saidOf = (items: readonly Item[]): ReadonlyMap<string, string> =>
  new Map(items.map((item) => [keyOf(item), JSON.stringify(item)]));

/** Report the account and its assets as far as they changed since the last report. */
export function tellCollateral(
  turn: Turn,
  session: SessionState,
  subscription: AccountSubscription,
  answer: Parameters<typeof itemsOf>[0],
): void {
  const items = itemsOf(answer);
  const now = saidOf(items);
  const changed = items.filter((item) => now.get(keyOf(item)) !== subscription.said.get(keyOf(item)));
  subscription.said = now;
  report(turn, session, subscription, changed);
}

function report(
  turn: Turn,
  session: SessionState,
  { reqID, asker, account, accountType }: AccountSubscription,
  items: readonly Item[],
): void {
  const { sessionId } = session.config;
  inParts(turn, sessionId, items, (next, item, i) => {
    const present = next.state.sessions.get(sessionId);
    if (present === undefined) return;
    const draft = addressTo(new MessageDraft(MsgType.CollateralReport), asker)
      .add(Tag.CollRptID, `${reqID}-${++next.state.answerCount}`)
      .add(Tag.CollInquiryID, reqID);
    if (present.version.hasLateFields) draft.addTime(Tag.TransactTime, next.now);
    draft
      .add(Tag.CollStatus, '3')
      .add(Tag.TotNumReports, `${items.length}`)
      .add(Tag.LastRptRequested, i === items.length - 1 ? 'Y' : 'N')
      .add(Tag.Account, account.account)
      .add(Tag.AccountType, accountType);
    if ('balance' in item) addBalance(item.balance, draft);
    else addText(addFigures(item.figures, draft), present, inWords(item.figures));
    next.send(sessionId, draft);
  });
}

/** Margin excess and net value in USD; every figure stands in Text(58) besides. */
function addFigures(figures: AccountFigures, draft: MessageDraft): MessageDraft {
  const collateral = amountOf(figures.totalCollateralUSD);
  const margin = amountOf(figures.initialMarginUSD);
  const liabilities = amountOf(figures.totalLiabilitiesUSD);
  if (collateral !== null && margin !== null && !margin.isZero()) {
    draft.addDecimal(Tag.MarginRatio, collateral.divide(margin, 8).trimmed());
  }
  draft.add(Tag.Currency, 'USD');
  if (collateral !== null && margin !== null) draft.addDecimal(Tag.MarginExcess, collateral.subtract(margin));
  if (collateral !== null && liabilities !== null)
    draft.addDecimal(Tag.TotalNetValue, collateral.subtract(liabilities));
  return draft.addIf(Tag.CashOutstanding, figures.totalBorrowedUSD ?? null);
}

/** One asset: what is owned, what is borrowed, and what is free. */
function addBalance(balance: AssetBalance, draft: MessageDraft): void {
  const { assetSymbol, availableQuantity, lockedQuantity, borrowedQuantity, loanedQuantity } = balance;
  const [free, locked, borrowed, loaned] = [availableQuantity, lockedQuantity, borrowedQuantity, loanedQuantity].map(
    (quantity) => Decimal.parse(quantity) ?? Decimal.ZERO,
  );
  const owned = free!.add(locked!).add(loaned!);
  draft
    .add(Tag.Symbol, assetSymbol)
    .add(Tag.Currency, assetSymbol)
    .addDecimal(Tag.TotalNetValue, owned.subtract(borrowed!))
    .add(Tag.CashOutstanding, borrowedQuantity)
    .addDecimal(Tag.StartCash, owned)
    .add(Tag.EndCash, availableQuantity)
    .add(
      Tag.Text,
      `available ${availableQuantity}, locked ${lockedQuantity}, borrowed ${borrowedQuantity}, loaned ${loanedQuantity}`,
    );
}

const amountOf = (text: string | undefined): Decimal | null => (text === undefined ? null : Decimal.parse(text));

/** CashOutstanding(901) has it, and the counterparty knows itself. */
const HAS_FIELD: ReadonlySet<string> = new Set(['totalBorrowedUSD', 'endCustomerId', 'isConcentrationRiskEnabled']);

/** Every other figure by its name, as the exchange says it. */
function inWords(figures: AccountFigures): string {
  return Object.entries(figures)
    .filter(([name]) => !HAS_FIELD.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function refuse(
  turn: Turn,
  session: SessionState,
  { reqID, asker, account }: { readonly reqID: string; readonly asker: Sender; readonly account: string | null },
  result: string,
  text: string,
): void {
  const draft = addressTo(new MessageDraft(MsgType.CollateralInquiryAck), asker)
    .add(Tag.CollInquiryID, reqID)
    .add(Tag.CollInquiryStatus, '4')
    .add(Tag.CollInquiryResult, result)
    .addIf(Tag.Account, account);
  turn.send(session.config.sessionId, addText(draft, session, text));
}
