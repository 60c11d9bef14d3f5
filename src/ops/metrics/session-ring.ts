// The last hour of each session in memory, for the plots of the console: its sequence numbers and its gaps, a sample every ten seconds.
// Bounded: 1,000 sessions take 9 MB. Prometheus keeps what is older, if there is one.

import type { Administration } from '../../administration/mod.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Plots } from './plot-ring.ts';

export const SESSION_STEP_MS = 10_000;
const SAMPLES = 360;
/** Sessions that are measured; further ones are not. */
const SESSIONS_MAX = 5_000;

/** One session; `slot` of a sample is shared by all. NaN: it was not there. */
interface Track {
  readonly out: Float64Array;
  readonly in: Float64Array;
  /** Messages that wait behind a gap. */
  readonly waiting: Float32Array;
  /** ResendRequests(2) of the step, of both sides. */
  readonly resends: Float32Array;
  /** ResendRequests(2) so far. */
  sofar: number;
}

export class SessionRing {
  readonly #administration: Pick<Administration, 'sessions' | 'now'>;
  readonly #timer: NodeJS.Timeout;
  readonly #at = new Float64Array(SAMPLES);
  readonly #tracks = new Map<string, Track>();
  #count = 0;

  constructor(administration: Pick<Administration, 'sessions' | 'now'>) {
    this.#administration = administration;
    this.#timer = setInterval(() => this.sample(), SESSION_STEP_MS).unref();
  }

  /** Take one sample, as every ten seconds. */
  sample(): void {
    const slot = this.#count % SAMPLES;
    this.#at[slot] = this.#administration.now();
    const seen = new Set<string>();
    for (const { sessionId, status, resendRequests } of this.#administration.sessions()) {
      const track = this.#trackOf(sessionId, resendRequests.in + resendRequests.out);
      if (track === null) continue;
      seen.add(sessionId);
      track.out[slot] = status.numbers.nextSenderMsgSeqNum;
      track.in[slot] = status.numbers.nextTargetMsgSeqNum;
      track.waiting[slot] = status.gap?.queued ?? 0;
      const sofar = resendRequests.in + resendRequests.out;
      track.resends[slot] = Math.max(0, sofar - track.sofar);
      track.sofar = sofar;
    }
    for (const [sessionId, track] of this.#tracks) {
      if (seen.has(sessionId)) continue;
      for (const values of [track.out, track.in, track.waiting, track.resends]) values[slot] = Number.NaN;
      if (track.out.every(Number.isNaN)) this.#tracks.delete(sessionId);
    }
    this.#count++;
  }

  /** Samples of a session later than `after`, the oldest first. */
  plots(sessionId: string, after: EpochMs): Plots {
    const track = this.#tracks.get(sessionId);
    const first = Math.max(0, this.#count - SAMPLES);
    const slots: number[] = [];
    for (let n = first; n < this.#count; n++) if (this.#at[n % SAMPLES]! > after) slots.push(n % SAMPLES);
    const of = (values: Float64Array | Float32Array | undefined): (number | null)[] =>
      slots.map((slot) => (values === undefined || Number.isNaN(values[slot]!) ? null : values[slot]!));
    const series = {
      'session.out': of(track?.out),
      'session.in': of(track?.in),
      'session.waiting': of(track?.waiting),
      'session.resends': of(track?.resends),
    };
    return { stepMs: SESSION_STEP_MS, at: slots.map((slot) => this.#at[slot]!), series };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #trackOf(sessionId: string, sofar: number): Track | null {
    const known = this.#tracks.get(sessionId);
    if (known !== undefined) return known;
    if (this.#tracks.size >= SESSIONS_MAX) return null;
    const track: Track = {
      out: new Float64Array(SAMPLES).fill(Number.NaN),
      in: new Float64Array(SAMPLES).fill(Number.NaN),
      waiting: new Float32Array(SAMPLES).fill(Number.NaN),
      resends: new Float32Array(SAMPLES).fill(Number.NaN),
      sofar,
    };
    this.#tracks.set(sessionId, track);
    return track;
  }
}
