// The order of test files: those that take longest come first, so that no worker is left alone with one of them at the end.
// Vitest knows how long files took on this machine only where it ran before; a fresh checkout has this list.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of ten seconds and more, longest first. */
export const LONGEST = [
  'store/postgres-gateway',
  'e2e/crash-campaign',
  'simulation/simulation',
  'e2e/recovery',
  'e2e/older-journal',
  'store/postgres-journal',
  'e2e/store-migration',
  'ops/console',
  'e2e/newcomer',
  'e2e/drop-copy',
  'e2e/oms-day',
  'e2e/demo-day',
  'e2e/replay',
  'interop/jspurefix-reset',
  'e2e/disk-faults',
  'e2e/damaged-journal',
  'ops/commands',
  'library/readme',
  'container/image',
  'store/kill',
  'store/disk-failure',
  'store/snapshot',
  'e2e/state-changes',
  'e2e/schedule',
  'dictionary/counterparties',
  'dictionary/versions',
  'wire/properties',
  'cli/decode',
  'e2e/market-data',
  'engine/rehearsal',
  'cli/store',
  'exchange-client/faults',
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
