// A request that fits in all but one place: what reads it gets as far as that place, which it hardly does where all is random.

import fc from 'fast-check';

export interface Change {
  /** Which value, of all that there are, however deep. */
  readonly at: number;
  readonly isGone: boolean;
  readonly value: unknown;
}

/** One change, to one of `values`. */
export function oneChange(values: fc.Arbitrary<unknown>): fc.Arbitrary<Change> {
  return fc.record({ at: fc.nat(1_000), isGone: fc.nat(4).map((n) => n === 4), value: values });
}

/** A copy with one value of it replaced or gone; the same where there is none, or no change. */
export function changed(json: unknown, change: Change | null): unknown {
  const copy = structuredClone(json);
  const places: { readonly of: Record<string, unknown>; readonly name: string }[] = [];
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    for (const [name, inner] of Object.entries(each)) {
      places.push({ of: each as Record<string, unknown>, name });
      visit(inner);
    }
  };
  visit(copy);
  if (change === null || places.length === 0) return copy;
  const { of, name } = places[change.at % places.length]!;
  if (change.isGone) delete of[name];
  else of[name] = change.value;
  return copy;
}
