// Door of the interop room: everything that uses jspurefix, a FIX engine that is not ours. It drives the demonstration and
// the interoperability tests; the gateway itself never loads it.

export { type DemoOptions, type DemoResult, runDemo } from './demo.ts';
export { Oms, type OmsCancel, type OmsOptions, type OmsOrder, type WireMessage } from './oms.ts';
export { type OmsNumbers, SequenceStore } from './sequence-store.ts';
