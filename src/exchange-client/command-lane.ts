// The way of a command to the exchange: its turn, its share of the rate, its nonce, one POST, its outcome.
// Sent once, whatever happens (rules U1, U3), but for what was refused because later nonces had overtaken its own: a cancel,
// or one without a nonce window. Leaves the request and its signature to signed-commands.ts; reads, streams and the meaning of
// outcomes for FIX are elsewhere.

import { RecentMap } from '../base/recent-map.ts';
import type { EpochMs } from '../base/time.ts';
import {
  type CommandOutcome,
  type ExchangeCommand,
  isWithdrawal,
  NonceAllocator,
  refusedHere,
} from '../exchange/mod.ts';
import { CancelsOfMany, isCancelledBy, referenceOf, WITHOUT_WINDOW } from './command-order.ts';
import type { CommandWays } from './command-ways.ts';
import type { Signer } from './credential.ts';
import type { ExchangeClock } from './exchange-clock.ts';
import { type FairEntry, FairQueue, type Obstacle } from './fair-queue.ts';
import type { HttpResult } from './http.ts';
import type { ExchangeLogin, LoginToken } from './login.ts';
import type { ResolvedOptions } from './options.ts';
import { CUSTODY_NEEDS_ECDSA, isBlockPage, mayRefuseTime, refusedNonce, toOutcome, tookNonce } from './outcome.ts';
import { RareLog } from './rare-log.ts';
import type { RateBudget, RateCategory, RatePriority, RateTicket } from './rate-budget.ts';
import { cancelsAmongOrders, categoryOfCommand } from './rate-category.ts';
import { SignedCommands } from './signed-commands.ts';

/** What keeps a command waiting when the shares of the exchange's rate are spent. */
const RATE_USED_UP = 'the rate limit of the exchange is used up';
/** Commands waiting for their turn; beyond it they are refused here. */
const WAITING_MAX = 10_000;
/** Every order of a gateway may have to be cancelled at once. */
const CANCELS_WAITING_MAX = 200_000;
/** Commands whose nonce is remembered for a later look-up; of one that is forgotten the latest nonce is taken for it. */
const REMEMBERED_MAX = 10_000;
/** How long the range last read is used though the clock has left it: the two clocks differ a little. */
const RANGE_TRUSTED_MS = 1_000;
/** Looked at again this soon when only time can help. */
const POLL_MS = 5;
/** The same for the rate: another client of this address may make room. */
const RATE_POLL_MS = 100;

/** How often one is sent whose nonce was refused because an order had overtaken it. */
const OVERTAKEN_MAX = 5;

/** Commands about one order: whoever keeps the order tells people what is not known of it. */
const OF_ONE_ORDER: ReadonlySet<string> = new Set(['createOrder', 'amendOrder', 'cancelOrder']);

/** What became of a command, with the answer's body for callers that pass it on. */
export interface CommandResult {
  readonly outcome: CommandOutcome;
  readonly result: HttpResult | null;
}

interface Waiting extends FairEntry {
  readonly commandId: string;
  readonly command: ExchangeCommand;
  readonly priority: RatePriority;
  readonly category: RateCategory;
  /** Our reference of the order concerned, for commands of one order to keep their order. */
  readonly reference: string | null;
  /** By the time that only grows. */
  readonly since: number;
  readonly above: bigint | null;
  /** How often its nonce was refused because a later one had overtaken it. */
  readonly overtaken: number;
  /** Why it must not leave any more; asked when its turn has come. */
  readonly barred: (() => string | null) | null;
  readonly resolve: (result: CommandResult) => void;
}

const PRIORITIES: readonly RatePriority[] = ['cancel', 'order', 'read', 'bridge'];

export interface CommandLaneParts {
  readonly options: ResolvedOptions;
  readonly signer: Signer;
  readonly login: ExchangeLogin;
  readonly http: CommandWays;
  readonly budget: RateBudget;
  readonly clock: ExchangeClock;
}

