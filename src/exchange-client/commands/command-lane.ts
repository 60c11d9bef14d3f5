// The way of a command to the exchange: its turn, its share of the rate, its nonce, one POST, its outcome. Sent once
// (rules U1, U3), except for a cancel that was refused because higher nonces had overtaken its own.
// command-obstacles.ts has its obstacles, signed-commands.ts request and signature; reads, streams and the meaning of
// outcomes for FIX are elsewhere.

import { assert } from '../../base/assert.ts';
import { RecentBigInts } from '../../base/collections/recent-prints.ts';
import {
  type CommandOutcome,
  type ExchangeCommand,
  isWithdrawal,
  NonceAllocator,
  refusedHere,
} from '../../exchange/mod.ts';
import type { Signer } from '../login/credential.ts';
import type { LoginToken } from '../login/login.ts';
import type { RatePriority, RateTicket } from '../rates/rate-budget.ts';
import { cancelsAmongOrders, categoryOfCommand } from '../rates/rate-category.ts';
import type { HttpRequest, HttpResult } from '../reads/http.ts';
import { Acknowledgements } from './acknowledgements.ts';
import {
  CommandObstacles,
  type CommandObstaclesParts,
  RATE_USED_UP,
  type WaitingCommand,
} from './command-obstacles.ts';
import {
  accountOf,
  CancelsOfMany,
  isCancelledBy,
  mustRunOnce,
  nameOf,
  referenceOf,
  WITHOUT_WINDOW,
} from './command-order.ts';
import type { CommandWays } from './command-ways.ts';
import { FairQueue, type Obstacle } from './fair-queue.ts';
import {
  afterRefusedNonce,
  CUSTODY_NEEDS_ECDSA,
  isBlockPage,
  mayRefuseTime,
  refusedNonce,
  tookNonce,
} from './outcome.ts';
import { SettledNonces } from './settled-nonces.ts';
import { SignedCommands } from './signed-commands.ts';

/** Commands waiting for their turn; beyond it they are refused here. */
const WAITING_MAX = 10_000;
/** Every order of a gateway may have to be cancelled at once. */
const CANCELS_WAITING_MAX = 200_000;
/** Commands with a nonce kept for a later look-up; for a forgotten one the latest nonce is assumed. */
const REMEMBERED_MAX = 10_000;

/** Attempts for a command with a nonce refused because an order overtook it. */
const OVERTAKEN_MAX = 5;

/** An answer ends it; until then those that wait expire in time. */
const ALL_CONNECTIONS_BUSY: Obstacle = {
  ms: 100,
  reason: 'every connection for orders waits for an answer of the exchange',
  ownOrderOnly: false,
};

/** Commands about one order: the order's owner reports unknown outcomes. */
const OF_ONE_ORDER: ReadonlySet<string> = new Set(['createOrder', 'amendOrder', 'cancelOrder']);

/** Outcome of a command, with the answer's body for callers that pass it on. */
export interface CommandResult {
  readonly outcome: CommandOutcome;
  readonly result: HttpResult | null;
}

/** A command on its way. */
export interface Submission {
  readonly commandId: string;
  readonly command: ExchangeCommand;
  readonly priority: RatePriority;
  /** A nonce greater than this is needed: it is a fence (rule U2). */
  readonly above?: bigint;
  /** A FIX session; sharers take turns where commands have to wait. */
  readonly sharer?: string | undefined;
  /** Where the rate has no room it is refused, and does not wait. */
  readonly atOnce?: boolean;
  /** Says at its turn why it must not leave any more, or null. */
  readonly barred?: (() => string | null) | null;
}

interface Waiting extends WaitingCommand {
  readonly commandId: string;
  /** How often its nonce was refused because a later one had overtaken it. */
  readonly overtaken: number;
  /** Why it must not leave any more; asked when its turn has come. */
  readonly barred: (() => string | null) | null;
  readonly resolve: (result: CommandResult) => void;
}

const PRIORITIES: readonly RatePriority[] = ['cancel', 'order', 'read', 'bridge'];

export interface CommandLaneParts extends CommandObstaclesParts {
  readonly signer: Signer;
  readonly http: CommandWays;
  /** A refused nonce sends the next ones no further ahead: they would overtake those of a gateway that runs. */
  readonly keepsNonces?: boolean;
}

export class CommandLane {
  readonly nonces: NonceAllocator;
  readonly #parts: CommandLaneParts;
  readonly #signed: SignedCommands;
  readonly #cancelsAmongOrders: boolean;
  readonly #obstacles: CommandObstacles;
  /** Most urgent first. */
  readonly #queues: readonly FairQueue<Waiting>[] = PRIORITIES.map(
    () => new FairQueue((waiting, obstacle) => this.#obstacles.giveUpAt(waiting, obstacle)),
  );
  readonly #nonceOf = new RecentBigInts(REMEMBERED_MAX);
  readonly #settled: SettledNonces;
  readonly #acknowledgements = new Acknowledgements();
  /** The nonce of the latest command without a window. */
  #lastWithoutWindow = -1n;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  /** Done when every command so far is signed and sent, or was not signed. */
  #signing: Promise<void> = Promise.resolve();
  /** Highest nonce that an earlier process may have used; -1 if there was none. */
  readonly recoveredCeiling: bigint;

