// Records an OMS's conversation with a real gateway, for the samples of docs/connect: the gateway is a process of its own, the
// simulated exchange stands in this one and follows the script.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MessageView, Tag, toPrintable } from '../../src/wire/mod.ts';
import { type CommandRelay, startCommandRelay } from '../support/exchange/command-relay.ts';
import { type FixConnection, openFix, reconnect } from '../support/network/fix-connection.ts';
import {
  ACCOUNT,
  ACME,
  type ExchangeHouse,
  exchangeHouse,
  untilOrdersAreTaken,
} from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';

export { ACCOUNT };

/** The samples show the password as the gateway masks it; with this one BodyLength(9) and CheckSum(10) are right all the same. */
const PASSWORD = '********';

/** Tries to log on, while the connection before still counts. */
const LOGON_ATTEMPTS = 100;

/** Session messages that come by themselves, at any time. */
const UNASKED = ['0', '1'];

const fixTime = (): string => new Date().toISOString().replaceAll('-', '').replace('T', '-').replace('Z', '');

/** Terms that all sample orders share. */
export const terms = (): string => `1=${ACCOUNT}|55=BTCUSDC|54=1|60=${fixTime()}`;

export class Recording {
  readonly house: ExchangeHouse;
  readonly relay: CommandRelay;
  readonly gateway: GatewayProcess;
  /** Everything said on the connection, `>` from the OMS and `<` to it. */
  readonly lines: string[] = [];
  #connection: FixConnection | null = null;
  #drained = 0;

  private constructor(house: ExchangeHouse, relay: CommandRelay, gateway: GatewayProcess) {
    this.house = house;
    this.relay = relay;
    this.gateway = gateway;
  }

  /** Start exchange and gateway. `changes`: keys of configuration files, by file. */
  static async start(changes: Parameters<typeof exchangeHouse>[0] = {}): Promise<Recording> {
    const house = await exchangeHouse(changes);
    await writeFile(join(house.home.secrets, 'ACME_OMS.password'), `${PASSWORD}\n`, { mode: 0o600 });
    const relay = await startCommandRelay(house.simulator.url);
    const gateway = await house.home.start(relay.url);
    await untilOrdersAreTaken(gateway);
    relay.passed.length = 0;
    return new Recording(house, relay, gateway);
  }

  get oms(): FixConnection {
    if (this.#connection === null) throw new Error('not connected');
    return this.#connection;
  }

  /** Log on as ACME_OMS. With `reset: false` both numbers go on. Tries again while an earlier connection still counts. */
  async logOn({ reset, nextSenderMsgSeqNum = 1 }: { reset: boolean; nextSenderMsgSeqNum?: number }): Promise<void> {
    const recorded = this.lines.length;
    for (let attempt = 1; ; attempt++) {
      this.lines.length = recorded;
      await this.open();
      this.oms.nextSenderMsgSeqNum = nextSenderMsgSeqNum;
      this.oms.send(`35=A|98=0|108=30|141=${reset ? 'Y' : 'N'}|554=${PASSWORD}`);
      const answer = this.next('the answer to the Logon', (view) => view.msgType === 'A');
      if (attempt === LOGON_ATTEMPTS) return void (await answer);
      if (await answer.catch(() => null)) return;
      this.oms.destroy();
    }
  }

  /** Log on the drop copy session of the samples beside the OMS. */
  async office(): Promise<FixConnection> {
    const password = await this.house.home.password('MIDDLE_OFFICE');
    return (await reconnect(this.gateway.fixPort, { ...ACME, senderCompID: 'MIDDLE_OFFICE' }, { password })).connection;
  }

  /** Connect without a Logon. */
  async open(): Promise<void> {
    const connection = await openFix(this.gateway.fixPort, ACME);
    this.#drained = 0;
    this.#connection = connection;
    const send = connection.sendBytes.bind(connection);
    connection.sendBytes = (bytes) => {
      this.drain();
      this.lines.push(`> ${toPrintable(bytes as Uint8Array)}`);
      send(bytes);
    };
  }

  /** Take what has come since into `lines`, up to message number `end`. */
  drain(end = this.oms.received.length): void {
    const { received } = this.oms;
    while (this.#drained < end) {
      const view = received[this.#drained++]!;
      if (UNASKED.includes(view.msgType)) this.#answer(view);
      else this.lines.push(`< ${toPrintable(view.bytes())}`);
    }
  }

  /** A TestRequest is answered beside the sample: else the gateway takes the OMS for lost. */
  #answer(view: MessageView): void {
    const id = view.string(Tag.TestReqID);
    if (view.msgType !== '1' || id === null || this.oms.closed) return;
    const seen = this.lines.length;
    this.oms.send(`35=0|112=${id}`);
    this.lines.splice(seen);
  }

  /** The next message that matches and was not recorded before. */
  async next(what: string, matches: (view: MessageView) => boolean): Promise<MessageView> {
    const from = this.#drained;
    const { received } = this.oms;
    const view = await this.oms.expect(what, (each) => received.indexOf(each) >= from && matches(each));
    this.drain(received.indexOf(view) + 1);
    return view;
  }

  /** The lines that were recorded while `act` ran. */
  async part(act: () => Promise<unknown>): Promise<string[]> {
    if (this.#connection !== null) this.drain();
    const from = this.lines.length;
    await act();
    this.drain();
    return this.lines.slice(from);
  }

  async close(): Promise<void> {
    this.#connection?.destroy();
    await this.house.close();
    this.relay.close();
  }
}

/** Is this a report with these values? */
export const is =
  (execType: string, ordStatus: string) =>
  (view: MessageView): boolean =>
    view.msgType === '8' && view.string(Tag.ExecType) === execType && view.string(Tag.OrdStatus) === ordStatus;

/** Is this a message of that type? */
export const ofType =
  (msgType: string) =>
  (view: MessageView): boolean =>
    view.msgType === msgType;
