// Door of the simulator room: a simulated exchange to run embedded or in its own process.

export type { AuctionSchedule } from './auction-phase.ts';
export type { Control, CounterpartyOrder } from './control.ts';
export type { AnswerFault, Latency, StreamFault } from './faults.ts';
export type { EcdsaKeyFile, HmacKeyFile, KeyFile } from './key-files.ts';
export type { Limits, LiquidityKind, SimulatorOptions } from './settings.ts';
export { type Simulator, startSimulator } from './simulator.ts';
export { type AccountSpec, type AssetSpec, defaultWorld, type MarketSpec, type UserSpec, type World } from './world.ts';
