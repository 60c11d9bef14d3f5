// The open alarms: repetitions of one alarm about one session, login or account count together. Decides when an alarm is
// sent, sent again or escalated, and keeps acknowledgements and silences. Knows no receiver and reads no clock.

import type { EpochMs } from '../../base/time.ts';
import type { Alarm } from '../../engine/mod.ts';
import { type Severity, severityOf } from './alarm-severity.ts';

/** Open alarms kept; of more, the one that was raised the longest time ago goes. */
const OPEN_MAX = 1000;
const SILENCES_MAX = 100;
/** Fields that tell apart what an alarm is about. */
const IDENTITY = ['session', 'credential', 'account', 'listener'] as const;

export interface AlarmRules {
  readonly repeatMs: number;
  readonly escalateAfter: number;
  readonly escalateWithinMs: number;
  readonly closeAfterMs: number;
}

/** An operator's word about an alarm. */
export interface Word {
  readonly by: string;
  readonly at: EpochMs;
  readonly why: string;
}

export interface OpenAlarm {
  /** A number while it is open, for `acknowledge`. */
  readonly id: string;
  readonly alarm: string;
  /** That of its name, or the next higher one once it has escalated. */
  readonly severity: Severity;
  readonly isEscalated: boolean;
  /** The latest words and fields. */
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly count: number;
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  /** No more is sent of it, unless it escalates. */
  readonly acknowledged: Word | null;
  readonly silencedUntil: EpochMs | null;
}

/** Alarms of this name, of one session or of all, are not sent until then. */
export interface Silence extends Word {
  readonly id: string;
  readonly alarm: string;
  /** SessionID; null for whatever it is about. */
  readonly session: string | null;
  readonly until: EpochMs;
}

/** Something to send. */
export interface Notice {
  readonly reason: 'raised' | 'repeated' | 'escalated';
  readonly alarm: OpenAlarm;
  /** When it counts as over unless it is raised again. */
  readonly endsAt: EpochMs;
}

interface Entry {
  readonly id: string;
  readonly base: Severity;
  latest: Alarm;
  count: number;
  readonly firstAt: EpochMs;
  /** Of the last occurrences, as many as escalate. */
  recent: EpochMs[];
  isEscalated: boolean;
  acknowledged: Word | null;
  /** When it was sent last, and its count then; null: never. */
  sentAt: EpochMs | null;
  sentCount: number;
}

const ABOVE: Readonly<Record<Severity, Severity>> = { info: 'warning', warning: 'critical', critical: 'critical' };

export class AlarmBook {
  readonly #rules: AlarmRules;
  /** By name and what they are about; raised longest ago first. */
  readonly #open = new Map<string, Entry>();
  #silences: readonly Silence[];
  #opened = 0;
  #numbered = 0;

  constructor(rules: AlarmRules, silences: readonly Silence[] = []) {
    this.#rules = rules;
    this.#silences = silences.slice(0, SILENCES_MAX);
    for (const { id } of silences) this.#numbered = Math.max(this.#numbered, Number(id) || 0);
  }

