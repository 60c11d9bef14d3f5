// The fault file: faults armed from the start, in the form that the control endpoint takes (README.md), as YAML or JSON.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CrossgateError } from '../base/errors.ts';
import type { FaultSettings } from './faults.ts';
import { Refusal } from './refusal.ts';
import { faultSettings } from './rest-control.ts';

/** Load a fault file. @throws CrossgateError if it cannot be read or does not fit */
export function loadFaults(path: string): FaultSettings {
  try {
    const data: unknown = parse(readFileSync(path, 'utf8'));
    if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new Error('not a list of settings');
    return faultSettings(data as Readonly<Record<string, unknown>>);
  } catch (cause) {
    const why = cause instanceof Refusal ? `: ${cause.message}` : '';
    throw new CrossgateError('XG_SIMULATOR_INVALID', `the fault file ${path} cannot be used${why}`, { cause });
  }
}
