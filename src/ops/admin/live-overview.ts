// The front page of the console in pieces of JSON, for streams that send what changed since their last piece. Built once for all of
// them, and for at most a twentieth of the time: it runs on the event loop of the orders.

import type { SessionView } from '../../administration/mod.ts';

/** The pieces of the overview by name, and each session by its SessionID, in JSON. */
export interface OverviewPieces {
  readonly parts: ReadonlyMap<string, string>;
  readonly sessions: ReadonlyMap<string, string>;
}

type Overview = Readonly<Record<string, unknown>> & { readonly sessions: readonly SessionView[] };

/** For so many times as long as it took, the pieces are given again. */
const GIVEN_FOR = 20;
/** Streams look at the same second. */
const GIVEN_MS_MIN = 500;

export class LiveOverview {
  readonly #make: () => Overview;
  readonly #elapsedMs: () => number;
  #pieces: OverviewPieces = { parts: new Map(), sessions: new Map() };
  #until = Number.NEGATIVE_INFINITY;

  /** @param elapsedMs a monotonic clock */
  constructor(make: () => Overview, elapsedMs = (): number => performance.now()) {
    this.#make = make;
    this.#elapsedMs = elapsedMs;
  }

  pieces(): OverviewPieces {
    const begun = this.#elapsedMs();
    if (begun < this.#until) return this.#pieces;
    const { sessions, ...rest } = this.#make();
    this.#pieces = {
      parts: new Map(Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)])),
      sessions: new Map(sessions.map((session) => [session.sessionId, JSON.stringify(session)])),
    };
    const ended = this.#elapsedMs();
    this.#until = ended + Math.max(GIVEN_MS_MIN, GIVEN_FOR * (ended - begun));
    return this.#pieces;
  }

  /** An action changed something: the next look sees it. */
  forget(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }
}

/** Remembers what a stream has sent, and gives the difference. */
export class OverviewDifference {
  #parts: ReadonlyMap<string, string> = new Map();
  #sessions: ReadonlyMap<string, string> = new Map();

  /** JSON of the changed parts, changed sessions and the SessionIDs that are gone. */
  next({ parts, sessions }: OverviewPieces): string {
    const members: string[] = [];
    for (const [name, json] of parts)
      if (this.#parts.get(name) !== json) members.push(`${JSON.stringify(name)}:${json}`);
    const changed = [...sessions].filter(([id, json]) => this.#sessions.get(id) !== json).map(([, json]) => json);
    const gone = [...this.#sessions.keys()].filter((id) => !sessions.has(id));
    if (changed.length > 0) members.push(`"sessions":[${changed.join(',')}]`);
    if (gone.length > 0) members.push(`"gone":${JSON.stringify(gone)}`);
    this.#parts = parts;
    this.#sessions = sessions;
    return `{${members.join(',')}}`;
  }
}
