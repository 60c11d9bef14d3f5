// Connections without proof, and the order in which they make way. The origin (origin.ts) with most of them loses its oldest
// one first, so a host or IPv6 prefix that holds many connections closes its own and not those of others. Every operation
// takes constant time, so that a long flood costs no more than a short one.

import type { KnownOrigins } from './known-origins.ts';

interface Crowd<Member> {
  readonly origin: string;
  readonly ranks: Ranks<Member>;
  /** The oldest first. */
  readonly members: Set<Member>;
}

/** Crowds by how many they are. */
class Ranks<Member> {
  readonly #bySize: Set<Crowd<Member>>[] = [];
  #largest = 0;

  /** Move a crowd to its new size; `before` 0: it is new here. */
  resized(crowd: Crowd<Member>, before: number, now: number): void {
    this.#bySize[before]?.delete(crowd);
    if (now > 0) {
      this.#bySize[now] ??= new Set();
      this.#bySize[now].add(crowd);
    }
    if (now > this.#largest) this.#largest = now;
    while (this.#largest > 0 && (this.#bySize[this.#largest]?.size ?? 0) === 0) this.#largest--;
  }

  /** The largest crowd; among equals the one that reached this size first. */
  largest(): Crowd<Member> | undefined {
    const [first] = this.#bySize[this.#largest] ?? [];
    return first;
  }
}

export class Strangers<Member> {
  readonly #known: Pick<KnownOrigins, 'has'>;
  readonly #crowds = new Map<string, Crowd<Member>>();
  readonly #crowdOf = new Map<Member, Crowd<Member>>();
  readonly #ofUnknown = new Ranks<Member>();
  readonly #ofKnown = new Ranks<Member>();

  /** @param known connections of these origins make way after all others */
  constructor(known: Pick<KnownOrigins, 'has'>) {
    this.#known = known;
  }

  get size(): number {
    return this.#crowdOf.size;
  }

  has(member: Member): boolean {
    return this.#crowdOf.has(member);
  }

  add(member: Member, origin: string): void {
    let crowd = this.#crowds.get(origin);
    if (crowd === undefined) {
      const ranks = this.#known.has(origin) ? this.#ofKnown : this.#ofUnknown;
      crowd = { origin, ranks, members: new Set() };
      this.#crowds.set(origin, crowd);
    }
    crowd.members.add(member);
    this.#crowdOf.set(member, crowd);
    crowd.ranks.resized(crowd, crowd.members.size - 1, crowd.members.size);
  }

  /** Remove; false if it is not there. */
  delete(member: Member): boolean {
    const crowd = this.#crowdOf.get(member);
    if (crowd === undefined) return false;
    this.#crowdOf.delete(member);
    crowd.members.delete(member);
    crowd.ranks.resized(crowd, crowd.members.size + 1, crowd.members.size);
    if (crowd.members.size === 0) this.#crowds.delete(crowd.origin);
    return true;
  }

  /** The connection of an unknown origin that makes way first. */
  firstUnknown(): Member | undefined {
    for (let crowd = this.#ofUnknown.largest(); crowd !== undefined; crowd = this.#ofUnknown.largest()) {
      if (!this.#known.has(crowd.origin)) return firstOf(crowd);
      this.#becomeKnown(crowd);
    }
    return undefined;
  }

  /** The connection of a known origin that makes way first. */
  firstKnown(): Member | undefined {
    return firstOf(this.#ofKnown.largest());
  }

  /** The oldest of one origin. */
  oldestOf(origin: string): Member | undefined {
    return firstOf(this.#crowds.get(origin));
  }

  /** The origin has proved itself since these connections came. */
  #becomeKnown(crowd: Crowd<Member>): void {
    const { size } = crowd.members;
    crowd.ranks.resized(crowd, size, 0);
    const moved = { ...crowd, ranks: this.#ofKnown };
    this.#crowds.set(crowd.origin, moved);
    for (const member of crowd.members) this.#crowdOf.set(member, moved);
    moved.ranks.resized(moved, 0, size);
  }
}

function firstOf<Member>(crowd: Crowd<Member> | undefined): Member | undefined {
  const [first] = crowd?.members ?? [];
  return first;
}
