// The package's one public door: Crossgate as a library.

export type { EngineConfig, EngineLog, EngineOptions } from './engine/mod.ts';
export { Engine, startEngine } from './engine/mod.ts';
