// Steps that a host adds to the language: `tester "…"`, `exchange fill …`.

/** A verb of a host. The run hands its argument over and waits until the host answers. */
export interface Verb {
  /** First word of the step. */
  readonly name: string;
  /** Longest wait for the host's answer, in ms; null: the host always answers. */
  readonly timeoutMs: number | null;
  /** Names of the variables that the step sets with this argument. */
  readonly captures?: (argument: string) => readonly string[];
  /** Why this argument is wrong and what to write, or null. References are not filled in yet. */
  readonly fault: (argument: string) => string | null;
}
