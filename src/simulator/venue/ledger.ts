// Balances of all trading accounts, exact: what an account owns and how much of it open orders keep locked.
// Every movement has two ends, so that the sum over all accounts never changes.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { AccountSpec } from '../world/world.ts';
import { ZERO } from './order.ts';

/** One asset of one account. `total` may be negative where borrowing was allowed. */
export interface Balance {
  readonly total: Decimal;
  readonly locked: Decimal;
}

interface MutableBalance {
  total: Decimal;
  locked: Decimal;
}

export class Ledger {
  private readonly accounts = new Map<string, { spec: AccountSpec; assets: Map<string, MutableBalance> }>();
  /** Accounts and assets that changed since `takeChanged`. */
  private readonly changed = new Set<string>();

  open(spec: AccountSpec): void {
    const assets = new Map<string, MutableBalance>();
    for (const [asset, amount] of Object.entries(spec.balances)) {
      assets.set(asset, { total: Decimal.of(amount), locked: ZERO });
    }
    this.accounts.set(spec.tradingAccountId, { spec, assets });
  }

  account(tradingAccountId: string): AccountSpec | null {
    return this.accounts.get(tradingAccountId)?.spec ?? null;
  }

  *accountIds(): Iterable<string> {
    yield* this.accounts.keys();
  }

  balance(tradingAccountId: string, asset: string): Balance {
    return this.accounts.get(tradingAccountId)?.assets.get(asset) ?? { total: ZERO, locked: ZERO };
  }

  assets(tradingAccountId: string): string[] {
    return [...(this.accounts.get(tradingAccountId)?.assets.keys() ?? [])];
  }

  available(tradingAccountId: string, asset: string): Decimal {
    const { total, locked } = this.balance(tradingAccountId, asset);
    return total.subtract(locked);
  }

  /** Whether `amount` may be taken or locked: enough is available, or the account may go below zero. */
  affords(tradingAccountId: string, asset: string, amount: Decimal, allowBorrow: boolean): boolean {
    if (allowBorrow || this.accounts.get(tradingAccountId)?.spec.unlimited === true) return true;
    return this.available(tradingAccountId, asset).compare(amount) >= 0;
  }

  /** Lock (or with a negative amount release) a part of a balance. */
  lock(tradingAccountId: string, asset: string, amount: Decimal): void {
    if (amount.isZero()) return;
    const entry = this.entry(tradingAccountId, asset);
    entry.locked = entry.locked.add(amount);
    assert(!entry.locked.isNegative(), 'no more is released than was locked');
  }

  /** Move `amount` of an asset between accounts. */
  move(from: string, to: string, asset: string, amount: Decimal): void {
    assert(!amount.isNegative(), 'a movement is not negative');
    if (amount.isZero()) return;
    const source = this.entry(from, asset);
    source.total = source.total.subtract(amount);
    const target = this.entry(to, asset);
    target.total = target.total.add(amount);
  }

  /** Accounts and assets changed since the last call. */
  takeChanged(): { tradingAccountId: string; asset: string }[] {
    const out = [...this.changed].map((key) => {
      const at = key.indexOf('/');
      return { tradingAccountId: key.slice(0, at), asset: key.slice(at + 1) };
    });
    this.changed.clear();
    return out;
  }

  private entry(tradingAccountId: string, asset: string): MutableBalance {
    const account = this.accounts.get(tradingAccountId);
    assert(account !== undefined, 'the account exists');
    this.changed.add(`${tradingAccountId}/${asset}`);
    let found = account.assets.get(asset);
    if (found === undefined) {
      found = { total: ZERO, locked: ZERO };
      account.assets.set(asset, found);
    }
    return found;
  }
}
