// Plays the cases of a run one after the other over one session: its numbers last from case to case.

import { type ScriptedIdentity, ScriptedSession } from '../../scenario/mod.ts';
import type { DataFields } from '../../wire/mod.ts';
import { CasePlayer, type CaseResult } from './case-player.ts';
import type { Endpoint } from './endpoint.ts';
import type { SuiteCase } from './suite-files.ts';

export interface SuitePlayerOptions {
  readonly endpoint: Endpoint;
  readonly identity: ScriptedIdentity;
  /** `FIX.4.4`, `FIX.5.0SP2`. */
  readonly version: string;
  readonly dataFields: DataFields;
  readonly variables: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
  readonly onSay: (text: string) => void;
}

export class SuitePlayer {
  /** The operator stopped the run. */
  stopped = false;
  private readonly options: SuitePlayerOptions;
  private readonly session: ScriptedSession;
  private current: CasePlayer | null = null;

  constructor(options: SuitePlayerOptions) {
    this.options = options;
    this.session = new ScriptedSession(options.identity);
  }

  /** Play a case; null if it does not apply to the version. */
  async play({ linked, beginString }: SuiteCase): Promise<CaseResult | null> {
    const { identity, version } = this.options;
    if (linked.versions !== null && !linked.versions.includes(version)) return null;
    const own = beginString === null ? identity : { ...identity, beginString };
    this.current = new CasePlayer({
      ...this.options,
      case: linked,
      identity: own,
      session: beginString === null ? this.session : new ScriptedSession(own),
      wholeSeconds: own.beginString < 'FIX.4.2',
      judgesHeader: beginString === null,
    });
    return await this.current.play();
  }

  /** End the present case and begin no other. */
  stop(): void {
    this.stopped = true;
    this.current?.abort('stopped by the operator');
  }
}
