// Door of the store room: journals behind one port.

export type {
  AuditRecord,
  Durability,
  ExchangeInputRecord,
  Journal,
  JournalEntry,
  JournalRecord,
  NonceRecord,
  OrderRecord,
  RecoveredJournal,
} from './port.ts';