  /** An alarm was raised: what to send now, if anything. */
  raise(alarm: Alarm): Notice | null {
    const now = alarm.at;
    this.#close(now);
    const key = keyOf(alarm);
    const known = this.#open.get(key);
    const entry: Entry = known ?? {
      id: `${++this.#opened}`,
      base: severityOf(alarm.alarm),
      latest: alarm,
      count: 0,
      firstAt: now,
      recent: [],
      isEscalated: false,
      acknowledged: null,
      sentAt: null,
      sentCount: 0,
    };
    entry.latest = alarm;
    entry.count++;
    entry.recent = [...entry.recent, now].slice(-this.#rules.escalateAfter);
    this.#open.delete(key);
    this.#open.set(key, entry);
    if (this.#open.size > OPEN_MAX) this.#open.delete(this.#open.keys().next().value!);
    const escalates = !entry.isEscalated && this.#isFrequent(entry);
    if (escalates) {
      entry.isEscalated = true;
      entry.acknowledged = null;
    }
    if (this.#silenceOf(alarm, now) !== null || entry.acknowledged !== null) return null;
    if (escalates) return this.#notice('escalated', entry, now);
    if (entry.sentAt === null) return this.#notice('raised', entry, now);
    return now - entry.sentAt >= this.#rules.repeatMs ? this.#notice('repeated', entry, now) : null;
  }

  /** Repetitions that have waited for their time. */
  due(now: EpochMs): Notice[] {
    this.#close(now);
    const notices: Notice[] = [];
    for (const entry of this.#open.values()) {
      const { sentAt, sentCount, count, acknowledged, latest } = entry;
      if (acknowledged !== null || count === sentCount || this.#silenceOf(latest, now) !== null) continue;
      if (sentAt !== null && now - sentAt < this.#rules.repeatMs) continue;
      notices.push(this.#notice(sentAt === null ? 'raised' : 'repeated', entry, now));
    }
    return notices;
  }

  /** Open alarms, the latest first. */
  list(now: EpochMs): OpenAlarm[] {
    this.#close(now);
    return [...this.#open.values()].reverse().map((entry) => this.#shown(entry, now));
  }

  /** Send no more of an open alarm, unless it escalates. Null if it is not open. */
  acknowledge(id: string, word: Word): OpenAlarm | null {
    const entry = [...this.#open.values()].find((one) => one.id === id);
    if (entry === undefined) return null;
    entry.acknowledged = word;
    return this.#shown(entry, word.at);
  }

  /** Send no alarm of this name, of one session or of all, until then. Null if there are too many silences. */
  silence(what: Omit<Silence, 'id'>): Silence | null {
    this.#expire(what.at);
    if (this.#silences.length >= SILENCES_MAX) return null;
    const silence = { ...what, id: `${++this.#numbered}` };
    this.#silences = [...this.#silences, silence];
    return silence;
  }

  /** End a silence; false if there is none of this id. */
  endSilence(id: string): boolean {
    const { length } = this.#silences;
    this.#silences = this.#silences.filter((one) => one.id !== id);
    return this.#silences.length < length;
  }

  silences(now: EpochMs): readonly Silence[] {
    this.#expire(now);
    return this.#silences;
  }

  #isFrequent({ recent }: Entry): boolean {
    const { escalateAfter, escalateWithinMs } = this.#rules;
    return recent.length >= escalateAfter && recent.at(-1)! - recent[0]! <= escalateWithinMs;
  }

  #notice(reason: Notice['reason'], entry: Entry, now: EpochMs): Notice {
    entry.sentAt = now;
    entry.sentCount = entry.count;
    return { reason, alarm: this.#shown(entry, now), endsAt: entry.latest.at + this.#rules.closeAfterMs };
  }

  #shown({ id, base, latest, count, firstAt, isEscalated, acknowledged }: Entry, now: EpochMs): OpenAlarm {
    const { alarm, text, fields, at } = latest;
    const severity = isEscalated ? ABOVE[base] : base;
    const silencedUntil = this.#silenceOf(latest, now)?.until ?? null;
    return { id, alarm, severity, isEscalated, text, fields, count, firstAt, lastAt: at, acknowledged, silencedUntil };
  }

  #silenceOf({ alarm, fields }: Alarm, now: EpochMs): Silence | null {
    const fits = (one: Silence): boolean =>
      one.alarm === alarm && one.until > now && (one.session === null || one.session === fields.session);
    return this.#silences.find(fits) ?? null;
  }

  #expire(now: EpochMs): void {
    if (this.#silences.some(({ until }) => until <= now))
      this.#silences = this.#silences.filter(({ until }) => until > now);
  }

  #close(now: EpochMs): void {
    for (const [key, { latest }] of this.#open) {
      if (now - latest.at < this.#rules.closeAfterMs) return;
      this.#open.delete(key);
    }
  }
}

/** `journal-unhealthy`, or `slow-consumer FIX.4.4:A->B`. */
function keyOf({ alarm, fields }: Alarm): string {
  const about = IDENTITY.flatMap((name) => (fields[name] === undefined ? [] : [fields[name]]));
  return [alarm, ...about].join(' ');
}
