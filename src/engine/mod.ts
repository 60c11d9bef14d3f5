// Door of the engine room: FIX sessions over sockets, clock and journal, and the library on them. Knows no exchange.

export { DictionaryInvalid } from '../dictionary/mod.ts';
export {
  dayOfDate,
  ianaZoneOf,
  isTimeZone,
  type MessageRateSettings,
  overlappingWindows,
  type ScheduleSettings,
  sendsLogonText,
  sessionIDOf,
} from '../session/mod.ts';
export { giveToOwnerOfFolder, makeFolder, SEGMENT_BYTES_MAX } from '../store/mod.ts';
export type { Application, ApplicationInput, InputRecorder, InputUnderWay, Turn } from './application.ts';
export type {
  ActionResult,
  Counterparty,
  EngineLimits,
  EngineLog,
  ListenerConfig,
  LogonAccess,
  LogonRefusal,
  LogonSignature,
  SecretReference,
  SessionSetup,
  SessionTemplate,
  TlsConfig,
} from './config.ts';
export { HttpsDoor } from './connections/https-door.ts';
export { CIPHERS_DEFAULT, ciphersFault, pairFault } from './connections/listener-tls.ts';
export { isPassphraseIdle, type KeyReferences, privateKeyFault, readPrivateKey } from './connections/private-key.ts';
export type { Elsewhere, HandedConnection } from './connections/relay.ts';
export { revocationsIn } from './connections/revocation-list.ts';
export { atOnce, inTurns, type Steps } from './cooperative-steps.ts';
export {
  type FileStoreOptions,
  type FixEngine,
  fileStore,
  memoryStore,
  startAcceptor,
  startInitiator,
} from './library/fix-engine.ts';
export {
  type AcceptorOptions,
  FIX_LIMITS,
  FIX_SESSION_DEFAULTS,
  type FixSessionOptions,
  type InitiatorOptions,
} from './library/fix-engine-options.ts';
export { type Field, Fields, type FieldValue, FixMessage, newMessage } from './library/fix-message.ts';
export { type FixApplication, FixSession } from './library/fix-session.ts';
export { isNetwork } from './logon/authentication.ts';
export { HashQueueFull } from './logon/hash-queue.ts';
export { bringOver, changedPasswords } from './logon/journal-passwords.ts';
export { logonSigner, publicKeyOf } from './logon/logon-signature.ts';
export {
  CHOSEN_PASSWORD_COST,
  hashPassword,
  isPasswordHash,
  matches as matchesPassword,
  RANDOM_SECRET_COST,
} from './logon/password-hash.ts';
export { type ChangedPasswordStore, Passwords } from './logon/passwords.ts';
export { configuredPassword, isBrokenHash, replacedPasswordText } from './logon/replaced-password.ts';
export { type Alarm, type SessionObserver, UNOBSERVED } from './observer.ts';
export { BUSY_POLL_MICROS_DEFAULT } from './sessions/busy-poll.ts';
export { closesJournal, recorded, until } from './sessions/closing.ts';
export type { CommitQueue, Consequence } from './sessions/commit-queue.ts';
export {
  DELIVERED_DICTIONARIES,
  dictionaryFiles,
  joinVersions,
  loadVersion,
  loadVersions,
  ORDER_VERSIONS,
  strayOverlays,
  type VersionDictionaries,
  validatorSwitches,
  versionOf,
  versionsIn,
} from './sessions/dictionaries.ts';
export type { Dispatcher } from './sessions/dispatcher.ts';
export { JournalHealth } from './sessions/journal-health.ts';
export { isWithinSession, type NumbersRequest, numbersRefusal, wantedNumbers } from './sessions/numbers-request.ts';
export type { RecentMessage, RecentMessages } from './sessions/recent-messages.ts';
export { type EngineAddress, type PreparedSession, SessionEngine } from './sessions/session-engine.ts';
export type { SessionSlot } from './sessions/session-slot.ts';
export { isTemplate, presentSessions, type Templates } from './sessions/templates.ts';
export { networks } from './settings/logon-schema.ts';
export { FIX_CREDENTIALS, FIX_PARTIES, FIX_PROTOCOL } from './settings/session-schema.ts';
export { AdminTls, BridgeTls, ListenerTls, type TlsSettings } from './settings/tls-schema.ts';
