// One receiver of alarms: sends what its severity asks for, one at a time, tries again what failed, and bounds what
// waits. A receiver that does not answer raises no alarm of its own: it is logged and measured.

import { CrossgateError } from '../../base/errors.ts';
import { Seldom } from '../../base/seldom.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { AlarmReceiver } from '../../runtime/mod.ts';
import type { Notice } from './alarm-book.ts';
import type { Severity } from './alarm-severity.ts';
import { alertmanagerPayload, type Links, slackPayload } from './payloads.ts';

const QUEUE_MAX = 500;
const REQUEST_MS = 10_000;
const ATTEMPTS_MAX = 10;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;
const LOG_MS = 60_000;

const RANK: Readonly<Record<Severity, number>> = { info: 0, warning: 1, critical: 2 };

export interface ReceiverOptions {
  readonly receiver: AlarmReceiver;
  readonly links: Links;
  readonly log: EngineLog;
  /** First pause before another attempt; each is twice the one before. */
  readonly retryFirstMs?: number;
}

/** Notices by their fate. */
export interface DeliveryCounts {
  delivered: number;
  /** Refused by the receiver, or tried often enough. */
  failed: number;
  /** Pushed out of a full queue. */
  dropped: number;
}

/** The answer to an attempt. */
type Answer = { readonly kind: 'taken' } | { readonly kind: 'refused' | 'retry'; readonly why: string };

export class Receiver {
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, dropped: 0 };
  readonly #options: ReceiverOptions;
  readonly #seldom = new Seldom(LOG_MS);
  #queue: Notice[] = [];
  #attempts = 0;
  #isSending = false;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #idleWaiters: (() => void)[] = [];

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.receiver.name;
  }

  get queued(): number {
    return this.#queue.length;
  }

  send(notice: Notice): void {
    if (this.#isClosed || RANK[notice.alarm.severity] < RANK[this.#options.receiver.minSeverity]) return;
    // A newer notice about the same alarm says all that the older one says.
    const from = this.#isSending ? 1 : 0;
    const at = this.#queue.findIndex(({ alarm }, i) => i >= from && alarm.id === notice.alarm.id);
    if (at === -1) this.#queue.push(notice);
    else this.#queue[at] = notice;
    if (this.#queue.length > QUEUE_MAX) {
      this.#queue.splice(from, 1);
      this.counts.dropped++;
    }
    if (this.#timer === null) void this.#sendFirst();
  }

  /** Send what waits for `limitMs` at most, then give up. */
  async close(limitMs: number): Promise<void> {
    if (this.#queue.length > 0) {
      const idle = new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
      const late = new Promise<void>((resolve) => setTimeout(resolve, limitMs).unref());
      await Promise.race([idle, late]);
    }
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#queue = [];
  }

  async #sendFirst(): Promise<void> {
    const notice = this.#queue[0];
    if (this.#isSending || this.#isClosed || notice === undefined) return;
    this.#isSending = true;
    const answer = await this.#post(notice);
    this.#isSending = false;
    if (this.#isClosed) return;
    this.#attempts++;
    if (answer.kind === 'retry' && this.#attempts < ATTEMPTS_MAX) {
      this.#tell('again', `an alarm is not taken yet and is sent again: ${answer.why}`);
      const { retryFirstMs = RETRY_FIRST_MS } = this.#options;
      const pause = Math.min(retryFirstMs * 2 ** (this.#attempts - 1), RETRY_MAX_MS);
      this.#timer = setTimeout(() => {
        this.#timer = null;
        void this.#sendFirst();
      }, pause).unref();
      return;
    }
    this.#queue.shift();
    this.#attempts = 0;
    if (answer.kind === 'taken') this.counts.delivered++;
    else {
      this.counts.failed++;
      this.#tell('given up', `an alarm was not taken and is given up: ${answer.why}`);
    }
    if (this.#queue.length > 0) void this.#sendFirst();
    else for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #post(notice: Notice): Promise<Answer> {
    const { receiver, links } = this.#options;
    const { kind, url, authorization } = receiver;
    try {
      const base = url.read();
      const address = kind === 'slack' ? base : `${base.replace(/\/+$/, '')}/api/v2/alerts`;
      const body = kind === 'slack' ? slackPayload(notice, links) : alertmanagerPayload(notice, links);
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization === null ? {} : { authorization: authorization.read() }),
        },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      await response.body?.cancel();
      if (response.ok) return { kind: 'taken' };
      const isPassing = response.status >= 500 || response.status === 429 || response.status === 408;
      return { kind: isPassing ? 'retry' : 'refused', why: `it answered ${response.status}` };
    } catch (error) {
      return { kind: 'retry', why: reasonOf(error) };
    }
  }

  #tell(kind: string, text: string): void {
    const fields = { receiver: this.name };
    this.#seldom.tell(kind, performance.now(), fields, (told) => this.#options.log('warn', text, told));
  }
}

/** Never with the address, which is a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof CrossgateError) return error.message;
  const { name, cause } = (error ?? {}) as { readonly name?: string; readonly cause?: { readonly code?: string } };
  if (name === 'TimeoutError') return `no answer within ${REQUEST_MS} ms`;
  return cause?.code ?? name ?? 'it cannot be reached';
}
