// Door of the exchange-client room: the exchange port over HTTP and WebSocket.

export { type ExchangeCheckOptions, type ExchangeCheckReport, type ExchangeCheckStep, exchangeCheck } from './check.ts';
export { createExchangeClient, type ExchangeClient } from './client.ts';
export type { CommandResult } from './commands/command-lane.ts';
export { signerFault } from './login/credential.ts';
export type { SignerPlace } from './login/external-signer.ts';
export type {
  ClientSettings,
  ClientTimeouts,
  Credential,
  ExchangeAlarm,
  ExchangeClientOptions,
  OpenLogins,
} from './options.ts';
export { AddressBudget, type ClientRates, DEFAULT_RATES } from './rates/rate-budget.ts';
export { askAccount } from './reads/account-data.ts';
export type { ExchangeTls } from './reads/http.ts';
export type { ReadResult } from './reads/read-answers.ts';
export type { MarketFrameListener } from './streams/last-frames.ts';
export type { StreamFrame } from './streams/subscription.ts';