  constructor(parts: CommandLaneParts) {
    const { nonceMode, nonceCeiling, timeouts } = parts.options;
    this.#settled = new SettledNonces(timeouts.settleMs);
    this.#parts = parts;
    this.#signed = new SignedCommands(parts);
    this.#cancelsAmongOrders = cancelsAmongOrders(parts.options);
    this.nonces = new NonceAllocator(nonceMode, nonceCeiling === null ? null : BigInt(nonceCeiling));
    this.#obstacles = new CommandObstacles(parts, this.nonces, () => this.#pump());
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
   * True if the exchange can no longer accept a nonce, and could not for long enough that reads from now on show its
   * effect.
   */
  isSettled(nonce: bigint): boolean {
    const { nonces } = this;
    return nonces.isFenced(nonce) && this.#settled.highest(this.#parts.options.elapsedMs()) > nonces.fenceAbove(nonce);
  }

  /** Send once; resolves always. */
  submit({ commandId, command, priority, above, sharer, barred, atOnce = false }: Submission): Promise<CommandResult> {
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
        this.#obstacles.cancelsOfMany.add(commandId, command);
        resolve = (result) => {
          this.#obstacles.cancelsOfMany.delete(commandId);
          answer(result);
        };
      }
      queue.push({
        sharer: sharer ?? '',
        commandId,
        command,
        priority,
        category: categoryOfCommand(command, this.#cancelsAmongOrders),
        reference: referenceOf(command),
        since: elapsedMs(),
        atOnce,
        above: above ?? null,
        overtaken: 0,
        barred: barred ?? null,
        resolve,
      });
      this.#pump();
    });
  }

  /**
   * Creates and amendments that wait here are not overtaken by cancels of their orders (rule X3): they do not leave any
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

  /** Send permitted commands now; those that wait too long are refused here, with the reason. */
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

  /** Try to send; null if sent, else the obstacle. */
  #try(waiting: Waiting): Obstacle | null {
    const obstacle = this.#obstacles.of(waiting) ?? this.#leave(waiting);
    this.#obstacles.tried(obstacle);
    return obstacle;
  }

  /** Send commands that lack only a nonce, unless they must not leave any more. */
  #leave(waiting: Waiting): Obstacle | null {
    const { login, budget, http } = this.#parts;
    const token = login.current;
    assert(token !== null, 'nothing is in its way: the login is up');
    const bar = waiting.barred === null ? null : waiting.barred();
    if (bar !== null) {
      waiting.resolve({ outcome: refusedHere(bar), result: null });
      return null;
    }
    // Behind the connections orders are sent first in, first out: a burst of one sharer would be ahead of all others.
    if (waiting.priority === 'order' && !http.hasRoomForOrders) return ALL_CONNECTIONS_BUSY;
    const nonce = this.#obstacles.nonceOf(waiting);
    if (typeof nonce !== 'bigint') return nonce;
    this.#send(waiting, nonce, token, budget.take(waiting.category, waiting.priority));
    return null;
  }

  #send(waiting: Waiting, nonce: bigint, token: LoginToken, ticket: RateTicket): void {
    this.#nonceOf.set(waiting.commandId, nonce);
    const { clock } = this.#parts;
    this.#obstacles.left(waiting);
    if (waiting.reference === WITHOUT_WINDOW) this.#lastWithoutWindow = nonce;
    void this.#post(waiting, this.#signed.request(waiting.command, nonce, token)).then((result) => {
      ticket.settle(result);
      const outcome = this.#acknowledgements.outcome(waiting.command, result);
      this.#settle(nonce, tookNonce(outcome) && !isWithdrawal(waiting.command));
      if (mayRefuseTime(outcome)) clock.doubt();
      this.#obstacles.settled(waiting);
      this.#learn(result, outcome, token);
      if (refusedNonce(outcome) && this.#nonceRefused(waiting, nonce)) return;
      if (isRefusedForUs(waiting, outcome, result) && this.#sendAgain(waiting)) return;
      this.#resolve(waiting, outcome, result);
      this.#pump();
    });
  }

  /**
   * A command that a signer outside this process does not sign never leaves (rule U1). Signed ones leave in the order of
   * their nonces: an overtaken one would be refused, and a signature waits for those before it, which are bounded in time.
   */
  #post({ priority, command, commandId }: Waiting, request: HttpRequest | Promise<HttpRequest>): Promise<HttpResult> {
    const { http, options } = this.#parts;
    const { onSent } = options;
    const said = command.kind === 'createOrder' && onSent !== undefined ? () => onSent(commandId) : null;
    if (!(request instanceof Promise)) return http.send(request, priority, said);
    const before = this.#signing;
    this.#obstacles.signingBegins();
    const signed = request.finally(() => {
      this.#obstacles.signingEnded();
      this.#pump();
    });
    const sent = signed.then(
      async (ready) => {
        await before;
        // Not awaited here: the next one follows at once.
        return { answer: http.send(ready, priority, said) };
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        return { answer: Promise.resolve<HttpResult>({ kind: 'notSent', message }) };
      },
    );
    // Without their results: each would hold those of every command before it.
    this.#signing = Promise.all([before, sent]).then(() => undefined);
    return sent.then(({ answer }) => answer);
  }

  #resolve({ commandId, command, resolve }: Waiting, outcome: CommandOutcome, result: HttpResult): void {
    const isOpen = refusedNonce(outcome) && mustRunOnce(command);
    const told = isOpen && outcome.kind === 'refused' ? afterRefusedNonce(outcome.message) : outcome;
    if (told.kind === 'unknown' && !OF_ONE_ORDER.has(command.kind)) {
      const kind = nameOf(command);
      const text = `the outcome is unknown of a ${kind}: ${told.message}`;
      this.#parts.options.onAlarm('outcome-open', text, { commandId, kind, tradingAccountId: accountOf(command) });
    }
    resolve({ outcome: told, result });
  }

  /** True if a command with a refused nonce is sent again. */
  #nonceRefused(waiting: Waiting, nonce: bigint): boolean {
    // A withdrawal has a UUID.
    if (isWithdrawal(waiting.command)) return false;
    const { last } = this.nonces;
    // Without a window any later one overtakes it.
    const isOvertaken = waiting.reference === WITHOUT_WINDOW ? last !== nonce : last > this.nonces.fenceAbove(nonce);
    const follows = isOvertaken || this.#stepAhead(nonce);
    return follows && this.#isWanted(waiting, nonce) && this.#sendAgain(waiting);
  }

  #settle(nonce: bigint, acknowledged: boolean): void {
    this.nonces.settle(nonce, acknowledged);
    if (acknowledged) this.#settled.note(this.nonces.highestAcknowledged, this.#parts.options.elapsedMs());
  }

  /**
   * True if the refused command may be sent again, even twice: every cancel except a fence, and the latest one without
   * a window.
   */
  #isWanted({ command, reference, priority, above }: Waiting, nonce: bigint): boolean {
    if (reference === WITHOUT_WINDOW) return this.#lastWithoutWindow === nonce && !mustRunOnce(command);
    return this.#isCancel({ priority, above });
  }

  /**
   * If no later nonce was handed out, or the window has room, this one missed the range, or another process of the key
   * was ahead. A cancel goes again under a higher nonce. Other commands do not: if a device on the way sent it twice,
   * the first was carried out (rule U3).
   */
  #stepAhead(nonce: bigint): boolean {
    const { options, keepsNonces } = this.#parts;
    this.#obstacles.doubtRange();
    if (keepsNonces === true || !this.nonces.stepAhead(options.now())) return false;
    const aheadMs = Number(this.nonces.last / 1000n) - options.now();
    const text =
      'the exchange refused a nonce: another process of this key was ahead, or something on the way delivered it twice; the next ones are further ahead';
    options.log('warn', text, { nonce: nonce.toString(), aheadS: Math.ceil(aheadMs / 1_000) });
    return true;
  }

  /** A fence is not repeated: its sender makes another. */
  #isCancel({ priority, above }: Pick<Waiting, 'priority' | 'above'>): boolean {
    return priority === 'cancel' && above === null;
  }

  /** Under another nonce, before those of its kind that came after it. False if it was tried often enough. */
  #sendAgain(waiting: Waiting): boolean {
    if (this.#closed || waiting.overtaken >= OVERTAKEN_MAX) return false;
    this.#queues[PRIORITIES.indexOf(waiting.priority)]!.putBack({ ...waiting, overtaken: waiting.overtaken + 1 });
    this.#pump();
    return true;
  }

  #learn(result: HttpResult, outcome: CommandOutcome, token: LoginToken): void {
    const { login, http } = this.#parts;
    if (result.kind !== 'answer') return;
    if (result.status === 401) void login.replace(token.token);
    if (result.status === 200 && outcome.kind === 'unknown') http.distrust(result);
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
 * True if a cancel was refused for our login, time, day or rate, not for its order. It was not carried out, and goes
 * once more when the cause is gone, like cancels that came later and waited for it (rule C3). The rate may take long: a
 * cancel without an order would then cancel orders entered meanwhile.
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
