// One session machine behind a real TCP port, with the real clock and a journal in memory: what an engine is around the
// machine, in its smallest form. The target of scenario scripts over TCP (scenario-over-tcp.ts).

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Session, type SessionEffect, type SessionInput } from '../../../src/session/mod.ts';
import { Framer, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import type { ScenarioTarget } from './scenario-over-tcp.ts';
import { MemorySessionJournal } from './session-journal.ts';
import { draftOf, type MachineOptions, sessionConfig, validatorOf } from './session-machine.ts';

export class SessionHost implements ScenarioTarget {
  readonly session: Session;
  /** The application's messages that no script has asked for yet. */
  readonly delivered: MessageView[] = [];
  readonly events: string[] = [];
  readonly bindsOnConnect = true;
  readonly #journal: MemorySessionJournal;
  readonly #server: Server;
  readonly #wake = new Set<() => void>();
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | null = null;

  private constructor(options: MachineOptions) {
    const config = sessionConfig(options.config);
    const validator = validatorOf(options, config.beginString);
    this.#journal = new MemorySessionJournal(options.numbers);
    const recovered = options.numbers === undefined ? null : this.#journal.recovered(config.sessionId);
    this.session = new Session(config, validator, recovered);
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async open(options: MachineOptions): Promise<SessionHost> {
    const host = new SessionHost(options);
    await new Promise<void>((resolve) => host.#server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  app(message: string): void {
    this.input({ kind: 'send', draft: draftOf(message) });
  }

  input(input: SessionInput): void {
    this.#execute(this.session.handle(input, Date.now()));
    if (this.#timer !== null) clearTimeout(this.#timer);
    const deadline = this.session.deadline();
    this.#timer = deadline === null ? null : setTimeout(() => this.input({ kind: 'tick' }), deadline - Date.now());
    for (const wake of [...this.#wake]) wake();
  }

  /** Wait until something holds; it is looked at after every input. @throws Error if it never does */
  async until(holds: () => boolean, what: string): Promise<void> {
    const giveUpAt = Date.now() + 5_000;
    while (!holds()) {
      const left = giveUpAt - Date.now();
      if (left <= 0) throw new Error(`waited in vain: ${what}`);
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#wake.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        this.#wake.add(done);
      });
    }
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#socket?.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #accept(socket: Socket): void {
    if (this.#socket !== null) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    socket.setNoDelay(true);
    const framer = new Framer({ frameBytesMax: 65_536, fieldsMax: 1000 });
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      framer.push(chunk);
      for (let result = framer.next(); result !== null; result = framer.next()) {
        if (result.kind === 'garbled') this.input({ kind: 'garbled', notice: result.notice });
        else this.#message(result.view);
      }
    });
    socket.on('close', () => {
      this.#socket = null;
      this.input({ kind: 'disconnected' });
    });
    this.input({ kind: 'connected', remote: `${socket.remoteAddress}:${socket.remotePort}` });
  }

  #message(view: MessageView): void {
    const wrong = view.string(554) === 'wrong';
    const authentication =
      view.msgType !== 'A'
        ? ({ kind: 'notLogon' } as const)
        : wrong
          ? ({ kind: 'refused', sessionStatus: '5', text: 'invalid username or password' } as const)
          : ({ kind: 'accepted' } as const);
    this.input({ kind: 'message', view, authentication });
  }

  #execute(effects: readonly SessionEffect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'persist':
          this.#journal.append(effect.record, Date.now());
          break;
        case 'transmit':
          this.#socket?.write(effect.raw);
          break;
        case 'deliver':
        case 'throttled':
          this.delivered.push(viewOf(effect.view.copyBytes())!);
          break;
        case 'loadOutbound': {
          const { requestId, series, from, to } = effect;
          const messages = this.#journal.load(series, from, to);
          queueMicrotask(() => this.input({ kind: 'outboundLoaded', requestId, messages }));
          break;
        }
        case 'loggedOn':
        case 'loggedOff':
          this.events.push(effect.kind);
          break;
        case 'disconnect':
          this.#socket?.end();
          break;
        case 'alarm':
        case 'note':
          break;
      }
    }
  }
}
