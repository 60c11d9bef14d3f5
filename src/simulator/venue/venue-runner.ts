// Runs the venue on a clock: gives it commands and the time, passes its events on, wakes it at its deadline.
// The venue decides; who hears of it is set from outside.

import type { EpochMs } from '../../base/time.ts';
import { VenueMemory } from '../memory/memory.ts';
import type { Settings } from '../settings.ts';
import type { Floor } from './floor.ts';
import { Venue } from './venue.ts';
import type { VenueCommand, VenueEvent } from './venue-event.ts';

/** Longest sleep of a timer; a later deadline is simply asked for again. */
const SLEEP_MS_MAX = 60_000;
/** Commands that listeners may cause in answer to one input, before the runner takes it for a loop. */
const FOLLOW_UPS_MAX = 10_000;

export class VenueRunner {
  private readonly settings: Settings;
  private venue: Venue;
  private readonly memory: VenueMemory | null;
  private timer: NodeJS.Timeout | null = null;
  private sleepsUntil: EpochMs = 0;
  private readonly pending: VenueCommand[] = [];
  private running = false;
  private closed = false;
  private offsetMs = 0;
  /** Hears all events of one input, in order; may call `follow`. */
  onEvents: (events: readonly VenueEvent[], now: EpochMs) => void = () => {};

  constructor(settings: Settings) {
    this.settings = settings;
    const { memoryDirectory, log } = settings;
    // The venue's first times carry the offset already: a later one would set its clock back.
    this.offsetMs = settings.faults.clockOffsetMs ?? 0;
    this.memory = memoryDirectory === null ? null : new VenueMemory(memoryDirectory, log);
    const remembered = this.memory?.load() ?? null;
    this.venue = remembered ?? this.newVenue();
    if (remembered === null) return;
    remembered.floor.setSchedules(settings.auctions);
    remembered.resume(this.now());
    this.memory?.begin(remembered, this.now());
  }

  get floor(): Floor {
    return this.venue.floor;
  }

  now(): EpochMs {
    return this.settings.now() + this.offsetMs;
  }

  /** How far its clock is from the true one, on purpose. */
  get clockOffsetMs(): number {
    return this.offsetMs;
  }

  /** Add to the clock: the exchange's time then differs from that of its clients. */
  setClockOffset(offsetMs: number): void {
    this.offsetMs = offsetMs;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.sleep();
  }

  /** Execute a command now, with everything that listeners make follow from it. */
  execute(command: VenueCommand): void {
    this.pending.push(command);
    this.drain();
  }

  /** Add a command from within `onEvents`; it runs after the present events. */
  follow(command: VenueCommand): void {
    this.pending.push(command);
  }

  /** Do what is due, for example after a test moved its clock. */
  advance(): void {
    const now = this.now();
    if (this.venue.deadline() <= now) this.memory?.record(this.venue, null, now);
    this.tell(this.venue.advance(now), now);
    this.drain();
  }

  /** Forget everything, as an exchange that lost its memory. */
  restart(): void {
    this.pending.length = 0;
    this.venue = this.newVenue();
    this.memory?.snapshot(this.venue);
    this.sleep();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.memory?.close(this.venue);
  }

  private newVenue(): Venue {
    const { world, auctions } = this.settings;
    return new Venue({ world, auctions }, this.now());
  }

  private drain(): void {
    if (this.running || this.closed) return;
    this.running = true;
    try {
      for (let i = 0; i < FOLLOW_UPS_MAX; i++) {
        const command = this.pending.shift();
        if (command === undefined) break;
        const now = this.now();
        this.memory?.record(this.venue, command, now);
        this.tell(this.venue.handle(command, now), now);
      }
      this.pending.length = 0;
    } finally {
      this.running = false;
    }
    this.sleep();
  }

  private tell(events: readonly VenueEvent[], now: EpochMs): void {
    if (events.length > 0) this.onEvents(events, now);
  }

  /** Wait for the venue's next deadline. */
  sleep(): void {
    if (this.closed) return;
    const deadline = this.venue.deadline();
    // Most commands change no deadline: the timer that runs already is the right one.
    if (this.timer !== null && deadline === this.sleepsUntil) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.sleepsUntil = deadline;
    const wait = Math.min(Math.max(deadline - this.now(), 0), SLEEP_MS_MAX);
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.advance();
      },
      Math.max(wait, 1),
    );
    this.timer.unref();
  }
}
