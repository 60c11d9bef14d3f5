// Attacks on the bridge and the admin API, byte by byte over TCP. They try tokens, paths that climb, headers that two readers frame
// differently, bodies without end, foreign hosts and pages, and WebSocket floods.

import { connect, type Socket } from 'node:net';

export interface Door {
  readonly port: number;
  readonly token: string;
  /** A path that answers 200 with the token. */
  readonly path: string;
  /** The path of a WebSocket stream, if it has any. */
  readonly stream?: string;
}

export interface HttpAttack {
  readonly name: string;
  readonly bytes: string | Buffer;
  /** Sent again and again behind the first bytes, as long as the door takes it, 32 MB at most. */
  readonly endless?: Buffer;
  /** They follow the first answer. */
  readonly waits?: boolean;
}

export interface HttpOutcome {
  readonly name: string;
  /** Statuses in the order of the answers; none if the door closed without a word. */
  readonly statuses: readonly number[];
  readonly isClosed: boolean;
  readonly megabytesTaken: number;
}

const ANSWER_MS = 4_000;
const ENDLESS_BYTES_MAX = 32_000_000;

function request(
  door: Door,
  { method = 'GET', path = door.path, host = `127.0.0.1:${door.port}`, more = '', body = '' } = {},
): string {
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n${body}`;
}

const authorized = ({ token }: Door): string => `Authorization: Bearer ${token}\r\n`;

function bypasses(door: Door): HttpAttack[] {
  const { token, path } = door;
  const basic = Buffer.from(`desk:${token}`).toString('base64');
  const cases: readonly (readonly [string, string, string?])[] = [
    ['no token', ''],
    ['an empty token', 'Authorization: Bearer \r\n'],
    ['a wrong token', `Authorization: Bearer ${'x'.repeat(token.length)}\r\n`],
    ['a token cut by one', `Authorization: Bearer ${token.slice(0, -1)}\r\n`],
    ['a token longer by one', `Authorization: Bearer ${token}x\r\n`],
    ['the token as Basic', `Authorization: Basic ${basic}\r\n`],
    ['the token without a scheme', `Authorization: ${token}\r\n`],
    ['the token in another header', `X-Authorization: Bearer ${token}\r\n`],
    ['the token of a proxy', `Proxy-Authorization: Bearer ${token}\r\n`],
    ['the token as a cookie of another name', `Cookie: token=${token}\r\n`],
    ['the token in the address', '', `${path}?token=${token}`],
    ['a wrong token before the right one', `Authorization: Bearer wrong\r\nAuthorization: Bearer ${token}\r\n`],
    ['a path in capitals', '', path.toUpperCase()],
    ['a forwarded address', 'X-Forwarded-For: 127.0.0.1\r\nX-Original-URL: /healthz\r\nX-Rewrite-URL: /healthz\r\n'],
    ['a method in a header', 'X-HTTP-Method-Override: GET\r\n'],
  ];
  return cases.map(([name, more, at = path]) => ({ name, bytes: request(door, { path: at, more }) }));
}

function climbs(door: Door): HttpAttack[] {
  const climbs = ['/../../etc/passwd', '/..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..\\..\\etc\\passwd'];
  const more = ['//etc/passwd', '/./../secrets/admin.token', '/%00', '/%c0%ae%c0%ae/etc/passwd', '/..;/etc/passwd'];
  const files = [
    '/secrets/admin.token',
    '/sessions/gateway.yaml',
    '/console/../../package.json',
    '/assets/..%2f..%2fpackage.json',
  ];
  return [...climbs, ...more, ...files].map((path) => ({
    name: `path ${path}`,
    bytes: request(door, { path, more: authorized(door) }),
  }));
}

/** The smuggled request has the token, as one that another client sends on a shared connection. */
function smuggled(door: Door): HttpAttack[] {
  const inner = `GET ${door.path} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\n${authorized(door)}\r\n`;
  const outer = (headers: string, body: string): string =>
    `POST ${door.path} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\n${headers}\r\n${body}`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const cases: readonly (readonly [string, string, string])[] = [
    ['Content-Length beside Transfer-Encoding', `Content-Length: 4\r\n${chunked}`, `0\r\n\r\n${inner}`],
    ['two Content-Lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n', `hello${inner}`],
    ['a signed Content-Length', 'Content-Length: +0\r\n', inner],
    ['a Content-Length with a list', 'Content-Length: 0, 5\r\n', inner],
    ['a blank before the colon', 'Content-Length : 0\r\n', inner],
    ['an unknown Transfer-Encoding', 'Transfer-Encoding: xchunked\r\n', inner],
    ['a folded header', 'Content-Length: 0\r\nX-Folded: a\r\n b\r\n', inner],
    ['a bare line feed', 'Content-Length: 0\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${inner}`],
    ['a chunk with an absurd length', chunked, `fffffffffffffffff\r\n${inner}`],
    ['a chunk with a negative length', chunked, `-1\r\n${inner}`],
    ['NUL in a header', 'X-Nul: a\0b\r\nContent-Length: 0\r\n', inner],
  ];
  return cases.map(([name, headers, body]) => ({ name: `smuggled: ${name}`, bytes: outer(headers, body) }));
}

