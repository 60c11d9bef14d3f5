// One open connection, plain or TLS: chunks in, bytes out, back-pressure both ways, one reason at the end.
// Leaves opening to connect.ts and listen.ts, and every meaning of the bytes to the engine.

import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { connectFailure } from '../base/socket-failure.ts';

/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');

export interface ConnectionTls {
  /** For example `TLSv1.3`. */
  readonly protocol: string;
  readonly cipher: string;
  /** SHA-256 of the peer's certificate, hex pairs with colons, or null if it showed none. */
  readonly peerCertificateFingerprint: string | null;
  /** Common name in the peer's certificate, or null. */
  readonly peerCommonName: string | null;
}

export interface Connection {
  /** Unique in this process. */
  readonly id: number;
  /** The counterparty's, or what a trusted PROXY header said of it. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly tls: ConnectionTls | null;
  /** Called with every chunk received. Reading begins when it is set. The chunk belongs to the callee. */
  onChunk: (chunk: Buffer) => void;
  /** Called once when the connection ends, with the reason in words; at once if it has ended already. */
  onClose: (reason: string) => void;
  /**
   * Send bytes, which must not change afterwards. All sends of one turn leave in one write, unless flushed before.
   * Beyond the limit of the outbound buffer the connection is destroyed, because the counterparty reads too slowly. A
   * peer that has read all earlier output may receive any amount in one turn. After the end: ignored.
   */
  send(bytes: Uint8Array): void;
  /** Let leave now what was sent. */
  flush(): void;
  /** Bytes accepted by `send` that the operating system has not taken yet. */
  readonly bufferedBytes: number;
  /** Whether it was ended because the counterparty read too slowly. */
  readonly overflowed: boolean;
  /** Stop and resume reading; unread bytes press back on the counterparty. */
  pause(): void;
  resume(): void;
  /** Send what is buffered, then FIN; destroyed if the counterparty has not ended its side within the limit. */
  close(): void;
  /** End at once; what is buffered is lost. */
  destroy(reason: string): void;
}

export interface ConnectionLimits {
  /** Bytes that may wait to be sent before the counterparty counts as a slow consumer. */
  readonly outboundBytesMax: number;
  /** Time for the counterparty to end its side after `close`. */
  readonly closeTimeoutMs: number;
  /** After the counterparty's FIN, time in which answers to what it sent last still go out. */
  readonly halfCloseLingerMs: number;
}

export const LIMITS_DEFAULT: ConnectionLimits = {
  outboundBytesMax: 16_777_216,
  closeTimeoutMs: 5_000,
  halfCloseLingerMs: 50,
};

/** Of the bytes that may wait: who has read all but so many was not behind. */
const READ_PART = 1 / 4;

/** Delay before TCP itself probes a silent peer; FIX heartbeats are usually faster. */
export const KEEP_ALIVE_MS = 30_000;

/** Why a socket failed, in words a support desk understands. */
export function reasonOf(error: unknown): string {
  // OpenSSL's message is its own source line; what it means stands beside it.
  const failed = error as NodeJS.ErrnoException & { readonly reason?: string };
  const { code, reason = connectFailure(failed) } = failed;
  switch (code) {
    case 'ECONNRESET':
      return 'the counterparty reset the connection';
    case 'EPIPE':
      return 'the counterparty closed the connection while we were sending';
    case 'ETIMEDOUT':
      return 'the counterparty no longer answers (TCP time-out)';
    case 'ECONNREFUSED':
      return 'nothing listens there (connection refused)';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'there is no route to it';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such local address, or no free port on it';
    case 'EADDRINUSE':
      return 'the local port is in use';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its name is not known';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'the other side does not speak TLS';
    // OpenSSL does not say which side's versions and suites these are.
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
      return `the other side speaks no version of TLS that is taken here: \`tls.minVersion\` (${code})`;
    case 'ERR_SSL_NO_SHARED_CIPHER':
      return `the other side offers no cipher suite that goes with our certificate and \`tls.ciphers\` (${code})`;
    // Node's text names a switch of its own, which rarely helps.
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `its certificate is signed by no authority trusted here, or it does not send the ones between (${code})`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `its certificate is signed by no authority trusted here (${code})`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `its certificate is self-signed, and not among those trusted here (${code})`;
    default:
      return alertOf(code ?? '') ?? (code === undefined ? reason : `${reason} (${code})`);
  }
}

