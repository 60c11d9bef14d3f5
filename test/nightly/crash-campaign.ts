// 500 kills of a gateway process at random moments and at its N-th fdatasync: `npm run nightly -- crash-campaign [kills] [seed]`.
// In rounds, each with a house and a seed of its own: a round that fails is named and the others still run.

import { crashCampaign } from '../support/campaigns/crash-campaign.ts';
import { canAttach } from '../support/campaigns/injection.ts';

const KILLS_PER_ROUND = 100;

/** Whether everything agreed in the end. */
export async function run([kills = '500', seed = String(Date.now() % 1_000_000)]: readonly string[]): Promise<boolean> {
  console.log(`${kills} kills, seed ${seed}`);
  const atSyncs = await canAttach();
  if (!atSyncs) console.log('strace is not there: every kill comes at a random moment');
  const wanted = Number(kills);
  let held = true;
  for (let done = 0, round = Number(seed); done < wanted; done += KILLS_PER_ROUND, round++) {
    const count = Math.min(KILLS_PER_ROUND, wanted - done);
    const onKill = (kill: number): void => {
      if (kill % 10 === 0) console.log(`${done + kill} of ${kills}`);
    };
    try {
      console.log(JSON.stringify(await crashCampaign({ kills: count, seed: round, atSyncs, onKill })));
    } catch (error) {
      held = false;
      console.error(`seed ${round}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return held;
}
