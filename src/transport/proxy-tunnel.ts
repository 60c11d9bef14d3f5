// Asks a proxy for a tunnel to a counterparty: SOCKS4 and 4a, SOCKS5 (RFC 1928, 1929), HTTP CONNECT (RFC 9110, 9.3.6). The proxy
// resolves names. Every answer is bounded in bytes; connect.ts bounds the time, and speaks TLS through the tunnel.

import { isIPv4, isIPv6, type Socket } from 'node:net';
import { hostPort } from '../base/host-port.ts';

export interface TunnelProxy {
  readonly kind: 'socks4' | 'socks5' | 'http';
  readonly host: string;
  readonly port: number;
  /** Of `socks4` a name alone. */
  readonly user?: string;
  readonly password?: string;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Longest answer of an HTTP proxy before the tunnel opens. */
const HEADER_BYTES_MAX = 16_384;
const NAME_BYTES_MAX = 255;

/** Resolves once the tunnel is open. Bytes that came behind the answer stay in the socket. @throws Error in words */
export async function openTunnel(socket: Socket, proxy: TunnelProxy, target: Target): Promise<void> {
  const answers = new Answers(socket);
  try {
    if (proxy.kind === 'http') await askHttp(answers, proxy, target);
    else if (proxy.kind === 'socks4') await askSocks4(answers, proxy, target);
    else await askSocks5(answers, proxy, target);
  } finally {
    answers.end();
  }
}

/** Reads what a proxy answers, as much at a time as is asked for. */
class Answers {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #wake: (() => void) | null = null;
  readonly #onData = (chunk: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake?.();
  };
  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#wake?.();
  };
  #ended = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onEnd);
  }

  send(bytes: Uint8Array | string): void {
    this.#socket.write(bytes);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) await this.#more();
    return this.#cut(count);
  }

  /** Up to and with an empty line. */
  async takeHeader(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end !== -1 && end + 4 <= HEADER_BYTES_MAX) return this.#cut(end + 4).toString('latin1');
      if (this.#bytes.length >= HEADER_BYTES_MAX) throw new Error('its answer is no HTTP header of a bearable length');
      await this.#more();
    }
  }

  /** Give back what belongs to the tunnel. */
  end(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onEnd);
    if (socket.destroyed) return;
    socket.pause();
    if (this.#bytes.length > 0) socket.unshift(this.#bytes);
  }

  #cut(count: number): Buffer {
    const cut = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return cut;
  }

  async #more(): Promise<void> {
    if (this.#ended) throw new Error('it closed the connection before the tunnel was open');
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

async function askHttp(answers: Answers, { user, password = '' }: TunnelProxy, { host, port }: Target): Promise<void> {
  const authority = hostPort(host, port);
  const credentials =
    user === undefined
      ? ''
      : `Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}\r\n`;
  answers.send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
  const header = await answers.takeHeader();
  const [, status = '', reason = ''] = /^HTTP\/1\.[01] (\d{3})([^\r\n]{0,100})/.exec(header) ?? [];
  if (status === '407') throw new Error(`it wants other credentials (407): \`user\` and \`password\` of \`proxy\``);
  if (status === '') throw new Error('what it answers is not HTTP');
  if (!status.startsWith('2')) throw new Error(`it refuses (${status}${reason.replaceAll(/[^\x20-\x7e]/g, '?')})`);
}

async function askSocks4(answers: Answers, { user = '' }: TunnelProxy, { host, port }: Target): Promise<void> {
  if (isIPv6(host)) throw new Error('SOCKS4 reaches no IPv6 address: use `socks5`');
  // 4a: an address that does not exist announces a name behind the user.
  const isName = !isIPv4(host);
  const address = isName ? [0, 0, 0, 1] : host.split('.').map(Number);
  const name = isName ? `${host}\0` : '';
  const head = Buffer.from([4, 1, port >> 8, port & 0xff, ...address]);
  answers.send(Buffer.concat([head, Buffer.from(`${user}\0${name}`, 'utf8')]));
  const [version, code] = await answers.take(8);
  if (version !== 0) throw new Error('what it answers is not SOCKS4');
  if (code !== 90) throw new Error(SOCKS4_REFUSALS[code!] ?? `it refuses (SOCKS4 code ${code})`);
}

const SOCKS4_REFUSALS: Readonly<Record<number, string>> = {
  91: 'it refuses, or cannot connect there (SOCKS4 code 91)',
  92: 'it refuses: it finds no identd here (SOCKS4 code 92)',
  93: 'it refuses: identd names another user than `proxy.user` (SOCKS4 code 93)',
};

const SOCKS5_REFUSALS: Readonly<Record<number, string>> = {
  1: 'it failed',
  2: 'its rules do not allow the connection',
  3: 'it has no route to that network',
  4: 'it has no route to that host',
  5: 'nothing listens there (connection refused)',
  6: 'the connection took too long',
  7: 'it does not support CONNECT',
  8: 'it does not support addresses of this kind',
};
const NO_PROOF = 0;
const BY_PASSWORD = 2;

async function askSocks5(answers: Answers, { user, password = '' }: TunnelProxy, target: Target): Promise<void> {
  const methods = user === undefined ? [NO_PROOF] : [NO_PROOF, BY_PASSWORD];
  answers.send(Buffer.from([5, methods.length, ...methods]));
  const [version, method] = await answers.take(2);
  if (version !== 5) throw new Error('what it answers is not SOCKS5');
  if (method === BY_PASSWORD && user !== undefined) {
    answers.send(Buffer.concat([Buffer.from([1]), counted(user), counted(password)]));
    const [, status] = await answers.take(2);
    if (status !== 0) throw new Error('it refuses `user` and `password` of `proxy`');
  } else if (method !== NO_PROOF) {
    throw new Error(user === undefined ? 'it wants `user` and `password`' : 'it takes no password as proof');
  }
  answers.send(Buffer.concat([Buffer.from([5, 1, 0]), addressOf(target)]));
  const [, code, , kind] = await answers.take(4);
  if (code !== 0) throw new Error(SOCKS5_REFUSALS[code!] ?? `it refuses (SOCKS5 code ${code})`);
  const lengths: Readonly<Record<number, number>> = { 1: 4, 4: 16 };
  const length = kind === 3 ? (await answers.take(1))[0] : lengths[kind!];
  if (length === undefined) throw new Error('what it answers is not SOCKS5');
  await answers.take(length + 2);
}

function addressOf({ host, port }: Target): Buffer {
  const end = Buffer.from([port >> 8, port & 0xff]);
  if (isIPv4(host)) return Buffer.concat([Buffer.from([1, ...host.split('.').map(Number)]), end]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4, ...groupsOf(host)]), end]);
  return Buffer.concat([Buffer.from([3]), counted(host), end]);
}

/** The sixteen bytes of an IPv6 address. */
function groupsOf(host: string): number[] {
  // The URL parser writes each form of it as groups of hexadecimal digits.
  const [front = '', back = null] = new URL(`http://[${host.replace(/%.*$/, '')}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(front), groups(back ?? '')];
  const zeros = back === null ? [] : Array.from({ length: 8 - first.length - last.length }, () => 0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

/** A text behind a byte with its length. */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > NAME_BYTES_MAX)
    throw new Error(`SOCKS5 takes ${NAME_BYTES_MAX} bytes of a name or password at most`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
