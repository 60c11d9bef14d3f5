// The package's one public door: Crossgate as a library. The gateway as a whole, and the vocabulary of FIX with the codec
// beneath it.

export { type Dictionary, loadDictionary, toDecodedLine, Validator } from './dictionary/mod.ts';
export type { EngineConfig, EngineLog, EngineOptions } from './engine/mod.ts';
export { Engine, startEngine } from './engine/mod.ts';
export * from './wire/mod.ts';