export class CommandLane {
  readonly nonces: NonceAllocator;
  readonly #parts: CommandLaneParts;
  readonly #signed: SignedCommands;
  readonly #rare: RareLog;
  readonly #cancelsAmongOrders: boolean;
  /** Most urgent first. */
  readonly #queues: readonly FairQueue<Waiting>[] = PRIORITIES.map(
    () => new FairQueue((waiting, obstacle) => this.#giveUpAt(waiting, obstacle)),
  );
  /** When a cancel last fenced off unanswered commands. */
  #fencedAt = Number.NEGATIVE_INFINITY;
  /** Since when something other than the rate has been in everybody's way; null if nothing is. */
  #obstructedSince: number | null = null;
  readonly #nonceOf = new RecentMap<string, bigint>(REMEMBERED_MAX);
  readonly #referencesInFlight = new Map<string, number>();
  readonly #cancelsOfMany = new CancelsOfMany();
  /** The nonce of the latest command without a window. */
  #lastWithoutWindow = -1n;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #rangeBeingRead = false;
  #rangeReadAt = Number.NEGATIVE_INFINITY;
  /** The exchange refused a nonce: where its clock is ahead of ours, the next day has begun there. */
  #rangeIsDoubted = false;
  /** Reads the nonce range into `nonces`; called when the clock has left the range. Must not reject. */
  readRange: () => Promise<unknown> = () => Promise.resolve();
  /** Highest nonce that an earlier process may have used; -1 if there was none. */
  readonly recoveredCeiling: bigint;

  constructor(parts: CommandLaneParts) {
    const { nonceMode, nonceCeiling } = parts.options;
    this.#parts = parts;
    this.#signed = new SignedCommands(parts);
    this.#rare = new RareLog(parts.options);
    this.#cancelsAmongOrders = cancelsAmongOrders(parts.options);
    this.nonces = new NonceAllocator(nonceMode, nonceCeiling === null ? null : BigInt(nonceCeiling));
    this.recoveredCeiling = this.nonces.last;
  }

  /** BX-RATELIMIT-TOKEN by trading account; empty where none is sent. */
  set rateLimitTokens(tokens: ReadonlyMap<string, string>) {
    this.#signed.rateLimitTokens = tokens;
  }

  /** The nonce a command was sent with; null if it never left, or an earlier process sent it. */
  nonceOf(commandId: string): bigint | null {
    return this.#nonceOf.get(commandId) ?? null;
  }

  /**
   * Send once; resolves always. `above` asks for a nonce greater than this (a fence, rule U2); sharers (FIX sessions) take
   * turns where commands have to wait. `barred` says at its turn why it must not leave any more, or null.
   */
  submit(
    commandId: string,
    command: ExchangeCommand,
    priority: RatePriority,
    above: bigint | null = null,
    sharer = '',
    barred: (() => string | null) | null = null,
  ): Promise<CommandResult> {
    const { elapsedMs } = this.#parts.options;
    if (isWithdrawal(command) && this.#parts.signer.kind === 'hmac') {
      return refused(CUSTODY_NEEDS_ECDSA);
    }
    if (this.#closed) return refused('the exchange client is closed');
    if (priority === 'cancel' && this.#withdraw(command) && command.kind === 'cancelOrder') {
      return refused('the order waited here for its turn and was never sent');
    }
    const queue = this.#queues[PRIORITIES.indexOf(priority)]!;
    if (queue.size >= (priority === 'cancel' ? CANCELS_WAITING_MAX : WAITING_MAX))
      return refused('too many commands wait for the exchange');
    return new Promise((answer) => {
      let resolve = answer;
      if (CancelsOfMany.has(command)) {
        this.#cancelsOfMany.add(commandId, command);
        resolve = (result) => {
          this.#cancelsOfMany.delete(commandId);
          answer(result);
        };
      }
      queue.push({
        sharer,
        commandId,
        command,
        priority,
        category: categoryOfCommand(command, this.#cancelsAmongOrders),
        reference: referenceOf(command),
        since: elapsedMs(),
        above,
        overtaken: 0,
        barred,
        resolve,
      });
      this.#pump();
    });
  }

  /**
   * Creates and amendments that wait here are not overtaken by what cancels their orders (rule X3): they do not leave any
   * more. Whether a create was among them.
   */
  #withdraw(cancel: ExchangeCommand): boolean {
    const withdrawn = this.#queues[PRIORITIES.indexOf('order')]!.take(({ command }) => isCancelledBy(cancel, command));
    const outcome = { ...refusedHere('cancelled while it waited for its turn'), withdrawn: true } as const;
    for (const { resolve } of withdrawn) resolve({ outcome, result: null });
    return withdrawn.some(({ command }) => command.kind === 'createOrder');
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const queue of this.#queues) {
      for (const waiting of queue.clear()) giveUp(waiting, 'the exchange client is closed');
    }
  }

