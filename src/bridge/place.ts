// A request's place among those of its caller: taken when it is let in, given back when it is answered or its connection has
// ended, and the work for it at the exchange, which goes on when the caller has hung up, is done.

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
      // The end of a socket tells the response of it on its way: both come then.
      if (!this.open) return;
      response.off('close', over);
      socket.off('close', over);
      this.open = false;
      if (!this.working) caller.requests--;
    };
    // Where the connection ends first the answer is never sent, and Fastify tells nobody.
    response.once('close', over);
    // As many as are sent ahead on one connection, which Node.js takes for a leak.
    socket.setMaxListeners(0).once('close', over);
  }

  /** Carry out what was asked for. */
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
