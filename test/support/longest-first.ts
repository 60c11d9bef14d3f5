// The order of test files: those that take longest come first, so that no worker is left alone with one of them at the end.
// Vitest knows how long files took on this machine only where it ran before; a fresh checkout has this list.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of half a minute and more, longest first. */
export const LONGEST = [
  'store/postgres-gateway',
  'e2e/crash-campaign',
  'simulation/simulation',
  'e2e/older-journal',
  'e2e/recovery',
  'store/postgres-journal',
  'e2e/store-migration',
  'e2e/disk-faults',
  'e2e/damaged-journal',
  'e2e/replay',
  'container/image',
  'ops/console',
  'e2e/schedule',
  'e2e/drop-copy',
  'e2e/oms-day',
  'dictionary/versions',
  'exchange-client/faults',
  'cli/decode',
] as const;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
}
