// The exchange's markets, read at the start and periodically, so that listings, switches and changed limits need no
// restart. The gateway applies them to orders.

import { isSameMarket, type Market } from '../../exchange/mod.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Reads } from './reads.ts';

/** Markets asked for one by one at a start: each takes a request of the rate. */
const PAST_MAX = 100;
/** The pause after a read, in multiples of its duration, and the longest. */
const PAUSE_PER_READ = 20;
const PAUSE_MAX_MS = 60_000;

export class MarketList {
  readonly #options: ResolvedOptions;
  readonly #reads: Reads;
  readonly #onChange: (markets: readonly Market[]) => void;
  #markets: readonly Market[] = [];
  #past: readonly Market[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `onChange` is called for every list that differs from the one before, except the first. */
  constructor(options: ResolvedOptions, reads: Reads, onChange: (markets: readonly Market[]) => void) {
    this.#options = options;
    this.#reads = reads;
    this.#onChange = onChange;
  }

  /** As last read. */
  get all(): readonly Market[] {
    return this.#markets;
  }

  /** Those that somebody needs and that were listed no more when they were read for the first time. */
  get past(): readonly Market[] {
    return this.#past;
  }

  /** Read them for the first time; false if they are not to be had. */
  async read(): Promise<boolean> {
    const markets = await this.#reads.markets(this.#markets);
    if (markets === null) return false;
    this.#take(markets);
    await this.#readPast(markets);
    return true;
  }

  /** A market may have been delisted while the gateway was down: its fills are still to be reported. */
  async #readPast(markets: readonly Market[]): Promise<void> {
    const wanted = new Set(this.#options.neededSymbols?.());
    for (const { symbol } of [...markets, ...this.#past]) wanted.delete(symbol);
    const symbols = [...wanted].slice(0, PAST_MAX);
    const found = await Promise.all(symbols.map((symbol) => this.#reads.pastMarket(symbol)));
    this.#past = [...this.#past, ...found.filter((market) => market !== null)];
  }

  start(): void {
    if (this.#isClosed) return;
    this.#wait(this.#options.timeouts.marketsMs);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#readInTime(), ms);
    this.#timer.unref();
  }

  /** Where thousands are listed, reading them takes no more than its share of the time. */
  async #readInTime(): Promise<void> {
    const began = performance.now();
    await this.#readAgain();
    const tookMs = performance.now() - began;
    this.#wait(Math.min(PAUSE_MAX_MS, Math.max(this.#options.timeouts.marketsMs, tookMs * PAUSE_PER_READ)));
  }

  async #readAgain(): Promise<void> {
    const markets = await this.#reads.markets(this.#markets);
    // An exchange without markets is one that has not woken up yet.
    if (markets === null || markets.length === 0 || this.#isClosed) return;
    if (this.#take(markets)) this.#onChange(markets);
  }

  #take(markets: readonly Market[]): boolean {
    const before = this.#markets;
    // Read beside another list, they may be others than those that the last one was compared with.
    const isSame = (market: Market, i: number): boolean => market === before[i] || isSameMarket(market, before[i]!);
    if (markets.length === before.length && markets.every(isSame)) return false;
    this.#markets = markets;
    return true;
  }
}
