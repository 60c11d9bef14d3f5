// Door of the exchange-client room: the exchange port over HTTP and WebSocket.

export { type ExchangeCheckOptions, type ExchangeCheckReport, type ExchangeCheckStep, exchangeCheck } from './check.ts';
export { createExchangeClient, type ExchangeClient } from './client.ts';
export type { CommandResult } from './command-lane.ts';
export type { ExchangeTls } from './http.ts';
export type {
  ClientSettings,
  ClientTimeouts,
  Credential,
  ExchangeAlarm,
  ExchangeClientOptions,
  OpenLogins,
} from './options.ts';
export { AddressBudget, type ClientRates, DEFAULT_RATES } from './rate-budget.ts';
export type { ReadResult } from './read-answers.ts';
export type { StreamFrame } from './subscription.ts';
