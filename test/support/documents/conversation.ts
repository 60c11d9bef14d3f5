// One conversation of an OMS with the gateway, byte for byte: a session machine and the gateway's desk, in virtual time, with the
// exchange played by the script. For the examples of the rules of engagement.

import { Validator } from '../../../src/dictionary/mod.ts';
import type { GatewayEffect, GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import type { MessageDraft } from '../../../src/wire/mod.ts';
import { fromPrintable, toPrintable, viewOf } from '../../../src/wire/mod.ts';
import { ACCOUNT, Desk, gatewayConfig, SESSION } from '../../gateway/desk.ts';
import { dictionary } from '../dictionary.ts';
import { completeFrame, timestampOf } from '../session/fix-scenario.ts';
import { MachineDriver } from '../session/session-machine.ts';

/** CompIDs of the sample sessions. */
const [OURS, THEIRS] = ['EXCHANGE_TEST', 'ACME_OMS'];
const BEGINS_AT = Date.UTC(2026, 10, 23, 10, 0, 0);

class SpokenDesk extends Desk {
  drafts: MessageDraft[] = [];

  override feed(input: Parameters<Desk['feed']>[0]): GatewayEffect[] {
    const effects = super.feed(input);
    for (const effect of effects) if (effect.kind === 'send') this.drafts.push(effect.draft);
    return effects;
  }
}

export class Conversation {
  /** Messages as text, `>` from the OMS and `<` to it, and what happens between them behind `#`. */
  readonly lines: string[] = [];
  readonly desk: SpokenDesk;
  readonly #driver: MachineDriver;
  readonly #beginString: string;
  #msgSeqNum = 1;

  constructor(session: Pick<GatewaySessionConfig, 'beginString' | 'dialect'>) {
    const { beginString, dialect } = session;
    this.#beginString = beginString;
    const accounts = [{ account: ACCOUNT, tradingAccountId: ACCOUNT, credential: 'main' }];
    this.desk = new SpokenDesk(gatewayConfig({ ...session, accounts }), { ready: false });
    this.#driver = new MachineDriver({
      config: { beginString, senderCompID: OURS!, targetCompID: THEIRS!, sendsSessionStatus: dialect === 'venue' },
      validator: new Validator(dictionary(beginString === 'FIX.4.2' ? 'FIX42.xml' : 'FIX44.xml')),
    });
    this.#driver.now = BEGINS_AT;
    this.desk.now = BEGINS_AT;
    this.desk.open();
    this.desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    this.desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '60000.0' });
    this.#driver.connect();
    this.oms('35=A|98=0|108=30|141=Y|554=********|');
  }

  /** A message of the OMS, with TransactTime(60) where it says `60=now`. */
  oms(message: string): void {
    this.wait(40);
    const time = timestampOf(this.desk.now, this.#beginString);
    const text = message.replace('60=now', `60=${time}`).replace('|', `|34=${this.#msgSeqNum++}|`);
    const frame = completeFrame(text, THEIRS!, OURS!, this.#beginString, time);
    this.lines.push(`> ${toPrintable(frame)}`);
    this.#driver.receive(frame);
    this.#answer();
  }

  /** The exchange's actions, in words. */
  exchange(words: string, act: (desk: Desk) => unknown): void {
    this.wait(25);
    if (words !== '') this.lines.push(`# ${words}`);
    act(this.desk);
    this.#answer();
  }

  wait(ms: number): void {
    this.#driver.wait(ms);
    this.desk.advance(ms);
    this.#answer();
  }

  #answer(): void {
    const { drafts } = this.desk;
    for (const draft of drafts.splice(0)) this.#driver.input({ kind: 'send', draft });
    for (const outcome of this.#driver.outcomes.splice(0)) {
      if (outcome.kind === 'transmit') this.lines.push(`< ${outcome.text}`);
      else if (outcome.kind === 'deliver') {
        const view = viewOf(fromPrintable(outcome.text))!;
        this.desk.feed({ kind: 'message', sessionId: SESSION, view, possDup: outcome.possDup });
        this.#answer();
      }
    }
  }
}
