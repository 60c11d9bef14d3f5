// Measurements of the FIX engine that cannot be read from it at any time. The engine calls an observer between two inputs: it adds
// numbers up and returns.

export interface SessionObserver {
  /** A batch of journal frames was handed to the operating system or, `synced`, made to survive power loss. */
  committed(frames: number, ms: number, synced: boolean): void;
  /** Something an operator must know; `alarm` is one of a fixed set of names. */
  alarm(alarm: string): void;
}

export const UNOBSERVED: SessionObserver = {
  committed: () => {},
  alarm: () => {},
};
