// Requests that a client sends ahead on one connection: each waits for the answer to the one before. A client has as many connections
// to a partition as it has to the front, so that none takes those of the others.

import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that wait on one connection: a client that sends more floods, and is cut off. */
const WAITING_MAX = 1_000;

export class OneByOne {
  readonly #waiting = new WeakMap<Duplex, (() => void)[]>();

  /** Carry out a request once the answers before it have ended. */
  take(connection: Duplex, response: ServerResponse, run: () => void): void {
    const begin = (): void => {
      response.once('close', () => this.#next(connection));
      run();
    };
    const waiting = this.#waiting.get(connection);
    if (waiting === undefined) {
      this.#waiting.set(connection, []);
      begin();
    } else if (waiting.push(begin) > WAITING_MAX) {
      connection.destroy();
    }
  }

  #next(connection: Duplex): void {
    const next = connection.destroyed ? undefined : this.#waiting.get(connection)?.shift();
    if (next === undefined) this.#waiting.delete(connection);
    else next();
  }
}
