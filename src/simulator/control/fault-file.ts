// The fault file: faults armed from the start, in the form that the control endpoint takes (docs/operate/simulated-exchange.md), as YAML or JSON.

import { CrossgateError } from '../../base/errors.ts';
import { Refusal } from '../rest/refusal.ts';
import { readPlainFile } from '../world/plain-file.ts';
import { faultSettings } from './fault-reading.ts';
import type { FaultSettings } from './faults.ts';

/** Load a fault file. @throws CrossgateError if it cannot be read or does not fit */
export function loadFaults(path: string): FaultSettings {
  const fields = readPlainFile(path, 'fault');
  try {
    return faultSettings(fields);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const text = `the fault file ${path} cannot be used: ${cause.message}`;
    throw new CrossgateError('XG_SIMULATOR_INVALID', text, { cause });
  }
}
