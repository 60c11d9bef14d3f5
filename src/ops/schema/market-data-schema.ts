// The schema of a session's market data (rule D4). Part of session-schema.ts. The gateway room sends it.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, whole, yesNo } from '../../base/schema-node.ts';
import type { MarketDataSettings } from '../../runtime/mod.ts';

export const MarketDataSchema = Type.Object(
  {
    enabled: yesNo(false, 'Whether MarketDataRequest(V) is answered; else it is turned down (281=3).'),
    symbolsPerRequestMax: whole(1, 1000, 100, 'Most symbols in one request.'),
    subscriptionsMax: whole(1, 5000, 500, 'Most symbols over all subscriptions of the session.'),
  },
  { ...CLOSED, default: {}, description: "Market data over FIX, from the exchange's public feeds (rule D4)." },
);

/** The gateway's form of it; null for a session without market data. */
export function marketDataSettings(settings: Static<typeof MarketDataSchema>): MarketDataSettings | null {
  const { enabled, symbolsPerRequestMax, subscriptionsMax } = settings;
  return enabled ? { symbolsPerRequestMax, subscriptionsMax } : null;
}
