// A sample of `npm run nightly -- disk-faults`: writes and syncs of a real gateway process fail.

import { expect, test } from 'vitest';
import { crashCampaign, type DiskError } from '../support/crash-campaign.ts';
import { attachable } from '../support/injection.ts';
import { describeWith } from '../support/requirement.ts';
import { seedOfTest } from '../support/seeded-property.ts';

const diskErrors: readonly DiskError[] = [
  { call: 'pwrite64', error: 'ENOSPC', at: 1 },
  { call: 'fdatasync', error: 'EIO', at: 2 },
  { call: 'pwrite64', error: 'EIO', at: 3 },
  { call: 'pwrite64', error: 'ENOSPC', at: 1, stays: true },
];

describeWith(await attachable(), 'with strace', () => {
  test('J2 disk errors lose no acknowledged order and double none; orders are refused and resume', async () => {
    const seed = seedOfTest();
    const result = await crashCampaign({ kills: 0, seed, atSyncs: false, diskErrors });
    expect(result.struck).toBe(diskErrors.length);
    expect(result.refused).toBeGreaterThan(0);
  }, 300_000);
});
