// What comes over a connection of an HTTP server and is no whole request, of which no route hears: it is refused and its
// connection ended, behind the answers to what came whole before it. That is being carried out, and its caller must not take
// this for its answer. Leaves what the refusal says to the server.

/** As Node.js has it. */
export interface RequestConnection {
  readonly writable: boolean;
  end(text: string): unknown;
  destroy(): unknown;
  destroySoon(): unknown;
}

interface DueAnswer {
  readonly req: { readonly complete: boolean };
  once(event: 'close', listener: () => void): unknown;
}

interface RequestServer {
  on(
    event: 'request',
    listener: (request: { readonly socket: RequestConnection }, response: DueAnswer) => void,
  ): unknown;
}

export interface Refusal {
  /** With its reason phrase: `400 Bad Request`. */
  readonly status: string;
  readonly type: string;
  /** Characters of ASCII. */
  readonly body: string;
}

/** What is said to each kind. */
export interface Refusals {
  readonly tooSlow: Refusal;
  readonly headersTooLong: Refusal;
  readonly noRequest: Refusal;
}

/** By the code of Node.js's error; all others are no request at all. */
const KINDS: ReadonlyMap<string | undefined, keyof Refusals> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'tooSlow'],
  ['HPE_HEADER_OVERFLOW', 'headersTooLong'],
]);

export class UnreadRequests {
  private readonly refusals: Refusals;
  /** What a connection is still to be answered. */
  private readonly due = new WeakMap<RequestConnection, Set<DueAnswer>>();
  /** Whatever else comes over these is not looked at. */
  private readonly refused = new WeakSet<RequestConnection>();

  constructor(refusals: Refusals) {
    this.refusals = refusals;
  }

  watch(server: RequestServer): void {
    server.on('request', ({ socket }, response) => {
      const due = this.due.get(socket) ?? new Set();
      this.due.set(socket, due.add(response));
      response.once('close', () => due.delete(response));
    });
  }

  refuse({ code }: { readonly code?: string | undefined }, socket: RequestConnection): void {
    if (!socket.writable || code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    // What this is the rest of never becomes whole.
    const before = [...(this.due.get(socket) ?? [])].filter(({ req }) => req.complete);
    let left = before.length;
    if (left === 0) this.end(socket, code);
    for (const response of before) {
      response.once('close', () => {
        if (--left === 0) this.end(socket, code);
      });
    }
  }

  private end(socket: RequestConnection, code: string | undefined): void {
    if (!socket.writable) return;
    const { status, type, body } = this.refusals[KINDS.get(code) ?? 'noRequest'];
    const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: ${type}\r\n`;
    socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    socket.destroySoon();
  }
}