  /** Send what may be sent now; what waits too long is refused here, with the reason. */
  #pump(): void {
    if (this.#closed) return;
    let again = Number.POSITIVE_INFINITY;
    const { elapsedMs } = this.#parts.options;
    const expire = (waiting: Waiting, reason: string): void => {
      const message = `waited ${Math.round(elapsedMs() - waiting.since)} ms, as long as a command may: ${reason}`;
      giveUp(waiting, message, reason === RATE_USED_UP);
    };
    for (const queue of this.#queues) {
      again = Math.min(
        again,
        queue.pump(elapsedMs, (waiting) => this.#try(waiting), expire),
      );
    }
    if (again !== Number.POSITIVE_INFINITY) this.#later(Math.max(1, again));
  }

  /** Try to send, and note since when something is in everybody's way. */
  #try(waiting: Waiting): Obstacle | null {
    const obstacle = this.#obstacle(waiting);
    if (obstacle === null || obstacle.reason === RATE_USED_UP) this.#obstructedSince = null;
    else if (!obstacle.ownOrderOnly) this.#obstructedSince ??= this.#parts.options.elapsedMs();
    return obstacle;
  }

  /**
   * Cancels wait for their turn in the rate until they have it (rule C3): given up after seconds, most of a large mass cancel
   * would stay open. What else is in everybody's way, as a login that is down, is told in time.
   */
  #giveUpAt(waiting: Waiting, { reason, ownOrderOnly }: Obstacle): number {
    const { cancelRateWaitMs, cancelWaitMs, orderWaitMs } = this.#parts.options.timeouts;
    const { since, priority } = waiting;
    if (priority !== 'cancel') return since + orderWaitMs;
    if (ownOrderOnly || reason === RATE_USED_UP) return since + cancelRateWaitMs;
    return Math.max(since, this.#obstructedSince ?? since) + cancelWaitMs;
  }

