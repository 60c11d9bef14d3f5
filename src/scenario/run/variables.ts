// Values of the variables of a run: what steps keep, what the host gives, the time.

import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import type { Reference, Template } from '../model.ts';
import { offsetMs } from '../text/template.ts';

/** The host's value of a variable at this moment, for the connection of the step; null if it has none. */
export type HostVariables = (name: string, connection: string) => string | null;

export class Variables {
  private readonly own = new Map<string, string>();
  private readonly presets: ReadonlyMap<string, Template>;
  private readonly host: HostVariables;
  /** Timestamps end at whole seconds, as before FIX.4.2. */
  private readonly wholeSeconds: boolean;
  private readonly caseId: string;

  constructor(presets: ReadonlyMap<string, Template>, host: HostVariables, wholeSeconds: boolean, caseId: string) {
    this.presets = presets;
    this.host = host;
    this.wholeSeconds = wholeSeconds;
    this.caseId = caseId;
  }

  set(name: string, value: string): void {
    this.own.set(name, value);
  }

  resolve(template: Template, now: EpochMs, connection: string): string {
    return template.map((part) => (typeof part === 'string' ? part : this.value(part, now, connection))).join('');
  }

  private value(reference: Reference, now: EpochMs, connection: string): string {
    const { name, offset } = reference;
    if (name === 'now' || name === 'today') {
      const text = formatUtcTimestamp(now + offsetMs(reference));
      return name === 'today' ? text.slice(0, 8) : this.wholeSeconds ? text.slice(0, 17) : text;
    }
    const value = this.known(name, now, connection);
    if (offset === 0) return value;
    // Beyond 15 digits a number of this language is not exact.
    if (/^-?\d{1,15}$/.test(value)) return `${Number(value) + offset}`;
    return `${value}${offset > 0 ? '+' : ''}${offset}`;
  }

  private known(name: string, now: EpochMs, connection: string): string {
    const own = this.own.get(name) ?? this.host(name, connection);
    if (own !== null && own !== undefined) return own;
    if (name === 'case') return this.caseId;
    const preset = this.presets.get(name);
    return preset === undefined ? '' : this.resolve(preset, now, connection);
  }
}
