// The schema of a session's data of accounts: positions, collateral, trades. Part of session-schema.ts. The gateway room
// answers the requests.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, whole, yesNo } from '../../base/schema-node.ts';
import type { AccountDataSettings } from '../../runtime/mod.ts';

export const AccountDataSchema = Type.Object(
  {
    enabled: yesNo(true, 'Whether the session may ask for data of its `accounts`; else the requests are refused.'),
    refreshMs: whole(
      1_000,
      3_600_000,
      30_000,
      'A subscription is answered again after a fill, and after so many milliseconds if something has changed.',
    ),
    subscriptionsMax: whole(0, 1_000, 20, 'Most subscriptions of the session at once.'),
    tradesMax: whole(1, 100_000, 1_000, 'Most trades in the answer to one request.'),
  },
  { ...CLOSED, default: {}, description: 'Positions, collateral and trades of its accounts over FIX.' },
);

/** The gateway's form of it; null for a session that may not ask. */
export function accountDataSettings(settings: Static<typeof AccountDataSchema>): AccountDataSettings | null {
  const { enabled, ...limits } = settings;
  return enabled ? limits : null;
}
