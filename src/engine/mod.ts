// Door of the engine room: runs the pure machines over sockets, clock, journal and exchange.

export { BRIDGE_FUNCTIONS, type BridgeFunction, bridgeTokenFault } from '../bridge/mod.ts';
export type { AuctionPhase } from '../exchange/mod.ts';
export type {
  FoundOrders,
  KillSwitchScope,
  KillSwitchView,
  MarketDataSettings,
  OrderCounts,
  OrderFilter,
  OrderSnapshot,
} from '../gateway/mod.ts';
export {
  dayOfDate,
  isTimeZone,
  type MessageRateSettings,
  overlappingWindows,
  type ScheduleSettings,
  sendsLogonText,
  sessionIDOf,
  WEEKDAYS,
  type Weekday,
} from '../session/mod.ts';
export { giveToOwnerOfFolder, makeFolder, SEGMENT_BYTES_MAX } from '../store/mod.ts';
export { CHARSETS } from '../wire/mod.ts';
export type { Administration, ExchangeLoginView, Health } from './administration.ts';
export { isNetwork } from './authentication.ts';
export type {
  ActionResult,
  Counterparty,
  EngineLimits,
  EngineLog,
  ListenerConfig,
  LogonAccess,
  LogonSignature,
  SecretReference,
  TlsConfig,
} from './config.ts';
export {
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
} from './dictionaries.ts';
export type { Engine, EngineOptions } from './engine.ts';
export { exchangeTls, readCredential } from './exchange-key.ts';
export {
  type FileStoreOptions,
  type FixEngine,
  fileStore,
  memoryStore,
  startAcceptor,
  startInitiator,
} from './fix-engine.ts';
export {
  type AcceptorOptions,
  FIX_LIMITS,
  FIX_SESSION_DEFAULTS,
  type FixSessionOptions,
  type InitiatorOptions,
} from './fix-engine-options.ts';
export { type Field, Fields, type FieldValue, FixMessage, newMessage } from './fix-message.ts';
export { type FixApplication, FixSession } from './fix-session.ts';
export type {
  BridgeConfig,
  CredentialConfig,
  EngineConfig,
  EngineSessionConfig,
  ExchangeConfig,
  PostgresConfig,
} from './gateway-config.ts';
export { startEngine } from './gateway-door.ts';
export type { EngineObserver } from './gateway-observer.ts';
export { atOnce, inTurns, type Steps } from './in-turns.ts';
export { Interruptions } from './interruptions.ts';
export { makeStateDirectory } from './lease.ts';
export { CIPHERS_DEFAULT, ciphersFault, pairFault } from './listener-tls.ts';
export { logonSigner, publicKeyOf } from './logon-signature.ts';
export type { NumbersRequest } from './numbers-request.ts';
export type { AdoptedOrder, AdoptionRequest, AdoptionResult } from './order-adoption.ts';
export {
  CHOSEN_PASSWORD_COST,
  hashPassword,
  isBrokenHash,
  isPasswordHash,
  RANDOM_SECRET_COST,
} from './password-hash.ts';
export { revocationsIn } from './revocation-list.ts';
export type { SessionChanges } from './session-changes.ts';
export type { Alarm, EngineAddress } from './session-engine.ts';
export type { DecodedMessage, SessionView } from './session-view.ts';
