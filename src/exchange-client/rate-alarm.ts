// What people hear where the exchange refuses requests for their rate or blocks the address, whichever request it was that heard
// it: behind it nothing leaves for a while, orders and cancels neither.

import type { ResolvedOptions } from './options.ts';
import { RareLog } from './rare-log.ts';
import type { RateRefusal } from './rate-budget.ts';

const TEXTS: Readonly<Record<RateRefusal, string>> = {
  'rate-limited': 'the exchange answered 429: its rate limit was reached',
  'address-blocked': 'the exchange blocks this address (403 with a page)',
};

/** Every request under way hears it at once: it is said once a minute, with how often it was heard since. */
export function rateAlarm(
  options: Pick<ResolvedOptions, 'log' | 'elapsedMs' | 'onAlarm'>,
): (kind: RateRefusal) => void {
  const rare = new RareLog(options);
  return (kind) => {
    const unsaid = rare.due(kind);
    if (unsaid === null) return;
    const text = TEXTS[kind];
    options.onAlarm(kind, unsaid === 0 ? text : `${text}, ${unsaid} times since it was last said`, {});
  };
}
