// Door of the replay room: message logs of any origin, read, filtered, grouped and sent again.

export { type LogFilter, matchesFilter, parseTagFilter } from './log-filter.ts';
export { type LoggedMessage, loggedMessage } from './logged-message.ts';
export { OrderChains } from './order-chain.ts';
export { GapFinder, type SequenceGap } from './sequence-gap.ts';
export { parseTime, TextLogReader } from './text-log.ts';
