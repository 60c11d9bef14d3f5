// Door of the store room: journals behind one port.

export { WITNESS_FILE } from './embedded/durability-witness.ts';
export { type EmbeddedJournalOptions, SEGMENT_BYTES_MAX } from './embedded/journal-options.ts';
export { isJournalOwned } from './embedded/lock.ts';
export { openJournal } from './embedded/open-journal.ts';
export { hasEnded, lives, markOfThisProcess } from './embedded/process-mark.ts';
export { giveToOwner, giveToOwnerOfFolder, makeFolder } from './folder.ts';
export type {
  HistoryEntry,
  HistoryPage,
  HistoryPlace,
  HistoryQuery,
  SearchedJournal,
} from './history/history-query.ts';
export { HistoryThread } from './history/history-thread.ts';
export { JournalHistory } from './history/journal-history.ts';
export { searchRows } from './history/rows-history.ts';
export { isOwedReset, JournalState } from './journal-state.ts';
export { MemoryStorage, openMemoryJournal } from './memory-journal.ts';
export { openMemoryStore } from './memory-store.ts';
export type {
  AuditRecord,
  DamageAcceptedRecord,
  Durability,
  ExchangeInputRecord,
  Journal,
  JournalEntry,
  JournalRecord,
  KeptTexts,
  NonceRecord,
  OrderRecord,
  RecoveredJournal,
} from './port.ts';
export { type Conversion, convertBlocks } from './postgres/convert.ts';
export { inspectRows, type RowsPlace, readRowJournal, verifyRows, writerOfRows } from './postgres/inspection.ts';
export { openPostgresJournal } from './postgres/journal.ts';
export { copyRows, journalsIn, type KnownJournal } from './postgres/journals.ts';
export { JournalHeld, JournalNotGiven } from './postgres/lease.ts';
export { SharedRows } from './postgres/shared-rows.ts';
export { standBy } from './postgres/standby.ts';
export { type DamagedPlace, type JournalDamage, placeInWords, remedyOfPlace } from './segments/damage.ts';
export {
  importInWords,
  inspectJournal,
  type JournalInspection,
  type JournalVerification,
  onlyInSnapshot,
  verifyJournal,
} from './segments/inspection.ts';
export { followJournal } from './segments/journal-follower.ts';
export { readJournal } from './segments/journal-reader.ts';
export { sessionsInWords } from './sessions-in-words.ts';
export { absentInWords, absentSegments } from './snapshots/archive-files.ts';
