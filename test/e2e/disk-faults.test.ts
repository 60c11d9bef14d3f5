// A sample of `npm run nightly -- disk-faults`: writes and syncs of a real gateway process fail.

import { expect, test } from 'vitest';
import { crashCampaign, type DiskError } from '../support/campaigns/crash-campaign.ts';
import { attachable } from '../support/campaigns/injection.ts';
import { seedOfTest } from '../support/random/seeded-property.ts';
import { describeWith } from '../support/requirement.ts';

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
