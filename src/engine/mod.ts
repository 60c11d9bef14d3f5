// Door of the engine room: runs the pure machines over sockets, clock, journal and exchange.

export type {
  CredentialConfig,
  EngineConfig,
  EngineLimits,
  EngineLog,
  EngineSessionConfig,
  ExchangeConfig,
  ListenerConfig,
  SecretReference,
  TlsConfig,
} from './config.ts';
export { type Alarm, Engine, type EngineAddress, type EngineOptions, startEngine } from './engine.ts';
export { readCredential } from './exchange-clients.ts';
