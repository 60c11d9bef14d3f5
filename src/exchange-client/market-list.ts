// The markets that the exchange lists: read at the start and again and again, so that what is listed, switched off or given
// other limits later is known without a restart. What a market means for an order is the gateway's.

import type { Market } from '../exchange/mod.ts';
import type { ResolvedOptions } from './options.ts';
import type { Reads } from './reads.ts';

export class MarketList {
  readonly #options: ResolvedOptions;
  readonly #reads: Reads;
  readonly #onChange: (markets: readonly Market[]) => void;
  #markets: readonly Market[] = [];
  /** What was read last, to know a change. */
  #text = '';
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `onChange` is told of every list that differs from the one before, but the first. */
  constructor(options: ResolvedOptions, reads: Reads, onChange: (markets: readonly Market[]) => void) {
    this.#options = options;
    this.#reads = reads;
    this.#onChange = onChange;
  }

  /** As last read. */
  get all(): readonly Market[] {
    return this.#markets;
  }

  /** Read them for the first time; false if they are not to be had. */
  async read(): Promise<boolean> {
    const markets = await this.#reads.markets();
    if (markets === null) return false;
    this.#take(markets);
    return true;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#timer = setInterval(() => void this.#readAgain(), this.#options.timeouts.marketsMs);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #readAgain(): Promise<void> {
    const markets = await this.#reads.markets();
    // An exchange without markets is one that has not woken up yet.
    if (markets === null || markets.length === 0 || this.#isClosed) return;
    if (this.#take(markets)) this.#onChange(markets);
  }

  #take(markets: readonly Market[]): boolean {
    const text = JSON.stringify(markets);
    if (text === this.#text) return false;
    this.#text = text;
    this.#markets = markets;
    return true;
  }
}