/** The peer's last TLS alert, with OpenSSL's name, for any version. */
const ALERT = /^ERR_SSL_(?:SSL\/TLS|TLSV1|TLSV13)_ALERT_([A-Z_]+)$/;
const OF_CERTIFICATES = /CERTIFICATE|_CA$/;

/** An alert in words: it is the other side that refuses, which `unknown ca` alone does not tell; null for another code. */
function alertOf(code: string): string | null {
  const alert = ALERT.exec(code)?.[1];
  if (alert === undefined) return null;
  if (alert === 'CERTIFICATE_REQUIRED') return `the other side wants a certificate of ours, and we show none (${code})`;
  const what = OF_CERTIFICATES.test(alert) ? 'does not take our certificate' : 'ended TLS';
  return `the other side ${what}: ${alert.toLowerCase().replaceAll('_', ' ')} (${code})`;
}

/** Describe the TLS side of a socket after its handshake. */
function describeTls(socket: TLSSocket): ConnectionTls {
  const peer = socket.getPeerCertificate();
  const commonName = peer.subject?.CN;
  return {
    protocol: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().name,
    peerCertificateFingerprint: peer.fingerprint256 ?? null,
    // Of several, which others read in another order, none is the name.
    peerCommonName: typeof commonName === 'string' ? commonName : null,
  };
}

/** Where a socket comes from, if not from its own address; `tls` describes a handshake that another process did. */
export interface Remote {
  readonly address: string;
  readonly port: number;
  readonly tls?: ConnectionTls | null;
}

function tlsOf(socket: Socket): ConnectionTls | null {
  return socket instanceof TLSSocket ? describeTls(socket) : null;
}

