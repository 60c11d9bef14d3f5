// Connections for HTTP requests to another node, kept open between them.

import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

export class PeerAgent extends Agent {
  readonly #dial: () => Duplex;

  /** @param dial opens a connection, on which the node has to prove itself */
  constructor(dial: () => Duplex, maxSockets = Number.POSITIVE_INFINITY) {
    super({ keepAlive: true, maxSockets });
    this.#dial = dial;
  }

  override createConnection(): Duplex {
    return this.#dial();
  }
}
