// The running gateway as its parts see it: what they read of it, and the few things that they ask of it. Leaves building, opening
// and ending it to gateway-engine.ts.

import type { EpochMs } from '../base/time.ts';
import type { Bridge, Feeds, PublicFeeds } from '../bridge/mod.ts';
import type {
  Alarm,
  CommitQueue,
  Dispatcher,
  EngineLog,
  JournalHealth,
  PreparedSession,
  RecentMessages,
  SessionEngine,
  SessionSlot,
  VersionDictionaries,
} from '../engine/mod.ts';
import type { AddressBudget, ExchangeClient } from '../exchange-client/mod.ts';
import type { Gateway, GatewayInput } from '../gateway/mod.ts';
import type { SessionConfig, SessionID } from '../session/mod.ts';
import type { Simulator } from '../simulator/mod.ts';
import type { Journal } from '../store/mod.ts';
import type { DamageGate } from './admission/damage-gate.ts';
import type { LogonGate } from './admission/logon-gate.ts';

import type { CallersCommands } from './callers-commands.ts';
import type { ExchangeLink } from './exchange/exchange-link.ts';
import type { EngineConfig, EngineSessionConfig } from './gateway-config.ts';
import type { EngineObserver } from './gateway-observer.ts';
import type { Interruptions } from './interruptions.ts';
import type { OrderWatch } from './order-times.ts';
import type { RestOrders } from './rest-orders.ts';

export interface RunningEngine {
  readonly config: EngineConfig;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  readonly startedAt: EpochMs;
  readonly journal: Journal;
  readonly journalHealth: JournalHealth;
  readonly gateway: Gateway;
  /** Sessions, their connections, and what is recorded of them. */
  readonly sessions: SessionEngine<GatewayInput, EngineSessionConfig>;
  readonly sessionConfigs: ReadonlyMap<SessionID, EngineSessionConfig>;
  readonly dispatcher: Dispatcher<GatewayInput>;
  readonly commits: CommitQueue;
  /** By version (dictionaries.ts). */
  readonly dictionaries: ReadonlyMap<string, VersionDictionaries>;
  /** Null where the exchange is another one. */
  readonly simulator: Simulator | null;
  readonly alarms: readonly Alarm[];
  /** The last messages of each session. */
  readonly recentMessages: ReadonlyMap<SessionID, RecentMessages>;
  readonly orderWatch: OrderWatch;
  readonly damageGate: DamageGate;
  readonly logonGate: LogonGate;
  /** Inputs that ended earlier processes by a bug. */
  readonly interruptions: Interruptions;
  readonly links: ReadonlyMap<string, ExchangeLink>;
  /** The client of each exchange login, by its name. */
  readonly exchangeClients: Map<string, ExchangeClient>;
  /** The rate of this network address at the exchange; null before the clients are made. */
  addressBudget: AddressBudget | null;
  /** The exchange's streams, for the bridge. */
  readonly feeds: Feeds;
  /** The exchange's public feeds, for the bridge. */
  readonly publicFeeds: PublicFeeds;
  /** Commands of bridge callers that pass the gateway machine. */
  readonly callersCommands: CallersCommands;
  /** Orders by REST, of accounts that take them. */
  readonly restOrders: RestOrders;
  /** Null if none is configured. */
  readonly bridge: Bridge | null;
  /** Observer for measurements. */
  readonly observer: EngineObserver;
  /** Counterparties can connect. */
  readonly isOpen: boolean;
  /** Whether the engine is going down. */
  readonly isClosing: boolean;
  /** Record in the journal, and log, that `who` did this; `fields` stand beside it in the log. */
  audit(who: string, action: string, detail: string, fields?: Readonly<Record<string, string>>): void;
  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void;
  /** Connect the initiators that may log on now (logon-gate.ts); acceptors are asked at each Logon. */
  letIn(): void;
  /** Add a session; its dictionary must be there. @throws CrossgateError XG_CONFIG_INVALID */
  addSession(session: EngineSessionConfig, prepared?: PreparedSession): SessionSlot;
  /** Record the settings that a session has now, its secrets masked: by them its messages can be made again (replay). */
  recordSession(slot: SessionSlot): void;
  /** Load the dictionary of a FIX version unless it is there. @throws CrossgateError XG_DICTIONARY_INVALID */
  provideDictionary(session: SessionConfig): Promise<void>;
}