export class SocketConnection implements Connection {
  readonly id: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly tls: ConnectionTls | null;
  overflowed = false;
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  #onChunk: ((chunk: Buffer) => void) | null = null;
  #onClose: ((reason: string) => void) | null = null;
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  /** Bytes above which is looked at whether the counterparty is behind. */
  #lookAbove: number;
  /** Bytes that may wait until it has read all but a few; null: it has. */
  #allowed: number | null = null;
  /** A chunk is being taken: what is sent meanwhile leaves when that has returned. */
  #taking = false;
  #paused = false;
  /** `close` or `destroy` was called, or the socket failed: nothing more is delivered or accepted. */
  #ending = false;
  #reason: string | null = null;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #listeners = {
    error: (error: Error): void => {
      this.#reason ??= reasonOf(error);
      this.#ending = true;
      // A TLS failure leaves the socket open; without this, no reader would notice its end.
      this.#socket.destroy();
    },
    end: (): void => this.#peerEnded(),
    close: (): void => this.#over(),
  };
  readonly #onData = (chunk: Buffer): void => this.#take(chunk);

  constructor(socket: Socket, id: number, remote: Remote, limits: ConnectionLimits) {
    this.#socket = socket;
    this.#limits = limits;
    this.#lookAbove = limits.outboundBytesMax * READ_PART;
    this.id = id;
    this.remoteAddress = remote.address;
    this.remotePort = remote.port;
    this.tls = remote.tls !== undefined ? remote.tls : tlsOf(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    // A socket that died between its handshake and here emits nothing any more.
    if (socket.destroyed) queueMicrotask(() => this.#over());
  }

  get onChunk(): (chunk: Buffer) => void {
    return this.#onChunk ?? (() => {});
  }

  set onChunk(callee: (chunk: Buffer) => void) {
    const first = this.#onChunk === null;
    this.#onChunk = callee;
    if (!first) return;
    this.#socket.on('data', this.#onData);
    // A socket that its listener paused does not begin to flow by itself.
    if (this.#paused) this.#socket.pause();
    else this.#socket.resume();
  }

  get onClose(): (reason: string) => void {
    return this.#onClose ?? (() => {});
  }

  set onClose(callee: (reason: string) => void) {
    this.#onClose = callee;
    if (this.#closed) queueMicrotask(() => callee(this.#reason ?? 'closed'));
  }

  get bufferedBytes(): number {
    return this.#partBytes + this.#socket.writableLength;
  }

  send(bytes: Uint8Array): void {
    if (this.#ending || bytes.length === 0) return;
    if (this.bufferedBytes + bytes.length > this.#lookAbove && this.#isBehind(bytes.length)) {
      this.overflowed = true;
      this.destroy(`slow consumer: more than ${this.#limits.outboundBytesMax} bytes were not read by the counterparty`);
      return;
    }
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    if (this.#parts.length === 1 && !this.#taking) process.nextTick(() => this.flush());
  }

  /**
   * True if further bytes exceed the limit. Output of the current turn cannot have been read yet. It counts only if
   * much of the earlier output is unread too, and then up to the full limit more may wait.
   */
  #isBehind(more: number): boolean {
    const { outboundBytesMax } = this.#limits;
    if (this.#allowed !== null && this.bufferedBytes > outboundBytesMax * READ_PART)
      return this.bufferedBytes + more > this.#allowed;
    this.#allowed = Number.POSITIVE_INFINITY;
    this.#lookAbove = Number.POSITIVE_INFINITY;
    setImmediate(() => {
      const unread = this.bufferedBytes;
      this.#allowed = unread > outboundBytesMax ? unread + outboundBytesMax : outboundBytesMax;
      this.#lookAbove = outboundBytesMax * READ_PART;
    });
    return false;
  }

  pause(): void {
    this.#paused = true;
    if (!this.#ending) this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#onChunk !== null) this.#socket.resume();
  }

  close(): void {
    if (this.#ending) return;
    this.flush();
    this.#ending = true;
    this.#reason ??= 'closed by us';
    this.#socket.end();
    // Unread bytes would turn our FIN into a reset, which can destroy what was just sent: read and drop them.
    this.#socket.resume();
    this.#arm(this.#limits.closeTimeoutMs, () => this.#socket.destroy());
  }

  destroy(reason: string): void {
    this.#reason ??= reason;
    this.#ending = true;
    this.#parts = [];
    this.#partBytes = 0;
    this.#socket.destroy();
  }

  /**
   * Let go of the socket, paused: this object reads and writes nothing any more, and reports no end. The bytes that came
   * and were not delivered stay in the socket. Null if the connection has ended.
   */
  detach(): Socket | null {
    if (this.#ending || this.#closed || this.#socket.destroyed) return null;
    this.flush();
    this.#ending = true;
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#socket.pause();
    this.#socket.off('data', this.#onData);
    for (const [event, listener] of Object.entries(this.#listeners)) this.#socket.off(event, listener);
    return this.#socket;
  }

  /** Answers to what a chunk brought leave at once: the end of the turn is one more way for each of them. */
  #take(chunk: Buffer): void {
    if (this.#ending) return;
    this.#taking = true;
    try {
      this.#onChunk?.(chunk);
    } finally {
      this.#taking = false;
      this.flush();
    }
  }

  flush(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, this.#partBytes);
    this.#parts = [];
    this.#partBytes = 0;
    if (stages.hasSubscribers) stages.publish('socket begins');
    if (!this.#socket.destroyed && this.#socket.writable) this.#socket.write(bytes);
    if (stages.hasSubscribers) stages.publish('bytes out');
  }

  /** FIN of the counterparty. It may still read, so answers under way get a moment before our FIN. */
  #peerEnded(): void {
    if (this.#ending) return;
    this.#reason ??= 'the counterparty closed the connection';
    this.#arm(this.#limits.halfCloseLingerMs, () => {
      this.flush();
      this.#ending = true;
      this.#socket.end();
      this.#arm(this.#limits.closeTimeoutMs, () => this.#socket.destroy());
    });
  }

  #arm(afterMs: number, action: () => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(action, afterMs);
  }

  #over(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ending = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#reason ??= 'the connection ended';
    this.#onClose?.(this.#reason);
  }
}
