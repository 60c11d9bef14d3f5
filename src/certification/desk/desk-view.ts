// A certification as people and programs see it.

import { type CaseResult, decidingStep, type Verdict } from '../run/case-result.ts';
import type { Group } from '../suite/features.ts';
import type { Obligation } from '../suite/profile.ts';

export interface CaseView {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly rule: string;
  readonly obligation: Obligation;
  /** Null: not played under these rules of engagement. */
  readonly result: CaseResult | null;
}

export interface RunningView {
  readonly id: string;
  readonly title: string;
  /** Counted from 1, and of how many. */
  readonly step: number;
  readonly steps: number;
  readonly text: string;
  /** The last request to the tester; null: none yet. */
  readonly instruction: string | null;
}

export interface Totals {
  readonly mandatory: number;
  readonly passed: number;
  readonly failed: number;
  /** Not judged, as our own side failed: they have to be played again. */
  readonly broken: number;
  /** Not played. */
  readonly open: number;
  readonly optional: number;
  readonly optionalPassed: number;
  readonly notApplicable: number;
}

export interface DeskView {
  readonly name: string;
  readonly suite: string;
  readonly sessionId: string;
  readonly beginString: string;
  readonly dialect: 'standard' | 'venue';
  readonly kind: 'order' | 'dropCopy';
  /** Digest of the rules of engagement and the suite. */
  readonly rules: string;
  readonly connected: boolean;
  readonly loggedOn: boolean;
  /** The OMS takes requests in News(B). */
  readonly takesNews: boolean;
  /** Abilities that the profile names; null: there is no profile yet, and all are assumed. */
  readonly abilities: readonly string[];
  readonly hasProfile: boolean;
  readonly running: RunningView | null;
  /** Cases that follow the one under way. */
  readonly queue: readonly string[];
  readonly cases: readonly CaseView[];
  readonly totals: Totals;
  /** All mandatory cases are passed. */
  readonly certified: boolean;
}

export function totalsOf(cases: readonly CaseView[]): Totals {
  const count = (obligation: Obligation, verdicts: readonly (Verdict | null)[]): number =>
    cases.filter((one) => one.obligation === obligation && verdicts.includes(one.result?.verdict ?? null)).length;
  const all: readonly (Verdict | null)[] = ['pass', 'fail', 'missing', 'broken', null];
  return {
    mandatory: count('mandatory', all),
    passed: count('mandatory', ['pass']),
    failed: count('mandatory', ['fail', 'missing']),
    broken: count('mandatory', ['broken']),
    open: count('mandatory', [null]),
    optional: count('optional', all),
    optionalPassed: count('optional', ['pass']),
    notApplicable: count('not applicable', all),
  };
}

/** Totals of the mandatory cases in one line. Older scorecards count no broken ones. */
export function totalsInWords({ passed, mandatory, failed, broken = 0, open }: Totals): string {
  const notJudged = broken > 0 ? `, ${broken} not judged (play them again)` : '';
  return `${passed} of ${mandatory} mandatory cases passed, ${failed} failed${notJudged}, ${open} not played.`;
}

/** The view for a page that is drawn each second: of each result the deciding step alone, without evidence. */
export function briefView(view: DeskView): DeskView {
  const cases = view.cases.map((one): CaseView => {
    const { result } = one;
    if (result === null) return one;
    const deciding = decidingStep(result);
    return { ...one, result: { ...result, steps: deciding === null ? [] : [{ ...deciding, evidence: [] }] } };
  });
  return { ...view, cases };
}
