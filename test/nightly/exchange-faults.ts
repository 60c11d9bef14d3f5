// Random exchange faults with kill -9: `npm run nightly -- exchange-faults [seconds] [seed] [kills]`, a minute and two
// kills by default. The OMSes' reports are compared with the gateway's and the exchange's orders.

import { faultCampaign } from '../support/campaigns/fault-campaign.ts';

const SHOWN_MAX = 20;

/** Whether OMSes, gateway and exchange agreed. */
export async function run([
  seconds = '60',
  seed = String(Date.now() % 1_000_000),
  kills = '2',
]: readonly string[]): Promise<boolean> {
  console.log(`${seconds} s, ${kills} kills, seed ${seed}`);
  const onKill = (kill: number): void => console.log(`killed ${kill} of ${kills}`);
  const { lines, disagreements, ...figures } = await faultCampaign({
    seed: Number(seed),
    seconds: Number(seconds),
    kills: Number(kills),
    onKill,
  });
  console.log(JSON.stringify(figures));
  for (const each of disagreements.slice(0, SHOWN_MAX)) console.error(each);
  if (disagreements.length > 0) console.error(`${disagreements.length} disagreements; ${lines.join('\n')}`);
  return disagreements.length === 0;
}
