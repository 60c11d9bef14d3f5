// A request's place among those of its caller: taken on admission, and returned after the answer or the end of the
// connection, once its work at the exchange is done. That work continues after the caller has hung up.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from './access.ts';

export class Place {
  readonly caller: Caller;
  private open = true;
  private working = false;

  constructor(caller: Caller, response: ServerResponse, socket: Socket) {
    this.caller = caller;
    caller.requests++;
    const over = (): void => {
      // A socket's end also ends its response: both events come.
      if (!this.open) return;
      response.off('close', over);
      socket.off('close', over);
      this.open = false;
      if (!this.working) caller.requests--;
    };
    // If the connection ends first, the answer is never sent and Fastify reports nothing.
    response.once('close', over);
    // As many as are sent ahead on one connection, which Node.js takes for a leak.
    socket.setMaxListeners(0).once('close', over);
  }

  /** Carry out the request. */
  async work<T>(run: () => Promise<T>): Promise<T> {
    if (!this.open) this.caller.requests++;
    this.working = true;
    try {
      return await run();
    } finally {
      this.working = false;
      if (!this.open) this.caller.requests--;
    }
  }
}