  /** Try to send; null if it was, else what is in the way. */
  #obstacle(waiting: Waiting): Obstacle | null {
    const { options, login, budget, clock } = this.#parts;
    const elapsed = options.elapsedMs();
    const { reference } = waiting;
    if (reference !== null && this.#referencesInFlight.has(reference)) {
      // Rule X3: an unanswered command of the same order delays no cancel for longer than this, nor does one without a window
      // another: the exchange takes the later nonce alone.
      const patience = waiting.since + options.timeouts.overtakeMs - elapsed;
      const isPatient = waiting.priority === 'cancel' || reference === WITHOUT_WINDOW;
      if (!isPatient || patience > 0) {
        const ms = isPatient ? patience : POLL_MS * 10;
        const of = reference === WITHOUT_WINDOW ? 'its kind' : 'the same order';
        return { ms, reason: `an earlier command of ${of} has no answer yet`, ownOrderOnly: true };
      }
    }
    if (this.#cancelsOfMany.cover(waiting.command)) {
      return { ms: POLL_MS, reason: 'a cancel of all orders of its account or market goes first', ownOrderOnly: true };
    }
    const token = login.current;
    if (token === null) return { ms: POLL_MS * 10, reason: 'the exchange login is not up', ownOrderOnly: false };
    const wait = budget.waitMs(waiting.category, waiting.priority);
    if (wait > 0)
      return {
        ms: Math.min(wait, RATE_POLL_MS),
        reason: RATE_USED_UP,
        ownOrderOnly: false,
      };
    const now = options.now();
    if (!this.#rangeIsKnown(now, elapsed)) {
      return { ms: POLL_MS * 10, reason: 'the nonce range of the day is being read', ownOrderOnly: false };
    }
    if (waiting.priority === 'order' && elapsed >= waiting.since + options.timeouts.orderWaitMs) {
      // Nothing is in its way, but it comes too late: nobody counts on it any more (rule O4). What takes risk away still leaves.
      return { ms: POLL_MS, reason: 'this process was held up', ownOrderOnly: true };
    }
    if (clock.isInDoubt()) {
      return {
        ms: POLL_MS,
        reason: 'our clock was set, and is compared with that of the exchange',
        ownOrderOnly: false,
      };
    }
    const urgent = waiting.priority === 'cancel' && elapsed - waiting.since >= options.timeouts.overtakeMs;
    if (waiting.above !== null && this.nonces.inFlight > 0 && !urgent) {
      // A fence would push what is still on its way out of the window: that may settle first, others go past.
      return { ms: POLL_MS, reason: 'earlier commands are unanswered', ownOrderOnly: true };
    }
    const bar = waiting.barred === null ? null : waiting.barred();
    if (bar !== null) {
      waiting.resolve({ outcome: refusedHere(bar), result: null });
      return null;
    }
    let allocation = this.nonces.allocate(now, waiting.above);
    // Rule X3: one lost answer keeps nobody else waiting for longer than this.
    while (allocation.kind === 'full' && this.nonces.leaveBehind(now - options.timeouts.overtakeMs)) {
      allocation = this.nonces.allocate(now, waiting.above);
    }
    // Rule X3: unanswered commands delay no cancel for longer than `overtakeMs`; they are fenced off by it at worst.
    // One fence makes room for a window of them; the thousands of a mass cancel would be fenced off by each other at once.
    if (allocation.kind === 'full' && urgent && elapsed - this.#fencedAt >= options.timeouts.overtakeMs) {
      allocation = this.nonces.allocate(now, this.nonces.last);
      this.#fencedAt = elapsed;
    }
    if (allocation.kind !== 'nonce') {
      const reason =
        allocation.kind === 'full' ? 'too many commands are unanswered' : 'the nonces of the day are used up';
      return { ms: POLL_MS, reason, ownOrderOnly: false };
    }
    const ticket = budget.take(waiting.category);
    if (allocation.ceiling !== null) options.onNonceCeiling(allocation.ceiling.toString());
    this.#send(waiting, allocation.nonce, token, ticket);
    return null;
  }

  /** At the day's change, commands wait for the new range; what the exchange then says is used for a second. */
  #rangeIsKnown(now: EpochMs, elapsed: number): boolean {
    const isNeeded = this.#rangeIsDoubted || this.nonces.needsRange(now);
    if (!isNeeded || elapsed - this.#rangeReadAt < RANGE_TRUSTED_MS) return true;
    if (!this.#rangeBeingRead) {
      this.#rangeBeingRead = true;
      this.#rangeIsDoubted = false;
      void this.readRange().finally(() => {
        this.#rangeBeingRead = false;
        this.#rangeReadAt = this.#parts.options.elapsedMs();
        this.#pump();
      });
    }
    return false;
  }

  #send(waiting: Waiting, nonce: bigint, token: LoginToken, ticket: RateTicket): void {
    this.#nonceOf.set(waiting.commandId, nonce);
    const { options, clock } = this.#parts;
    const { reference } = waiting;
    if (reference !== null) this.#count(reference, 1);
    if (reference === WITHOUT_WINDOW) this.#lastWithoutWindow = nonce;
    void this.#parts.http.send(this.#signed.request(waiting.command, nonce, token), waiting.priority).then((result) => {
      ticket.settle(result);
      const outcome = toOutcome(waiting.command, result);
      this.nonces.settle(nonce, tookNonce(outcome) && !isWithdrawal(waiting.command));
      if (mayRefuseTime(outcome)) clock.doubt();
      if (reference !== null) this.#count(reference, -1);
      this.#learn(result, token);
      if (refusedNonce(outcome)) {
        // Without a window any later one overtakes it.
        const { last } = this.nonces;
        const isOvertaken = reference === WITHOUT_WINDOW ? last !== nonce : last > this.nonces.fenceAbove(nonce);
        if (isOvertaken && this.#isWanted(waiting, nonce) && this.#sendAgain(waiting)) return;
        // With no later one handed out, or with room in the window, it was the range that it missed.
        this.#rangeIsDoubted ||= !isOvertaken;
      }
      if (isRefusedForUs(waiting, outcome, result) && this.#sendAgain(waiting)) return;
      if (outcome.kind === 'unknown' && !OF_ONE_ORDER.has(waiting.command.kind)) {
        options.onAlarm('outcome-open', `nobody knows what became of a ${waiting.command.kind}: ${outcome.message}`, {
          commandId: waiting.commandId,
          kind: waiting.command.kind,
        });
      }
      waiting.resolve({ outcome, result });
      this.#pump();
    });
  }

  /** Whether what was overtaken is wanted as before: the latest of those without a window, and every cancel but a fence. */
  #isWanted({ reference, priority, above }: Waiting, nonce: bigint): boolean {
    if (reference === WITHOUT_WINDOW) return this.#lastWithoutWindow === nonce;
    return priority === 'cancel' && above === null;
  }

  /**
   * A refused nonce means that nothing was carried out: it may go under another one, before those of its kind that came after
   * it. False if it was tried often enough.
   */
  #sendAgain(waiting: Waiting): boolean {
    if (this.#closed || waiting.overtaken >= OVERTAKEN_MAX) return false;
    this.#queues[PRIORITIES.indexOf(waiting.priority)]!.putBack({ ...waiting, overtaken: waiting.overtaken + 1 });
    this.#pump();
    return true;
  }

  #learn(result: HttpResult, token: LoginToken): void {
    const { login } = this.#parts;
    if (result.kind !== 'answer') return;
    if (result.status === 401) void login.replace(token.token);
    if (result.status === 429) this.#rareAlarm('rate-limited', 'the exchange answered 429: its rate limit was reached');
    if (isBlockPage(result)) this.#rareAlarm('address-blocked', 'the exchange blocks this address (403 with a page)');
  }

  /** What every command under way hears at once. */
  #rareAlarm(alarm: 'rate-limited' | 'address-blocked', text: string): void {
    const unsaid = this.#rare.due(alarm);
    if (unsaid === null) return;
    this.#parts.options.onAlarm(alarm, unsaid === 0 ? text : `${text}, ${unsaid} times since it was last said`, {});
  }

  #count(reference: string, change: 1 | -1): void {
    const count = (this.#referencesInFlight.get(reference) ?? 0) + change;
    if (count === 0) this.#referencesInFlight.delete(reference);
    else this.#referencesInFlight.set(reference, count);
  }

  #later(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, ms);
  }
}

/**
 * Whether a cancel was refused for our login, time, day or rate, and not for its order: nothing was carried out, and it goes once
 * more when that is put right, as those do that came a moment later and waited for it (rule C3). The rate may take its time: what
 * names no order would then cancel those that were entered meanwhile.
 */
function isRefusedForUs(waiting: Waiting, outcome: CommandOutcome, result: HttpResult): boolean {
  const { priority, above, overtaken, command } = waiting;
  if (priority !== 'cancel' || above !== null || overtaken > 0 || outcome.kind !== 'refused') return false;
  if (result.kind === 'answer' && (result.status === 429 || isBlockPage(result))) return command.kind === 'cancelOrder';
  return outcome.httpStatus === 401 || mayRefuseTime(outcome) || refusedNonce(outcome);
}

function refused(message: string): Promise<CommandResult> {
  return Promise.resolve({ outcome: refusedHere(message), result: null });
}

function giveUp(waiting: Waiting, message: string, overRate = false): void {
  const outcome = refusedHere(message);
  waiting.resolve({ outcome: overRate ? { ...outcome, overRate } : outcome, result: null });
}
