// 500 kills of a gateway process at random moments and at its N-th fdatasync: `npm run nightly -- crash-campaign [kills] [seed]`.

import { canAttach, crashCampaign } from '../support/crash-campaign.ts';

/** Whether everything agreed in the end. */
export async function run([kills = '500', seed = String(Date.now() % 1_000_000)]: readonly string[]): Promise<boolean> {
  console.log(`${kills} kills, seed ${seed}`);
  const onKill = (kill: number): void => {
    if (kill % 10 === 0) console.log(`${kill} of ${kills}`);
  };
  try {
    const atSyncs = await canAttach();
    if (!atSyncs) console.log('strace is not there: every kill comes at a random moment');
    const result = await crashCampaign({ kills: Number(kills), seed: Number(seed), atSyncs, onKill });
    console.log(JSON.stringify(result));
    return true;
  } catch (error) {
    console.error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
