// Door of the interop room: everything that uses jspurefix, a FIX engine that is not ours. It drives the demonstration and
// the interoperability tests; the gateway itself never loads it.

export { runDemo } from './demo.ts';
export { Oms } from './oms.ts';
export { SequenceStore } from './sequence-store.ts';
