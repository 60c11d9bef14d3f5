// Whether the exchange serves this login now: its answers to orders and reads, one kind apart from the other. Feeds own
// the streams; outcome.ts interprets an answer for its order.

import { describeResult, isBlockPage, isWebPage } from './commands/outcome.ts';
import type { HttpResult } from './reads/http.ts';

type Kind = 'orders' | 'reads';

/** An answer that takes longer is an obstacle already, long before its own time limit. */
const LATE_MS = 1_200;
/** After a failure without a later order, the next order may try again. */
const FORGET_MS = 30_000;

interface Watched {
  /** When each request left that is unanswered, the oldest first. */
  readonly pending: Set<{ readonly since: number }>;
  failure: { readonly reason: string; readonly at: number } | null;
  /** Connections that broke since the last answer. One alone is no failure: the exchange closes idle ones. */
  broken: number;
}

export class ServiceWatch {
  readonly #kinds: Readonly<Record<Kind, Watched>> = {
    orders: { pending: new Set(), failure: null, broken: 0 },
    reads: { pending: new Set(), failure: null, broken: 0 },
  };
  readonly #elapsedMs: () => number;

  constructor(elapsedMs = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
  }

  /** Watch one request from now on; resolves as it does. */
  async of(kind: Kind, result: Promise<HttpResult>): Promise<HttpResult> {
    const { pending } = this.#kinds[kind];
    const entry = { since: this.#elapsedMs() };
    pending.add(entry);
    try {
      const answer = await result;
      this.#note(kind, answer, entry.since);
      return answer;
    } finally {
      pending.delete(entry);
    }
  }

  /** The reason why the exchange does not serve, or null. */
  get obstacle(): string | null {
    for (const kind of ['orders', 'reads'] as const) {
      const { failure, pending } = this.#kinds[kind];
      if (failure !== null && this.#elapsedMs() - failure.at <= FORGET_MS) return failure.reason;
      const [oldest] = pending;
      if (oldest !== undefined && this.#elapsedMs() - oldest.since > LATE_MS) {
        return `the exchange has not answered ${kind} for over ${LATE_MS} ms`;
      }
    }
    return null;
  }

  #note(kind: Kind, result: HttpResult, since: number): void {
    const watched = this.#kinds[kind];
    const at = this.#elapsedMs();
    if (result.kind === 'answer') {
      watched.broken = 0;
      const reason = isBlockPage(result)
        ? 'the exchange blocks this address'
        : isWebPage(result) || result.status >= 500
          ? `the exchange answers ${kind} with ${describeResult(result)}`
          : null;
      watched.failure = reason === null ? null : { reason, at };
      return;
    }
    watched.broken++;
    if (watched.broken < 2 && at - since < LATE_MS) return;
    watched.failure = { reason: `the exchange does not answer ${kind}: ${result.message}`, at };
  }
}
