// The first search by ClOrdID in a large journal: `npm run nightly -- history [megabytes]`.

import { historyCampaign } from '../support/campaigns/history-campaign.ts';

/** Of one page of the console, on a quiet machine. */
const SEARCH_MS_MAX = 2_000;

/** Whether every search found its order in time. */
export async function run([megabytes = '1024']: readonly string[]): Promise<boolean> {
  const bytes = Number(megabytes) * 1_048_576;
  const found = await historyCampaign({ bytes, segmentBytes: 67_108_864 });
  const { withoutIds, makingIds, idBytes, withIds, wrong } = found;
  const ms = (value: number): string => `${Math.round(value)} ms`;
  console.log(`${Math.round(found.bytes / 1_048_576)} MiB in ${found.segments} segments, ${found.orders} orders`);
  console.log(`first search without ids ${ms(withoutIds)}, with them ${ms(withIds)} (at most ${SEARCH_MS_MAX} ms)`);
  console.log(`ids: made in ${ms(makingIds)}, ${Math.round(idBytes / 1024)} KiB`);
  for (const text of wrong) console.error(text);
  return wrong.length === 0 && Math.max(withoutIds, withIds) <= SEARCH_MS_MAX;
}
