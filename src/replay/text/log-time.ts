// When a message was logged: the times in a text, and which of them is a message's own where several writers of one log race.

import { type EpochMs, parseTime } from '../../base/time.ts';

/** FIX's own, ISO 8601 and what is like it, the one of Go's log package among them; with or without a distance from UTC. */
const STAMPS =
  /(?<!\d)(?:\d{8}-\d\d:\d\d:\d\d(?:\.\d{3,12})?|\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?!\d)(?: ?[+-]\d\d:?\d\d(?!\d))?/g;
/** The same directly behind a number or before a message, as where writers race. */
export const STAMP_BEGIN = /(?:\d{8}-\d\d:\d\d:\d\d|\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d)/g;
const ZONE = / ?([+-])(\d\d):?(\d\d)$/;
/** The line of a screen log before the one of its message. */
const HEADING = /^\s*<[^<].*>\s*$/;
/** Headings that wait for their messages. */
const HEADINGS_MAX = 16;
/** Clocks of different zones are a multiple of this apart. */
const ZONE_MS = 900_000;

/** One without a zone is taken as UTC, as FIX logs are. */
function timeOf(stamp: string): EpochMs | null {
  const [zone = '', sign, hours, minutes] = ZONE.exec(stamp) ?? [];
  const local = parseTime(stamp.slice(0, stamp.length - zone.length).replaceAll('/', '-'));
  if (local === null || sign === undefined) return local;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '+' ? local - offsetMs : local + offsetMs;
}

function timesIn(text: string): EpochMs[] {
  const stamps = text.match(STAMPS);
  if (stamps === null) return [];
  return stamps.map(timeOf).filter((at) => at !== null);
}

/** Fields of a message, to find its time among several. */
export interface Said {
  readonly sendingTime: EpochMs | null;
  readonly sender: string;
  readonly target: string;
}

export class LogTimes {
  /** On the line of the next message, in front of it. */
  private own: EpochMs[] = [];
  /** Of a line before that held no message. */
  private before: EpochMs | null = null;
  private headings: { readonly at: EpochMs; readonly text: string }[] = [];

  /** A whole line that holds no message. */
  line(text: string): void {
    if (/^\s*$/.test(text)) return;
    const times = timesIn(text);
    this.own = [];
    this.before = times.at(-1) ?? null;
    if (this.before === null || !HEADING.test(text)) return;
    this.headings.push({ at: this.before, text });
    if (this.headings.length > HEADINGS_MAX) this.headings.shift();
  }

  /** Text in front of a message on its line, or between two. */
  prefix(text: string): void {
    if (text.length < 8) return;
    const times = timesIn(text);
    if (times.length > 0) this.own = times.slice(-HEADINGS_MAX);
  }

  /** A line with messages ended. */
  lineEnds(): void {
    this.before = null;
  }

  /** Whether nothing that came before says when the next message was logged. */
  get isUnknown(): boolean {
    return this.own.length === 0 && this.headings.length === 0 && this.before === null;
  }

  /** Whether the next message has one time that is its own. */
  get isClear(): boolean {
    return this.own.length === 1 || (this.own.length === 0 && this.headings.length === 0);
  }

  /** The time of the next message; `followers`: how many more follow it without any time between. */
  next(said: () => Said, followers: () => number): EpochMs | null {
    const { own, headings } = this;
    if (own.length === 1) {
      this.headings = [];
      this.before = null;
      return own.pop()!;
    }
    if (own.length > 1) return this.amongOwn(said(), followers());
    if (headings.length > 0) return this.ofHeadings(said());
    const { before } = this;
    this.before = null;
    return before;
  }

  /** Writers that raced wrote their times one after the other, and then their messages. */
  private amongOwn({ sendingTime }: Said, followers: number): EpochMs {
    const { own } = this;
    const first = Math.max(0, own.length - 1 - followers);
    const chosen = followers > 0 || sendingTime === null ? first : nearest(own, sendingTime);
    const at = own[chosen]!;
    // A time that is left may be that of a message on a line of its own.
    this.own = followers > 0 ? own.slice(first + 1) : own.filter((_, i) => i !== chosen);
    return at;
  }

  private ofHeadings({ sendingTime, sender, target }: Said): EpochMs {
    const fits = (text: string): number => {
      const [from, to] = /incoming/i.test(text) ? [target, sender] : [sender, target];
      if (text.includes(`${from}->${to}`)) return 2;
      return text.includes(sender) && text.includes(target) ? 1 : 0;
    };
    const most = Math.max(...this.headings.map(({ text }) => fits(text)));
    const candidates = this.headings.filter(({ text }) => fits(text) === most);
    const times = candidates.map(({ at }) => at);
    const chosen = candidates[sendingTime === null ? times.length - 1 : nearest(times, sendingTime)]!;
    this.headings = this.headings.filter((one) => one !== chosen);
    this.before = null;
    return chosen.at;
  }
}

const MEMBER = /\\*"@?(?:time|timestamp|ts|date|datetime|at)\\*"\s?:\s?\\*"([^"\\]{10,40})/i;

/** The time that the rest of a JSON object has behind a message of its. */
export function timeInJson(rest: string): EpochMs | null {
  const value = MEMBER.exec(rest)?.[1];
  return value === undefined ? null : (timesIn(value)[0] ?? null);
}

/** Index of the time nearest to a SendingTime(52), whatever zones they are of; of equals the first. */
function nearest(times: readonly EpochMs[], sendingTime: EpochMs): number {
  const distance = (at: EpochMs): number => {
    const apart = Math.abs(at - sendingTime) % ZONE_MS;
    return Math.min(apart, ZONE_MS - apart);
  };
  let best = 0;
  for (let i = 1; i < times.length; i++) if (distance(times[i]!) < distance(times[best]!)) best = i;
  return best;
}
