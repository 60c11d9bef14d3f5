// Connections for HTTP requests to other nodes, kept open between them.

import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

class PeerAgent extends Agent {
  readonly #dial: () => Duplex;

  /** @param dial opens a connection, on which the node has to prove itself */
  constructor(dial: () => Duplex, maxSockets: number) {
    super({ keepAlive: true, maxSockets });
    this.#dial = dial;
  }

  override createConnection(): Duplex {
    return this.#dial();
  }
}

/** An agent for each node, by its address. */
export class PeerAgents {
  readonly #agents = new Map<string, Agent>();
  readonly #connectionsMax: number;

  /** @param connectionsMax to each node */
  constructor(connectionsMax = Number.POSITIVE_INFINITY) {
    this.#connectionsMax = connectionsMax;
  }

  /** The agent of a node; one that is not there yet opens its connections by `dial`. */
  to(address: string, dial: () => Duplex): Agent {
    const agent = this.#agents.get(address) ?? new PeerAgent(dial, this.#connectionsMax);
    this.#agents.set(address, agent);
    return agent;
  }

  destroy(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}
