// Risk limits that a changed configuration raises (rule O12), for gateways where two operators must agree. ops asks them.

import { Decimal } from '../base/decimal.ts';
import type { RiskLimits } from '../gateway/mod.ts';
import { type EngineSessionConfig, sessionName } from '../runtime/mod.ts';

/** A limit as a number to compare; null for none at all. */
const READINGS: Readonly<Record<keyof RiskLimits, (limits: RiskLimits) => string | null>> = {
  orderQtyMax: ({ orderQtyMax }) => orderQtyMax,
  notionalMax: ({ notionalMax }) => notionalMax,
  openOrdersMax: ({ openOrdersMax }) => String(openOrdersMax),
  priceBandPercent: ({ priceBandPercent }) => priceBandPercent,
  referencePriceAgeMaxMs: ({ referencePriceAgeMaxMs }) => String(referencePriceAgeMaxMs),
  ordersPerSecondMax: ({ ordersPerSecondMax = 0 }) => (ordersPerSecondMax === 0 ? null : String(ordersPerSecondMax)),
};

/** Each raised limit in words. A session that is new raises what may be traded, too. */
export function raisedLimits(
  running: ReadonlyMap<string, EngineSessionConfig>,
  wanted: readonly EngineSessionConfig[],
): string[] {
  return wanted.flatMap((session) => {
    if (session.gateway.kind !== 'order') return [];
    const before = running.get(session.session.sessionId)?.gateway.limits;
    const name = sessionName(session);
    if (before === undefined) return [`session ${name} is new`];
    const raised = Object.entries(READINGS).filter(([, read]) => isRaised(read(before), read(session.gateway.limits)));
    return raised.map(
      ([key, read]) =>
        `session ${name} limits.${key} ${read(before) ?? 'none'} → ${read(session.gateway.limits) ?? 'none'}`,
    );
  });
}

function isRaised(before: string | null, after: string | null): boolean {
  if (before === null) return false;
  return after === null || Decimal.of(after).compare(Decimal.of(before)) > 0;
}
