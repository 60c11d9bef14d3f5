// Measurements of the FIX engine that cannot be read from it at any time. The engine calls an observer between two inputs: it adds
// numbers up and returns.

import type { EpochMs } from '../base/time.ts';

/** Conditions that operators must know (docs/operate/runbook.md). */
export interface Alarm {
  readonly at: EpochMs;
  /** Its name, which never changes: `slow-consumer`. */
  readonly alarm: string;
  /** In words, for people. */
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface SessionObserver {
  /** A batch of journal frames was handed to the operating system or, `synced`, made to survive power loss. */
  committed(frames: number, ms: number, synced: boolean): void;
  /** Something an operator must know. */
  alarm(alarm: Alarm): void;
}

export const UNOBSERVED: SessionObserver = {
  committed: () => {},
  alarm: () => {},
};
