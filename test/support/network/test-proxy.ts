// Proxies for tests: SOCKS4, SOCKS5 with user and password, and HTTP CONNECT, in one server that separates them by the
// first byte. It connects for real, and notes what it was asked for.

import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

export interface ProxyOptions {
  /** Demanded of SOCKS5 and HTTP. */
  readonly user?: string;
  readonly password?: string;
  /** Where names that are no addresses lead. */
  readonly names?: Readonly<Record<string, string>>;
  /** Answer with these bytes in place of an answer. */
  readonly answer?: Buffer;
  /** Bytes of an answer go out one by one. */
  readonly slowly?: boolean;
}

export class TestProxy {
  /** `socks5 us:secret hub.test:9876` */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #options: ProxyOptions;
  readonly #sockets = new Set<Socket>();

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      void this.#serve(socket).catch(() => socket.destroy());
    });
  }

  static async open(options: ProxyOptions = {}): Promise<TestProxy> {
    const proxy = new TestProxy(options);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(socket: Socket): Promise<void> {
    const input = new Input(socket);
    const [first] = await input.take(1);
    if (this.#options.answer !== undefined) {
      socket.write(this.#options.answer);
      return;
    }
    if (first === 5) await this.#socks5(socket, input);
    else if (first === 4) await this.#socks4(socket, input);
    else await this.#http(socket, input);
  }

  async #socks5(socket: Socket, input: Input): Promise<void> {
    const [count] = await input.take(1);
    const methods = [...(await input.take(count!))];
    const { user, password } = this.#options;
    let proof = '';
    if (user === undefined) this.#say(socket, [5, 0]);
    else if (!methods.includes(2)) return this.#say(socket, [5, 0xff]);
    else {
      this.#say(socket, [5, 2]);
      await input.take(1);
      const given = [await input.counted(), await input.counted()];
      proof = given.join(':');
      const isRight = given[0] === user && given[1] === password;
      this.#say(socket, [1, isRight ? 0 : 1]);
      if (!isRight) return;
    }
    const [, , , kind] = await input.take(4);
    const host =
      kind === 3
        ? await input.counted()
        : kind === 1
          ? (await input.take(4)).join('.')
          : (await input.take(16)).toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:');
    const port = (await input.take(2)).readUInt16BE();
    const name = Buffer.from('a.name.of.the.proxy');
    await this.#pass(
      socket,
      input,
      `socks5 ${proof} ${host}:${port}`,
      host,
      port,
      [5, 0, 0, 3, name.length, ...name, 1, 2],
      [...[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]],
    );
  }

  async #socks4(socket: Socket, input: Input): Promise<void> {
    await input.take(1);
    const port = (await input.take(2)).readUInt16BE();
    const address = [...(await input.take(4))];
    const user = await input.untilZero();
    const isName = address.slice(0, 3).every((byte) => byte === 0) && address[3] !== 0;
    const host = isName ? await input.untilZero() : address.join('.');
    await this.#pass(
      socket,
      input,
      `socks4 ${user} ${host}:${port}`,
      host,
      port,
      [0, 90, 0, 0, 0, 0, 0, 0],
      [...[0, 91, 0, 0, 0, 0, 0, 0]],
    );
  }

  async #http(socket: Socket, input: Input): Promise<void> {
    const header = `C${await input.until('\r\n\r\n')}`;
    const [, host = '', port = ''] = /^CONNECT \[?([^\s\]]+)\]?:(\d+) HTTP\/1\.1\r\n/.exec(header) ?? [];
    const [, basic = ''] = /^Proxy-Authorization: Basic (\S+)/m.exec(header) ?? [];
    const proof = Buffer.from(basic, 'base64').toString();
    const { user, password } = this.#options;
    if (user !== undefined && proof !== `${user}:${password}`) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const ok = Buffer.from('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
    const bad = Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    await this.#pass(socket, input, `http ${proof} ${host}:${port}`, host, Number(port), [...ok], [...bad]);
  }

  async #pass(
    socket: Socket,
    input: Input,
    asked: string,
    host: string,
    port: number,
    ok: readonly number[],
    bad: readonly number[],
  ): Promise<void> {
    this.asked.push(asked);
    const beyond = createConnection({ host: this.#options.names?.[host] ?? host, port });
    this.#sockets.add(beyond);
    beyond.on('error', () => {});
    const isOpen = await Promise.race([
      once(beyond, 'connect').then(
        () => true,
        () => false,
      ),
      once(beyond, 'close').then(() => false),
    ]);
    if (!isOpen) {
      socket.end(Buffer.from(bad));
      return;
    }
    this.#say(socket, ok);
    input.pipe(beyond);
    beyond.pipe(socket);
  }

  #say(socket: Socket, bytes: readonly number[]): void {
    if (this.#options.slowly !== true) socket.write(Buffer.from(bytes));
    else for (const byte of bytes) socket.write(Buffer.from([byte]));
  }
}

/** Reads a socket by bytes, and passes on the rest. */
class Input {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};
  readonly #onData = (chunk: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) await this.#more();
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  async counted(): Promise<string> {
    const [count] = await this.take(1);
    return (await this.take(count!)).toString();
  }

  async untilZero(): Promise<string> {
    return (await this.until('\0')).slice(0, -1);
  }

  async until(end: string): Promise<string> {
    while (!this.#bytes.includes(end)) await this.#more();
    return (await this.take(this.#bytes.indexOf(end) + end.length)).toString();
  }

  pipe(target: Socket): void {
    this.#socket.off('data', this.#onData);
    target.write(this.#bytes);
    this.#socket.pipe(target);
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
