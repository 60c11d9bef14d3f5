// Brings jspurefix to life: loads it on demand, runs one of its initiator sessions, and taps the bytes on both sides of
// its socket. Nothing here knows orders; `oms.ts` does.

import type {
  AsciiSession,
  AsciiSessionMsgFactory,
  EngineFactory,
  IJsFixConfig,
  ISessionDescription,
  ISessionMsgFactory,
  MsgTransport,
  SessionLauncher,
} from 'jspurefix';
import { requireJspurefix } from './jspurefix.ts';
import type { SequenceStore } from './sequence-store.ts';

type Jspurefix = typeof import('jspurefix');

/**
 * Events of a running session for its owner. Byte chunks arrive as the socket carried them and may split frames
 * anywhere.
 */
export interface EngineListener {
  bytesIn(chunk: Buffer): void;
  bytesOut(chunk: Buffer): void;
  /** The acceptor answered our Logon. */
  loggedOn(): void;
  /** LastMsgSeqNumProcessed(369) of the next message; 0 leaves it out. */
  lastProcessed(): number;
}

/** One initiator session. `ended` settles once, when the session is over: null after a Logout handshake. */
export interface EngineSession {
  send(msgType: string, body: Readonly<Record<string, unknown>>): void;
  logout(): void;
  /** Drop the connection without a Logout, as a crash would. */
  hangUp(): void;
  readonly ended: Promise<Error | null>;
}

function loadJspurefix(): Jspurefix {
  return requireJspurefix('drives the demonstration OMS') as Jspurefix;
}

interface SessionHandle {
  submit(msgType: string, body: Readonly<Record<string, unknown>>): void;
  done(): void;
  hangUp(reason: string): void;
}

function tap(transport: MsgTransport, listener: EngineListener, closed: () => void): void {
  const readable = transport.duplex.readable;
  // TLS sockets come with utf8 decoding set: FIX fields of ours are ASCII, so the round trip keeps every byte.
  readable.on('data', (chunk: Buffer | string) => listener.bytesIn(Buffer.from(chunk as string)));
  readable.on('close', closed);
  transport.transmitter.encodeStream.on('data', (chunk: Buffer) => listener.bytesOut(Buffer.from(chunk)));
}

function sessionClass(jspurefix: Jspurefix, listener: EngineListener) {
  return class extends jspurefix.AsciiSession implements SessionHandle {
    constructor(config: IJsFixConfig) {
      super(config);
      // Off by default for an initiator: on, it checks sums, required and undefined tags of the acceptor's messages.
      this.checkMsgIntegrity = true;
      // A late 'error' event without a listener would end the process.
      this.on('error', () => {});
    }

    override async run(transport: MsgTransport): Promise<number> {
      // After a reset of the connection the parser sees no 'end'; without this the session would live on its timer.
      tap(transport, listener, () => setImmediate(() => this.hangUp('the connection was closed')));
      return await super.run(transport);
    }

    submit(msgType: string, body: Readonly<Record<string, unknown>>): void {
      this.send(msgType, { ...body });
    }

    hangUp(reason: string): void {
      this.transport?.duplex.destroy();
      this.requestStop(reason);
    }

    protected override onReady(): void {
      listener.loggedOn();
    }
    protected override onLogon(): boolean {
      return true;
    }
    protected override onApplicationMsg(): void {}
    protected override onStopped(): void {}
    protected override onDecoded(): void {}
    protected override onEncoded(): void {}
  };
}

/**
 * Start an initiator session and return at once; `listener.loggedOn` or `ended` follows.
 * @throws CrossgateError XG_USAGE if jspurefix is not installed
 */
export async function startSession(
  description: ISessionDescription,
  store: SequenceStore,
  listener: EngineListener,
): Promise<EngineSession> {
  const jspurefix = loadJspurefix();
  const OmsSession = sessionClass(jspurefix, listener);
  class MsgFactory extends jspurefix.AsciiSessionMsgFactory {
    override header(
      ...parts: Parameters<AsciiSessionMsgFactory['header']>
    ): ReturnType<AsciiSessionMsgFactory['header']> {
      const last = listener.lastProcessed();
      const header = super.header(...parts);
      return last > 0 ? { ...header, LastMsgSeqNumProcessed: last } : header;
    }
  }
  let handle: SessionHandle | null = null;
  class Launcher extends jspurefix.SessionLauncher {
    constructor() {
      super(description, null, new jspurefix.EmptyLogFactory());
    }
    protected override makeSessionMsgFactory(own: ISessionDescription): ISessionMsgFactory {
      return new MsgFactory(own);
    }
    protected override makeFactory(): EngineFactory {
      return {
        makeSession: (config: IJsFixConfig): AsciiSession => {
          config.sessionStoreFactory = { create: (sessionId) => store.attach(sessionId) };
          const session = new OmsSession(config);
          handle = session;
          return session;
        },
      };
    }
  }
  const launcher: SessionLauncher = new Launcher();
  const ended = launcher.run().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  return {
    send: (msgType, body) => handle?.submit(msgType, body),
    logout: () => handle?.done(),
    hangUp: () => handle?.hangUp('the OMS hung up'),
    ended,
  };
}
