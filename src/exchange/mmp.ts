// Market maker protection as values, read leniently from REST answers (exchange catalogue, MmpConfiguration).

import { toAmount, toBoolean, toObject, toText } from './json.ts';

/** The protection of one underlying asset of an account. Limits are decimal strings, null where none is set. */
export interface MmpConfiguration {
  readonly underlyingAssetSymbol: string;
  readonly windowTimeInSeconds: string;
  readonly frozenTimeInSeconds: string;
  readonly quantityLimit: string | null;
  readonly deltaLimit: string | null;
  /** False while orders are frozen, after a limit was reached. */
  readonly isActive: boolean;
}

/** Read the protections of an account; null if the answer is none, or is another account's. */
export function decodeMmpConfigurations(json: unknown, tradingAccountId: string): MmpConfiguration[] | null {
  const answer = toObject(json);
  if (answer === null || toText(answer.tradingAccountId) !== tradingAccountId) return null;
  if (!Array.isArray(answer.mmpConfigurations)) return null;
  return answer.mmpConfigurations.map(decodeMmpConfiguration).filter((one) => one !== null);
}

function decodeMmpConfiguration(json: unknown): MmpConfiguration | null {
  const m = toObject(json);
  const underlyingAssetSymbol = toText(m?.underlyingAssetSymbol);
  const windowTimeInSeconds = toText(m?.windowTimeInSeconds);
  const frozenTimeInSeconds = toText(m?.frozenTimeInSeconds);
  if (m === null || underlyingAssetSymbol === null || windowTimeInSeconds === null || frozenTimeInSeconds === null) {
    return null;
  }
  const limits = { quantityLimit: toAmount(m.quantityLimit), deltaLimit: toAmount(m.deltaLimit) };
  const isActive = toBoolean(m.isActive) ?? false;
  return { underlyingAssetSymbol, windowTimeInSeconds, frozenTimeInSeconds, ...limits, isActive };
}
