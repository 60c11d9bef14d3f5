// Connections of a command. An unanswered command occupies its connection until its time limit. So orders use none that
// a cancel needs (rule C3), and the bridge none that an order needs (rule B4).

import type { RatePriority } from '../rates/rate-budget.ts';
import type { HttpAnswer, HttpRequest, HttpResult } from '../reads/http.ts';
import type { ServiceWatch } from '../service-watch.ts';
import { CommandConnections, type CommandConnectionsLimits } from './command-connections.ts';

/** Cancels that can be unanswered while the connections of the orders are all taken. */
const CANCELS_BESIDE = 16;
/** Commands of the bridge that can be unanswered at once. */
const OF_BRIDGE = 8;

export class CommandWays {
  readonly #orders: CommandConnections;
  readonly #cancels: CommandConnections;
  readonly #bridge: CommandConnections;

  readonly #watch: ServiceWatch;

  constructor(baseUrl: string, limits: CommandConnectionsLimits, watch: ServiceWatch) {
    this.#watch = watch;
    this.#orders = new CommandConnections(baseUrl, limits);
    this.#cancels = new CommandConnections(baseUrl, { ...limits, connections: CANCELS_BESIDE });
    this.#bridge = new CommandConnections(baseUrl, { ...limits, connections: OF_BRIDGE });
  }

  /** Whether an order would leave at once. */
  get hasRoomForOrders(): boolean {
    return this.#orders.hasRoom;
  }

  /** Send once; resolves always. `onSent`: said once it is handed to the socket. */
  send(request: HttpRequest, priority: RatePriority, onSent: (() => void) | null = null): Promise<HttpResult> {
    if (priority === 'bridge') return this.#bridge.send(request);
    // Those of the orders are open already, mostly.
    const connections = priority === 'cancel' && !this.#orders.hasRoom ? this.#cancels : this.#orders;
    return this.#watch.of('orders', connections.send(request, undefined, onSent));
  }

  /** An answer was not that of its command: its connection is used no longer. */
  distrust(answer: HttpAnswer): void {
    for (const connections of [this.#orders, this.#cancels, this.#bridge]) connections.distrust(answer);
  }

  close(): void {
    for (const connections of [this.#orders, this.#cancels, this.#bridge]) connections.close();
  }
}
