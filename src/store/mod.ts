// Door of the store room: journals behind one port.

export { absentInWords, absentSegments } from './archive-files.ts';
export { type DamagedPlace, type JournalDamage, placeInWords, remedyOfPlace } from './damage.ts';
export { giveToOwner, giveToOwnerOfFolder, makeFolder } from './folder.ts';
export {
  importInWords,
  inspectJournal,
  type JournalInspection,
  type JournalVerification,
  onlyInSnapshot,
  verifyJournal,
} from './inspection.ts';
export { type EmbeddedJournalOptions, SEGMENT_BYTES_MAX } from './journal-options.ts';
export { readJournal } from './journal-reader.ts';
export { isOwedReset, JournalState } from './journal-state.ts';
export { isJournalOwned } from './lock.ts';
export { MemoryStorage, openMemoryJournal } from './memory-journal.ts';
export { openMemoryStore } from './memory-store.ts';
export { openJournal } from './open-journal.ts';
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
export { inspectRows, type RowsPlace, readRowJournal, verifyRows, writerOfRows } from './postgres-inspection.ts';
export { openPostgresJournal } from './postgres-journal.ts';
export { JournalHeld, JournalNotGiven } from './postgres-lease.ts';
export { standBy } from './postgres-standby.ts';
export { hasEnded, lives, markOfThisProcess } from './process-mark.ts';
export { sessionsInWords } from './sessions-in-words.ts';
export { standBack } from './thread-priority.ts';
export { WITNESS_FILE } from './witness.ts';
export { startWorker } from './worker-thread.ts';
