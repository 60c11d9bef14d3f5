// Sixteen kills of a real gateway process while orders and fills run; 500 are `npm run nightly -- crash-campaign`.

import { expect, test } from 'vitest';
import { crashCampaign } from '../support/campaigns/crash-campaign.ts';
import { canAttach } from '../support/campaigns/injection.ts';

const KILLS = Number(process.env.CROSSGATE_KILLS ?? 16);

test(`J1 after ${KILLS} kills at any moment OMS, journal and exchange agree: nothing lost, nothing twice`, async () => {
  const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
  const atSyncs = await canAttach();
  const result = await crashCampaign({ kills: KILLS, seed, atSyncs });
  console.log(JSON.stringify(result));
  expect(result.orders).toBeGreaterThan(KILLS);
  expect(result.fills).toBeGreaterThan(0);
  expect(result.resent).toBeGreaterThan(0);
  if (atSyncs) expect(result.atSyncs).toBeGreaterThan(0);
}, 600_000);
