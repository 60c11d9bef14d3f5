// Door of the administration room: what operators see of a running gateway and do with it.

export { type AdministeredEngine, loadGateway, startEngine } from './administered-engine.ts';
export type { Administration, ExchangeLoginView, Health } from './administration.ts';
export type { HistoryFilter, PastAction, PastMessage, PastPage } from './history.ts';
export type { AdoptedOrder, AdoptionRequest, AdoptionResult } from './order-adoption.ts';
export { atNextLogon, type SessionChanges } from './session-changes.ts';
export type { DecodedMessage, SessionView } from './session-view.ts';
