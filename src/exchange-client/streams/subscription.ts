// Requests and frames of a stream. Owners interpret frames.

export interface Subscription {
  readonly topic: string;
  readonly symbol?: string;
  readonly assetSymbol?: string;
  readonly tradingAccountId?: string;
}

/** A data frame: `data` is one object or, in snapshots, an array. */
export interface StreamFrame {
  readonly type: 'snapshot' | 'update' | 'error';
  readonly dataType: string;
  readonly tradingAccountId: string | null;
  readonly data: unknown;
}

/** A frame with a long list, which is read while it is processed. */
export interface LongFrame extends Omit<StreamFrame, 'data'> {
  /** Some entries with each `next`. */
  readonly entries: () => Generator<readonly unknown[], void>;
}

/** The account or the market that a subscription is of; null for none. */
export function subjectOf({ tradingAccountId, symbol, assetSymbol }: Subscription): string | null {
  return tradingAccountId ?? symbol ?? assetSymbol ?? null;
}

/** The same for the same subscription. */
export function nameOf({ topic, symbol = '', assetSymbol = '', tradingAccountId = '' }: Subscription): string {
  return `${topic} ${symbol} ${assetSymbol} ${tradingAccountId}`;
}
