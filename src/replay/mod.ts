// Door of the replay room: message logs of any origin, read, filtered, grouped, and sent again at a live acceptor; and a
// gateway's day, run again from its journal.

export { newDayReplay } from './day-door.ts';
export type { ReplayedFrame, ReplayedRecord } from './journaled-frame.ts';
export { ReplayLog } from './kept-message.ts';
export { LogComparison, type LogDifference } from './log-difference.ts';
export { type LogFilter, matchesFilter, parseTagFilter } from './log-filter.ts';
export { LogSessions } from './log-sessions.ts';
export { type LoggedMessage, loggedMessage } from './logged-message.ts';
export { OrderLatency, PERCENTILES, type SessionLatency } from './order-latency.ts';
export { idOf } from './orders/named-orders.ts';
export { OrderChains } from './orders/order-chain.ts';
export type { DayCounts, DayDifference } from './pure-day.ts';
export { fieldName, messageName } from './report/difference-lines.ts';
export { replayHtml } from './report/html-report.ts';
export { junitXml } from './report/junit.ts';
export {
  countResults,
  nothingSent,
  type ReplayContext,
  replayJson,
  replayJUnit,
  replayLines,
} from './report/replay-report.ts';
export { GapFinder, numbersOf, type SequenceGap } from './sequence-gap.ts';
export { differenceToKeep, shrink } from './shrink/shrink.ts';
export { type AnswerTag, answerTagKind } from './target/answer-match.ts';
export { isLeftOutOfRequests } from './target/fresh-message.ts';
export { planReplay, type ReplayPlan } from './target/replay-plan.ts';
export { type ReplayResult, ReplayRun, type RequestResult } from './target/replay-run.ts';
export { parseTarget, type ReplayTarget, targetRefusal } from './target/replay-target.ts';
export { followedText, logFileText, logText } from './text/log-text.ts';
export { TextLogReader } from './text/text-log.ts';
export type { UnreadLines } from './text/unread-lines.ts';
