// Reads reach.yaml: what an institution reaches of the exchange's document, and through which door.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** How something is reached through one door, and the test that does so over real sockets. */
export interface ReachCell {
  readonly how: string;
  /** Key in `tests`. */
  readonly test: string;
}

export interface ReachRow {
  readonly name: string;
  readonly fix?: ReachCell;
  readonly bridge?: ReachCell;
  /** Why no door reaches it. */
  readonly neither?: string;
}

export const REACH_PARTS = ['endpoints', 'commands', 'topics', 'fields'] as const;

export type Reach = Readonly<Record<(typeof REACH_PARTS)[number], readonly ReachRow[]>> & {
  readonly tests: Readonly<Record<string, { readonly file: string; readonly title: string }>>;
};

export function readReach(): Reach {
  return parse(readFileSync(new URL('./reach.yaml', import.meta.url), 'utf8')) as Reach;
}
