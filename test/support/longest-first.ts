// The order of test files: those that take longest come first, so that no worker is left alone with one of them at the end.
// Vitest knows how long files took on this machine only where it ran before; a fresh checkout has this list.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of fourteen seconds and more on a slow machine, longest first, and no two that start a database next to each other. */
export const LONGEST = [
  'store/scenarios/postgres-gateway',
  'e2e/crash-campaign',
  'simulation/simulation',
  'cluster/nodes/cluster',
  'library/examples',
  'ops/scenarios/console',
  'e2e/older-journal',
  'ops/scenarios/commands',
  'e2e/recovery',
  'store/postgres/journal',
  'cli/journal/store',
  'e2e/newcomer',
  'cli/options/ended-by-bug',
  'e2e/store-migration',
  'e2e/damaged-journal',
  'e2e/replay',
  'store/postgres/retention',
  'container/image',
  'cli/scenarios/other-version',
  'e2e/drop-copy',
  'e2e/frozen-disk',
  'cli/log/decode',
  'store/embedded/disk-faults',
  'e2e/demo-day',
  'session/scenarios/cut-at-every-frame',
  'store/snapshots/snapshot',
  'store/snapshots/snapshot-faults',
  'e2e/oms-day',
  'store/scenarios/kill',
  'store/embedded/embedded-journal',
  'exchange-client/scenarios/faults',
  'store/postgres/postgres-every-frame',
  'store/scenarios/start-errors',
  'e2e/schedule',
  'store/embedded/disk-failure',
  'cli/options/environment',
  'ops/scenarios/start-after',
  'store/segments/damaged-middle',
  'cli/admin/session-secret',
  'e2e/state-changes',
  'wire/properties',
  'gateway/scenarios/days/kinds-day',
  'e2e/exchange-restart',
  'store/segments/damage',
  'ops/scenarios/console-types',
  'library/docstrings',
  'gateway/scenarios/days/absent-day',
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
