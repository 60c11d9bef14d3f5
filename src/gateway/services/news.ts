// News(B) of operators to counterparties: at once, and of a planned stop again before it and after each Logon until then. Other
// News stands with its subject: market-data-message.ts has auctions.

import type { EpochMs } from '../../base/time.ts';
import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import { encodeRecord } from '../book/order-record.ts';
import type { PlannedStopRecord } from '../book/record-kinds.ts';
import { addText, printable } from '../reports/text.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import type { GatewayInput } from '../vocabulary/input.ts';
import type { OperatorNews } from '../vocabulary/news.ts';

const MINUTE_MS = 60_000;
/** Before a planned stop its News goes again so many minutes ahead (**assumed**). */
export const REPEATED_MINUTES: readonly number[] = [60, 30, 15, 5, 1];

/** An operator has news: sent to sessions that are logged on. With `stopAt` it replaces an earlier planned stop. */
export function publishNews(turn: Turn, { news, stopAt }: Extract<GatewayInput, { kind: 'news' }>): void {
  for (const session of turn.state.sessions.values()) tell(turn, session, news);
  if (stopAt !== null) keep(turn, { kind: 'plannedStop', key: KEY, ...news, stopAt, toldAt: turn.now });
}

const KEY = 'news|stop';

/** Withdraw the planned stop, and say so to its receivers. */
export function withdrawStop(turn: Turn): void {
  const { plannedStop } = turn.state;
  if (plannedStop === null) return;
  const news = { ...plannedStop, headline: `Withdrawn: ${plannedStop.headline}` };
  for (const session of turn.state.sessions.values()) tell(turn, session, news);
  end(turn, plannedStop);
}

/** The session logged on: it hears of a planned stop. */
export function tellPlannedStop(turn: Turn, session: SessionState): void {
  const { plannedStop } = turn.state;
  if (plannedStop !== null && plannedStop.stopAt > turn.now) tell(turn, session, plannedStop);
}

/** When the News of a planned stop goes again, or the stop has come; null if none is planned. */
export function newsDueAt({ plannedStop }: GatewayState): EpochMs | null {
  if (plannedStop === null) return null;
  const { stopAt, toldAt } = plannedStop;
  const minutes = REPEATED_MINUTES.find((one) => stopAt - one * MINUTE_MS > toldAt);
  return minutes === undefined ? stopAt : stopAt - minutes * MINUTE_MS;
}

/** Repeat what is due. */
export function repeatNews(turn: Turn): void {
  const { plannedStop } = turn.state;
  const dueAt = newsDueAt(turn.state);
  if (plannedStop === null || dueAt === null || dueAt > turn.now) return;
  if (plannedStop.stopAt <= turn.now) {
    end(turn, plannedStop);
    return;
  }
  for (const session of turn.state.sessions.values()) tell(turn, session, plannedStop);
  keep(turn, { ...plannedStop, toldAt: turn.now });
}

function end(turn: Turn, record: PlannedStopRecord): void {
  turn.state.plannedStop = null;
  turn.record('', KEY, encodeRecord({ ...record, stopAt: 0 }), []);
}

function keep(turn: Turn, record: PlannedStopRecord): void {
  turn.state.plannedStop = record;
  turn.record('', KEY, encodeRecord(record));
}

function tell(turn: Turn, session: SessionState, { sessionIds, headline, text, urgency }: OperatorNews): void {
  const { sessionId, charset } = session.config;
  if (!session.isUp || sessionIds?.includes(sessionId) === false) return;
  const draft = new MessageDraft(MsgType.News)
    .header(Tag.TargetSubID, 'ADMIN')
    .add(Tag.Urgency, urgency)
    .add(Tag.Headline, printable(headline, charset))
    .add(Tag.NoLinesOfText, '1');
  turn.send(sessionId, addText(draft, session, text === '' ? headline : text));
}
