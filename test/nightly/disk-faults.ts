// ENOSPC and EIO at every write and sync of a short run of a gateway process, once and for good:
// `npm run nightly -- disk-faults [positions] [seed]`.

import { type CrashCampaignResult, crashCampaign, type DiskError } from '../support/campaigns/crash-campaign.ts';
import { canAttach } from '../support/campaigns/injection.ts';

/** Whether everything agreed in the end, and every error struck. */
export async function run([
  positions = '24',
  seed = String(Date.now() % 1_000_000),
]: readonly string[]): Promise<boolean> {
  if (!(await canAttach())) {
    console.error('strace is not there, or may not attach');
    return false;
  }
  const diskErrors: DiskError[] = [];
  for (let at = 1; at <= Number(positions); at++) {
    for (const call of ['pwrite64', 'fdatasync'] as const) {
      for (const error of ['ENOSPC', 'EIO'] as const) {
        diskErrors.push({ call, error, at });
        if (at % 8 === 1) diskErrors.push({ call, error, at, stays: true });
      }
    }
  }
  console.log(`${diskErrors.length} disk errors, seed ${seed}`);
  const onKill = (done: number): void => {
    if (done % 10 === 0) console.log(`${done} of ${diskErrors.length}`);
  };
  try {
    const result: CrashCampaignResult = await crashCampaign({
      kills: 0,
      seed: Number(seed),
      atSyncs: false,
      diskErrors,
      onKill,
    });
    console.log(JSON.stringify(result));
    return result.struck === diskErrors.length;
  } catch (error) {
    console.error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
