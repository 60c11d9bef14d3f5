// Paces market data per session: a batch leaves, is recorded and taken by the connection before the next one is made.
// Reports never wait behind more than one batch, and the machine keeps the latest of each symbol meanwhile. The gateway
// fills batches.

import type { Consequence, SessionSlot } from '../engine/mod.ts';
import type { GatewayInput } from '../gateway/mod.ts';
import type { SessionID } from '../session/mod.ts';

/** Bytes that the counterparty has not taken, above which no more market data is put behind them. */
const BACKLOG_BYTES_MAX = 65_536;
/** How often a connection that is behind is looked at. */
const LOOK_AGAIN_MS = 20;

export interface MarketDataPaceOptions {
  readonly slotOf: (sessionId: SessionID) => SessionSlot | undefined;
  readonly input: (input: GatewayInput) => void;
}

export class MarketDataPace {
  private readonly options: MarketDataPaceOptions;
  /** Sessions with a batch on its way. */
  private readonly onTheirWay = new Set<SessionID>();
  /** How many gap fills a session had written when that was last looked at: after more, market data is said anew. */
  private readonly gapFills = new WeakMap<SessionSlot['machine'], number>();

  constructor(options: MarketDataPaceOptions) {
    this.options = options;
  }

  /** Called for each message that is published; what is to happen once the frame it is recorded in is written, if anything. */
  published(sessionId: SessionID): Consequence | null {
    if (this.onTheirWay.has(sessionId)) return null;
    this.onTheirWay.add(sessionId);
    const machine = this.options.slotOf(sessionId)?.machine;
    if (machine !== undefined && !this.gapFills.has(machine)) this.gapFills.set(machine, machine.gapFills);
    // The bytes themselves are handed over right after this, in the same turn.
    return { evenIfUnrecorded: false, run: () => void setImmediate(() => this.look(sessionId)) };
  }

  /** A resend went on: what it passes over is said anew once it has ended, though no market says anything new. */
  resent(sessionId: SessionID): void {
    const machine = this.options.slotOf(sessionId)?.machine;
    // A session that received nothing has nothing to skip.
    if (machine === undefined || !this.gapFills.has(machine) || this.onTheirWay.has(sessionId)) return;
    this.onTheirWay.add(sessionId);
    setImmediate(() => this.look(sessionId));
  }

  private look(sessionId: SessionID): void {
    const { slotOf, input } = this.options;
    const slot = slotOf(sessionId);
    const wire = slot?.wire ?? null;
    if (slot === undefined || wire === null) {
      // Its subscriptions end with it.
      this.onTheirWay.delete(sessionId);
      return;
    }
    const { machine } = slot;
    if ((wire.bufferedBytes ?? 0) > BACKLOG_BYTES_MAX || machine.resending) {
      setTimeout(() => this.look(sessionId), LOOK_AGAIN_MS).unref();
      return;
    }
    this.onTheirWay.delete(sessionId);
    const isLost = this.gapFills.get(machine) !== machine.gapFills;
    this.gapFills.set(machine, machine.gapFills);
    if (isLost) input({ kind: 'marketDataLost', sessionId });
    input({ kind: 'marketDataRoom', sessionId });
  }
}
