// Limits the connections of a listener. When all places are taken, the oldest connection without proof makes way
// (strangers.ts), so that silent connections keep no counterparty out. Addresses without any earlier logon lose first, and
// among their connections those that owe us a message. When more than half of the places are taken, a client has less time
// to send it. The engine decides about proof.

import type { KnownOrigins } from '../base/places/known-origins.ts';
import { originOf } from '../base/places/origin.ts';
import { Strangers } from '../base/places/strangers.ts';

/** A connection's place at its listener, for the engine. */
export interface Place {
  /** The first message is complete: the client waits for us, and makes way after those that owe us one. */
  waits(): void;
  /** The client proved to be a counterparty: it makes way for none, and its address becomes known. */
  proved(): void;
  /** Called with the reason when it has to make way; the owner of the connection ends it. */
  onEvicted: (reason: string) => void;
}

export interface PlacesOptions {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Time for a client to send its handshake, and its first message, while more than half of the places are taken; null: no other one. */
  readonly crowdedTimeoutMs: number | null;
  readonly known: KnownOrigins;
}

/** A place that is taken. */
export class TakenPlace implements Place {
  onEvicted: (reason: string) => void = () => {};
  /** The origin that it counts for; the load balancer until its header arrives. */
  origin: string;
  /** Whether it counts among the connections of its origin. */
  isCounted = false;
  readonly #places: Places;

  constructor(places: Places, origin: string) {
    this.#places = places;
    this.origin = origin;
  }

  waits(): void {
    this.#places.waits(this);
  }

  /** It is the client's turn: its time begins. */
  owes(): void {
    this.#places.owes(this);
  }

  proved(): void {
    this.#places.proved(this);
  }

  leave(): void {
    this.#places.leave(this);
  }
}

export class Places {
  readonly #options: PlacesOptions;
  readonly #all = new Set<TakenPlace>();
  readonly #perOrigin = new Map<string, number>();
  /** Connections without proof: those that owe us a message, and those that wait for us. */
  readonly #owing: Strangers<TakenPlace>;
  readonly #waiting: Strangers<TakenPlace>;
  /** Start of each debt, the oldest first. */
  readonly #since = new Map<TakenPlace, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#owing = new Strangers(options.known);
    this.#waiting = new Strangers(options.known);
  }

  /** Take a place for a connection. @returns a string if there is none: the reason */
  take(address: string): TakenPlace | string {
    const { connectionsMax } = this.#options;
    const place = new TakenPlace(this, originOf(address));
    this.#all.add(place);
    this.#owe(place);
    if (this.#all.size > connectionsMax) {
      const first = this.#first();
      if (first === undefined || first === place) {
        this.leave(place);
        return `${connectionsMax} connections are open, the most this listener takes`;
      }
      this.#evict(first, `${connectionsMax} connections are open: the oldest without a Logon makes way for the next`);
    }
    this.#watch();
    return place;
  }

  /** Count a connection for its client's address. @returns the reason if it may not stay, else null */
  count(place: TakenPlace, address: string): string | null {
    const { connectionsPerAddressMax } = this.#options;
    const origin = originOf(address);
    if (origin !== place.origin && this.#owing.delete(place)) this.#owing.add(place, origin);
    place.origin = origin;
    place.isCounted = true;
    const open = (this.#perOrigin.get(origin) ?? 0) + 1;
    this.#perOrigin.set(origin, open);
    if (open <= connectionsPerAddressMax) return null;
    const text = `${connectionsPerAddressMax} connections from ${origin === address ? 'this address' : origin} are open`;
    const oldest = this.#owing.oldestOf(origin) ?? this.#waiting.oldestOf(origin);
    if (oldest === undefined || oldest === place) return `${text}, the most this listener takes`;
    this.#evict(oldest, `${text}: the oldest without a Logon makes way for the next`);
    return null;
  }

  waits(place: TakenPlace): void {
    this.#since.delete(place);
    if (this.#owing.delete(place)) this.#waiting.add(place, place.origin);
  }

  owes(place: TakenPlace): void {
    if (!this.#waiting.delete(place)) return;
    this.#owe(place);
    this.#watch();
  }

  proved(place: TakenPlace): void {
    if (!this.#all.has(place)) return;
    this.#options.known.add(place.origin);
    this.#forget(place);
  }

  leave(place: TakenPlace): void {
    if (!this.#all.delete(place)) return;
    this.#forget(place);
    if (!place.isCounted) return;
    const left = (this.#perOrigin.get(place.origin) ?? 1) - 1;
    if (left === 0) this.#perOrigin.delete(place.origin);
    else this.#perOrigin.set(place.origin, left);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #owe(place: TakenPlace): void {
    this.#owing.add(place, place.origin);
    this.#since.set(place, performance.now());
  }

  #forget(place: TakenPlace): void {
    this.#since.delete(place);
    if (!this.#owing.delete(place)) this.#waiting.delete(place);
  }

  /** The connection that makes way first. */
  #first(): TakenPlace | undefined {
    const unknown = this.#owing.firstUnknown() ?? this.#waiting.firstUnknown();
    return unknown ?? this.#owing.firstKnown() ?? this.#waiting.firstKnown();
  }

  #evict(place: TakenPlace, reason: string): void {
    this.leave(place);
    place.onEvicted(reason);
  }

  get #isCrowded(): boolean {
    return this.#all.size > this.#options.connectionsMax / 2;
  }

  /** Look at the oldest debt when its time is over. */
  #watch(): void {
    const { crowdedTimeoutMs } = this.#options;
    if (this.#timer !== null || crowdedTimeoutMs === null || !this.#isCrowded) return;
    const [oldest] = this.#since.values();
    if (oldest === undefined) return;
    const leftMs = oldest + crowdedTimeoutMs - performance.now();
    this.#timer = setTimeout(() => this.#lookAtTime(crowdedTimeoutMs), Math.max(1, leftMs)).unref();
  }

  #lookAtTime(crowdedTimeoutMs: number): void {
    this.#timer = null;
    const { connectionsMax } = this.#options;
    const begunBefore = performance.now() - crowdedTimeoutMs;
    const text = `nothing complete within ${crowdedTimeoutMs} ms, while more than half of the ${connectionsMax} connections are open`;
    for (const [place, since] of this.#since) {
      if (since > begunBefore || !this.#isCrowded) break;
      this.#evict(place, text);
    }
    this.#watch();
  }
}
