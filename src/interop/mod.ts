// Door of the interop room: everything that uses jspurefix, a FIX engine that is not ours. It drives the demonstration and
// the interoperability tests and reads dictionary formats; the gateway itself never loads it.

export { runDemo } from './demo.ts';
export type { ImportedDictionary } from './dictionary-import.ts';
export { importRepository } from './dictionary-import.ts';
export { Oms } from './oms.ts';
export { SequenceStore } from './sequence-store.ts';