function oversized(door: Door): HttpAttack[] {
  const filler = Buffer.alloc(65_536, 'a');
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), filler, Buffer.from('\r\n')]);
  const post = (more: string): string => request(door, { method: 'POST', more: `${authorized(door)}${more}` });
  const json = 'Content-Type: application/json\r\n';
  return [
    { name: 'an address of 100 kB', bytes: request(door, { path: `${door.path}?a=${'b'.repeat(100_000)}` }) },
    { name: 'a header of 100 kB', bytes: request(door, { more: `X-Long: ${'b'.repeat(100_000)}\r\n` }) },
    { name: '5,000 headers', bytes: request(door, { more: 'X-A: b\r\n'.repeat(5_000) }) },
    {
      name: 'headers without end',
      bytes: `GET ${door.path} HTTP/1.1\r\n`,
      endless: Buffer.from('X-A: b\r\n'.repeat(1_000)),
    },
    { name: 'a line without end', bytes: 'GET /', endless: filler },
    { name: 'a body of 1 TB', bytes: post(`${json}Content-Length: 1000000000000\r\n`), endless: filler },
    { name: 'chunks without end', bytes: post(`${json}Transfer-Encoding: chunked\r\n`), endless: chunk },
    { name: 'no HTTP', bytes: '\x16\x03\x01\x02\x00\x01', endless: filler },
    { name: 'a FIX Logon', bytes: '8=FIX.4.4\x019=5\x0135=A\x0110=000\x01\r\n\r\n' },
    { name: 'HTTP/2 without notice', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    { name: 'CONNECT', bytes: request(door, { method: 'CONNECT', path: '127.0.0.1:22' }) },
    { name: 'TRACE', bytes: request(door, { method: 'TRACE', more: authorized(door) }) },
  ];
}

function foreign(door: Door): HttpAttack[] {
  const hosts = ['evil.example', `evil.example:${door.port}`, '127.0.0.1.evil.example', 'localhost.evil.example', ''];
  const page = 'Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n';
  return [
    ...hosts.map((host) => ({ name: `Host ${host}`, bytes: request(door, { host, more: authorized(door) }) })),
    { name: 'no Host', bytes: `GET ${door.path} HTTP/1.1\r\nConnection: close\r\n${authorized(door)}\r\n` },
    { name: 'two Hosts', bytes: request(door, { more: `Host: evil.example\r\n${authorized(door)}` }) },
    {
      name: 'an absolute address',
      bytes: request(door, { path: `http://evil.example${door.path}`, host: 'evil.example', more: authorized(door) }),
    },
    {
      name: 'a foreign page with a cookie',
      bytes: request(door, { method: 'POST', more: `${page}Cookie: a=b\r\nContent-Length: 0\r\n` }),
    },
    {
      name: 'a preflight of a foreign page',
      bytes: request(door, { method: 'OPTIONS', more: `${page}Access-Control-Request-Method: POST\r\n` }),
    },
  ];
}

