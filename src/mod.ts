// The package's one public door: Crossgate as a library. An acceptor or an initiator for an application of one's own, the
// gateway as a whole, and the vocabulary of FIX with the codec beneath it.

export { type AdministeredEngine as Engine, startEngine } from './administration/mod.ts';
export { Decimal } from './base/decimal.ts';
export { CrossgateError, ErrorCode } from './base/errors.ts';
export { type Dictionary, loadDictionary, toDecodedLine, Validator } from './dictionary/mod.ts';
export type {
  Counterparty,
  EngineLimits,
  EngineLog,
  LogonAccess,
  LogonSignature,
  SecretReference,
} from './engine/mod.ts';
export {
  type AcceptorOptions,
  type Alarm,
  FIX_LIMITS,
  FIX_SESSION_DEFAULTS,
  type Field,
  Fields,
  type FieldValue,
  type FileStoreOptions,
  type FixApplication,
  type FixEngine,
  FixMessage,
  FixSession,
  type FixSessionOptions,
  fileStore,
  type InitiatorOptions,
  memoryStore,
  newMessage,
  startAcceptor,
  startInitiator,
} from './engine/mod.ts';
export type { EngineConfig, EngineOptions } from './runtime/mod.ts';
export type { MessageRateSettings, ScheduleSettings, SessionID, SessionNumbers } from './session/mod.ts';
export type { Durability, Journal } from './store/mod.ts';
export * from './wire/mod.ts';
