// The latest alarms for a page that has room for a few: of each name the newest, so that a hundred orders that wait do not
// push off the disk that they wait for. All of them stand in the alarms of the admin API and on the log.

import type { Alarm } from '../../engine/mod.ts';

/** An alarm, and how many older ones of its name are left out behind it. */
export type ShownAlarm = Alarm & { readonly more?: number };

const OF_EACH_NAME = 5;

/** At most `limit` of the alarms, the latest first as they come. */
export function alarmsInShort(alarms: readonly Alarm[], limit: number): ShownAlarm[] {
  const seen = new Map<string, number>();
  for (const { alarm } of alarms) seen.set(alarm, (seen.get(alarm) ?? 0) + 1);
  const left = new Map(seen);
  const shown: ShownAlarm[] = [];
  for (const each of alarms) {
    const [total, behind] = [seen.get(each.alarm) ?? 0, (left.get(each.alarm) ?? 0) - 1];
    left.set(each.alarm, behind);
    const place = total - behind;
    if (place > OF_EACH_NAME) continue;
    shown.push(place === OF_EACH_NAME && behind > 0 ? { ...each, more: behind } : each);
    if (shown.length === limit) break;
  }
  return shown;
}
