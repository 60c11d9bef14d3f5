// Messages of one session for `for await`: a bounded queue between the session and a loop that awaits. Leaves the copy of a
// message and the end of a session to their callers.

import { CrossgateError } from '../../base/errors.ts';
import type { FixMessage } from './fix-message.ts';

/** Messages that may wait for a loop. */
export const FEED_MESSAGES_MAX = 10_000;

type Next = IteratorResult<FixMessage, undefined>;

export class MessageFeed implements AsyncIterator<FixMessage, undefined> {
  readonly #sessionID: string;
  readonly #left: (feed: MessageFeed) => void;
  #queue: FixMessage[] = [];
  /** Messages of the queue that were taken. */
  #taken = 0;
  readonly #waiting: PromiseWithResolvers<Next>[] = [];
  #isEnded = false;
  #failure: CrossgateError | null = null;

  constructor(sessionID: string, left: (feed: MessageFeed) => void) {
    this.#sessionID = sessionID;
    this.#left = left;
  }

  /** Add a message with bytes of its own. The one beyond the limit ends the feed with an error. */
  push(message: FixMessage): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting.resolve({ done: false, value: message });
      return;
    }
    if (this.#queue.length - this.#taken < FEED_MESSAGES_MAX) {
      this.#queue.push(message);
      return;
    }
    const text = `${this.#sessionID}: ${FEED_MESSAGES_MAX} messages wait for a \`for await\` loop; read faster, or use onMessage`;
    this.#failure = new CrossgateError('XG_READER_BEHIND', text);
    this.end();
  }

  /** Nothing follows: the loop gets the messages that wait, then ends. */
  end(): void {
    this.#isEnded = true;
    this.#left(this);
    for (const { resolve } of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  /** The next message. @throws CrossgateError XG_READER_BEHIND behind the last message before the overflow */
  async next(): Promise<Next> {
    const value = this.#queue[this.#taken];
    if (value !== undefined) {
      this.#taken++;
      if (this.#taken === this.#queue.length || this.#taken === FEED_MESSAGES_MAX) {
        this.#queue = this.#queue.slice(this.#taken);
        this.#taken = 0;
      }
      return { done: false, value };
    }
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
    if (this.#isEnded) return { done: true, value: undefined };
    const waiting = Promise.withResolvers<Next>();
    this.#waiting.push(waiting);
    return await waiting.promise;
  }

  /** The loop was left. */
  async return(): Promise<Next> {
    this.#queue = [];
    this.#taken = 0;
    this.#failure = null;
    this.end();
    return { done: true, value: undefined };
  }
}
