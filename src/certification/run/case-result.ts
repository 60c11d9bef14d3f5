// The outcome of a case and of its steps, as it is kept, shown and signed.

/** `missing`: not seen in time. `broken`: our own side did not come to it, which says nothing of the OMS. */
export type Verdict = 'pass' | 'fail' | 'missing' | 'broken';

export interface StepResult {
  /** The request or demand of the step, in words. */
  readonly text: string;
  /** Null: not reached. */
  readonly verdict: Verdict | null;
  /** In words what was seen, if it was not what was demanded. */
  readonly detail: string;
  /** The offending tag; null: none in particular. */
  readonly tag: number | null;
  /** The part of the OMS to look at. */
  readonly hint: string;
  /** Messages of both sides during the step. */
  readonly evidence: readonly string[];
}

export interface CaseResult {
  readonly id: string;
  readonly verdict: Verdict;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly steps: readonly StepResult[];
}

/** The step that decided; null if all passed. */
export function decidingStep({ steps }: Pick<CaseResult, 'steps'>): StepResult | null {
  return steps.find(({ verdict }) => verdict !== null && verdict !== 'pass') ?? null;
}
