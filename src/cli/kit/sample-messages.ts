// Sample messages of a session: a gateway of its own in a folder that is removed again, with this session's settings, a made-up
// password and a simulated exchange. They are recorded, so they are what the gateway really sends.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEngine } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import { isolatedConfig } from '../../certification/mod.ts';
import { type Dictionary, describe } from '../../dictionary/mod.ts';
import { wholeOps } from '../../ops/mod.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import { createSelfSignedCertificate } from '../../transport/mod.ts';
import { type MessageView, toRedacted } from '../../wire/mod.ts';
import type { KitSession } from './kit-session.ts';
import { type Fields, type SampleMessage, SampleTalk } from './sample-talk.ts';

/** Of the simulated exchange. */
const SYMBOL = 'BTCUSDC';
const PRICE = '60000';
const PASSWORD = 'sample-password';
const ATTEMPTS = 100;
const PAUSE_MS = 50;

/** A part of the conversation, and its messages. */
export interface Sample {
  readonly title: string;
  readonly messages: readonly SampleMessage[];
}

/** Run the conversation. @throws CrossgateError naming the step that failed */
export async function sampleMessages(kit: KitSession): Promise<readonly Sample[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-kit-'));
  const config = sampleConfig(kit, folder);
  const { ensureDemoSecrets } = await wholeOps();
  try {
    const engine = await startEngine({
      config,
      log: () => {},
      now: Date.now,
      onSecretsReady: async () => {
        await ensureDemoSecrets(config, createSelfSignedCertificate);
      },
    });
    try {
      return await new Conversation(config.sessions[0]!, engine).run();
    } finally {
      await engine.close();
      await engine.simulator?.close();
    }
  } catch (cause) {
    const why = `the sample messages could not be made: ${(cause as Error).message}; --no-samples leaves them out`;
    throw new CrossgateError('XG_SIMULATOR_INVALID', why, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As the session is, but open at once, without its secrets, and never with those of the gateway's other parts. */
function sampleConfig({ config, session }: KitSession, folder: string): EngineConfig {
  const isolated = isolatedConfig(config, session, folder);
  const [own] = isolated.sessions;
  const open: EngineSessionConfig = {
    ...own!,
    password: session.password === null ? null : { reference: 'made up', read: () => PASSWORD },
    access: { ...own!.access, signature: null, allowFrom: [] },
    // Without another proof a session demands a password.
    ...(session.password === null ? { password: { reference: 'made up', read: () => PASSWORD } } : {}),
    session: {
      ...own!.session,
      role: 'acceptor',
      // The text of the certification, which the isolated session has, is not this one's.
      logonText: session.session.logonText,
      schedule: null,
    },
    gateway: {
      ...own!.gateway,
      limits: { ...own!.gateway.limits, priceBandPercent: null },
      ...(own!.gateway.kind === 'dropCopy' ? { dropCopy: { sessionIds: null, elsewhere: true } } : {}),
    },
  };
  // A sample sends no alarm.
  const { alarms: _, ...quiet } = isolated;
  // No line of a certification stands between, which would name the client.
  const listeners = quiet.listeners.map((one) => ({ ...one, proxyFrom: [] }));
  return { ...quiet, listeners, sessions: [open] };
}

type RunningEngine = Awaited<ReturnType<typeof startEngine>>;

class Conversation {
  private readonly session: EngineSessionConfig;
  private readonly engine: RunningEngine;
  private talk: SampleTalk;
  private readonly samples: Sample[] = [];
  private from = 0;

  constructor(session: EngineSessionConfig, engine: RunningEngine) {
    this.session = session;
    this.engine = engine;
    this.talk = this.connected();
  }

  private connected(): SampleTalk {
    const { beginString, senderCompID, targetCompID, ...ids } = this.session.session;
    return new SampleTalk(this.engine.addresses[0]!.port, {
      beginString,
      senderCompID: targetCompID,
      targetCompID: senderCompID,
      senderSubID: ids.targetSubID ?? undefined,
      senderLocationID: ids.targetLocationID ?? undefined,
      targetSubID: ids.senderSubID ?? undefined,
      targetLocationID: ids.senderLocationID ?? undefined,
    });
  }

  async run(): Promise<readonly Sample[]> {
    try {
      await this.logOn();
      if (this.session.gateway.kind !== 'dropCopy') await this.trade();
      this.talk.send('1', [[112, 'SAMPLE']]);
      await this.answer('Heartbeat(0)', ({ msgType }) => msgType === '0');
      this.end('TestRequest and Heartbeat');
      this.talk.send('5', []);
      await this.answer('Logout(5)', ({ msgType }) => msgType === '5');
      this.end('Logout');
      return this.samples;
    } finally {
      this.talk.close();
    }
  }

  private async logOn(): Promise<void> {
    const { session } = this.session;
    const fields: Fields = [
      [98, '0'],
      [108, String(session.heartBtIntS)],
      [141, session.resetOnLogonAllowed ? 'Y' : 'N'],
      ...(session.environment === 'test' ? ([[464, 'Y']] as const) : []),
      ...(session.username === null ? [] : ([[553, session.username]] as const)),
      [554, PASSWORD],
      ...(session.beginString === 'FIXT.1.1' ? ([[1137, session.defaultApplVerID ?? '9']] as const) : []),
    ];
    // A Logon is not answered until the gateway has compared its accounts with the exchange (rule J3).
    for (let attempt = 1; ; attempt++) {
      this.talk.send('A', fields);
      const answered = await this.answer('answer to the Logon(A)', ({ msgType }) => msgType === 'A').catch((cause) => {
        if (attempt === ATTEMPTS) throw cause;
        return null;
      });
      if (answered !== null) break;
      this.talk.close();
      await pause(PAUSE_MS);
      this.talk = this.connected();
    }
    this.end('Logon');
  }

  /** A cancelled order, a filled one, a replaced one, and what is refused. */
  private async trade(): Promise<void> {
    await this.untilOrdersAreTaken();
    this.order('SAMPLE-1', [[59, '1']]);
    await this.report('SAMPLE-1', '0');
    this.end('A limit order, good till cancelled');
    this.change('F', 'SAMPLE-2', 'SAMPLE-1', [[38, '0.5']]);
    await this.report('SAMPLE-2', '4');
    this.end('Its cancel');
    this.order('SAMPLE-3', [[59, '1']]);
    await this.report('SAMPLE-3', '0');
    const filled = this.talk.messages.length;
    this.control.counterparty({ symbol: SYMBOL, side: 'SELL', price: PRICE, quantity: '0.5' });
    await this.talk.answer('fill', (view) => view.string(11) === 'SAMPLE-3' && view.string(39) === '2', filled);
    this.end('An order that is filled');
    this.order('SAMPLE-4', [[59, '1']]);
    await this.report('SAMPLE-4', '0');
    this.change('G', 'SAMPLE-5', 'SAMPLE-4', [
      [38, '0.4'],
      [40, '2'],
      [44, PRICE],
    ]);
    await this.answer('answer to the G', (view) => view.string(11) === 'SAMPLE-5' && view.string(150) !== 'E');
    this.end('A replacement');
    this.control.toPhase(SYMBOL, 'ACCUMULATION');
    await this.gtx();
    this.order('SAMPLE-6', [[59, '0']]);
    await this.report('SAMPLE-6', '8');
    this.end('A refused order: TimeInForce(59)=0');
    this.change('F', 'SAMPLE-7', 'SAMPLE-NONE', [[38, '0.5']]);
    await this.answer('OrderCancelReject(9)', ({ msgType }) => msgType === '9');
    this.end('A refused cancel: an unknown order');
    this.order('SAMPLE-8', [[59, 'Z']]);
    await this.answer('Reject(3)', ({ msgType }) => msgType === '3');
    this.end('A Reject: TimeInForce(59)=Z is no value of the dictionary');
  }

  /** Orders are refused until the gateway has compared its accounts with the exchange (rule J3). */
  private async untilOrdersAreTaken(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const clOrdID = `PROBE-${attempt}`;
      this.order(clOrdID, [[59, '3']]);
      const end = await this.answer(
        'end of a probe',
        (view) => isAbout(view, clOrdID) && /[8C4]/.test(view.string(39)!),
      );
      if (end.string(39) !== '8') break;
      await pause(PAUSE_MS);
    }
    this.from = this.talk.messages.length;
  }

  /** The auction's phase reaches the gateway by a stream: the order is tried until it is known there. */
  private async gtx(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const clOrdID = `SAMPLE-GTX-${attempt}`;
      this.from = this.talk.messages.length;
      this.order(clOrdID, [[59, '5']]);
      const said = await this.answer(
        'answer to a GTX order',
        (view) => isAbout(view, clOrdID) && view.string(150) !== 'A',
      );
      if (said.string(150) !== '8') break;
      await pause(PAUSE_MS);
    }
    this.end('An auction order: TimeInForce(59)=5');
  }

  private get control() {
    return this.engine.simulator!.control;
  }

  private order(clOrdID: string, more: Fields): void {
    this.talk.send('D', [
      [11, clOrdID],
      ...this.terms(),
      [54, '1'],
      [60, 'now'],
      [38, '0.5'],
      [40, '2'],
      [44, PRICE],
      ...more,
    ]);
  }

  private change(msgType: 'F' | 'G', clOrdID: string, origClOrdID: string, more: Fields): void {
    const handled = msgType === 'G' ? this.handled() : [];
    this.talk.send(msgType, [
      [41, origClOrdID],
      [11, clOrdID],
      ...handled,
      ...this.instrument(),
      [54, '1'],
      [60, 'now'],
      ...more,
    ]);
  }

  private terms(): Fields {
    return [...this.handled(), ...this.instrument()];
  }

  private handled(): Fields {
    return this.session.session.beginString === 'FIX.4.2' ? [[21, '1']] : [];
  }

  private instrument(): Fields {
    const { accounts, symbolAliases } = this.session.gateway;
    const alias = Object.entries(symbolAliases).find(([, symbol]) => symbol === SYMBOL)?.[0];
    return [
      [1, accounts[0]!.account],
      [55, alias ?? SYMBOL],
    ];
  }

  private async report(clOrdID: string, execType: string): Promise<void> {
    await this.answer(`150=${execType}`, (view) => isAbout(view, clOrdID) && view.string(150) === execType);
  }

  private async answer(what: string, matches: (view: MessageView) => boolean): Promise<MessageView> {
    return await this.talk.answer(what, matches, this.from);
  }

  private end(title: string): void {
    this.samples.push({ title, messages: this.talk.messages.slice(this.from) });
    this.from = this.talk.messages.length;
  }
}

function isAbout(view: MessageView, clOrdID: string): boolean {
  return view.msgType === '8' && (view.string(11) === clOrdID || view.string(41) === clOrdID);
}

/** One message a line, `|` for SOH, `>` from the counterparty: `crossgate decode` reads it. */
export function rawText(samples: readonly Sample[]): string {
  return samples
    .map(({ title, messages }) => {
      const lines = messages.map(({ direction, raw }) => `${direction === 'out' ? '>' : '<'} ${toRedacted(raw)}`);
      return `# ${title}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** Every field with its name and the meaning of its value. */
export function decodedText(samples: readonly Sample[], dictionaries: readonly Dictionary[]): string {
  const named = (view: MessageView): string =>
    dictionaries.map((one) => one.messageName(view.msgType)).find((name) => name !== null) ?? view.msgType;
  const text = ({ direction, view }: SampleMessage): string => {
    const fields = describe(view, dictionaries).map(({ tag, name, value, meaning, depth }) => {
      const says = meaning === null ? '' : `  (${meaning})`;
      return `${String(tag).padStart(6)} ${'  '.repeat(depth)}${name} = ${value}${says}`;
    });
    const head = `${direction === 'out' ? 'from you' : 'to you'}: ${named(view)} (35=${view.msgType})`;
    return `${head}\n${fields.join('\n')}\n`;
  };
  return samples.map(({ title, messages }) => `=== ${title}\n\n${messages.map(text).join('\n')}`).join('\n');
}
