// Alarms when the exchange refuses requests for their rate or blocks the address, whichever request learned it. For a
// while then no request leaves, orders and cancels included.

import { RareLog } from '../log-throttle.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RateRefusal } from './rate-budget.ts';

/** Every request under way hears it at once: it is said once a minute, with how often it was heard since. */
export function rateAlarm(
  options: Pick<ResolvedOptions, 'log' | 'elapsedMs' | 'onAlarm'>,
): (kind: RateRefusal) => void {
  const rare = new RareLog(options);
  return (kind) => {
    const unsaid = rare.due(kind);
    if (unsaid === null) return;
    const again = unsaid === 0 ? '' : `, ${unsaid} times since it was last said`;
    if (kind === 'rate-limited') {
      options.onAlarm('rate-limited', `the exchange answered 429: its rate limit was reached${again}`, {});
    } else options.onAlarm('address-blocked', `the exchange blocks this address (403 with a page)${again}`, {});
  };
}