const upgrade = (door: Door, more: string): string =>
  `GET ${door.stream} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;

function refusedStreams(door: Door): HttpAttack[] {
  return [
    { name: 'a stream without a token', bytes: upgrade(door, '') },
    { name: 'a stream with a wrong token', bytes: upgrade(door, 'Authorization: Bearer wrong\r\n') },
    {
      name: 'a stream of a foreign page',
      bytes: upgrade(door, `Origin: https://evil.example\r\nCookie: COINLOGIN=${door.token}\r\n`),
    },
  ];
}

/** A frame of a client; `mask` false breaks the protocol. */
function frame(opcode: number, payload: Buffer, { mask = true, fin = true } = {}): Buffer {
  const length = Buffer.alloc(payload.length < 126 ? 0 : 2);
  if (length.length > 0) length.writeUInt16BE(payload.length);
  const short = Math.min(payload.length, 126);
  const head = Buffer.from([(fin ? 0x80 : 0) | opcode, (mask ? 0x80 : 0) | short]);
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, length, mask ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

/** Floods over a stream that was opened with the token: each has to end, or to be taken without harm to others. */
function openStreams(door: Door): HttpAttack[] {
  const opened = upgrade(door, authorized(door));
  const subscribe = { jsonrpc: '2.0', type: 'command', method: 'subscribe', id: '1', params: { topic: 'nonsense' } };
  const text = (value: unknown): Buffer => frame(1, Buffer.from(JSON.stringify(value)));
  const cases: readonly (readonly [string, Buffer])[] = [
    ['subscriptions', Buffer.concat(Array.from({ length: 100 }, () => text(subscribe)))],
    ['pings', Buffer.concat(Array.from({ length: 1_000 }, () => frame(9, Buffer.alloc(100))))],
    ['no JSON', Buffer.concat(Array.from({ length: 100 }, () => frame(1, Buffer.from('{{{{'))))],
    ['one message in parts without end', frame(0, Buffer.alloc(60_000, 'a'), { fin: false })],
    ['unmasked frames', frame(1, Buffer.from('{}'), { mask: false })],
    ['a length of 8 EB', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0])],
  ];
  return cases.map(([name, endless]) => ({ name: `stream: ${name}`, bytes: opened, endless, waits: true }));
}

/** Every attack that must get no answer with content: only refusals, or the end of the connection. */
export function refusedAttacks(door: Door): HttpAttack[] {
  const streams = door.stream === undefined ? [] : refusedStreams(door);
  return [...bypasses(door), ...climbs(door), ...smuggled(door), ...oversized(door), ...foreign(door), ...streams];
}

export function streamFloods(door: Door): HttpAttack[] {
  return door.stream === undefined ? [] : openStreams(door);
}

/** Send one, and what comes back until the door closes or some seconds have passed. */
export function strike({ port }: Door, { name, bytes, endless, waits = false }: HttpAttack): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    let taken = 0;
    const end = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(received).toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ name, statuses, isClosed, megabytesTaken: taken / 1e6 });
    };
    const timer = setTimeout(() => end(false), ANSWER_MS);
    const more = (): void => {
      while (endless !== undefined && !socket.destroyed && taken < ENDLESS_BYTES_MAX) {
        taken += endless.length;
        if (!socket.write(endless)) return;
      }
    };
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (received.push(chunk) === 1 && waits) more();
    });
    socket.on('close', () => end(true));
    socket.on('drain', more);
    socket.on('connect', () => {
      socket.write(bytes);
      if (!waits) more();
    });
  });
}
