// Runs scenario scripts (fix-scenario.ts) over TCP, with real time: everything the session sends is compared as a whole
// but for SendingTime, OrigSendingTime, BodyLength and CheckSum, which the framer has proved.

import { expect } from 'vitest';
import type { Session, SessionInput } from '../../../src/session/mod.ts';
import { fromPrintable, type MessageView, toPrintable } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../network/fix-connection.ts';
import { completeFrame, fieldsOf, parseScenario, type ScenarioStep, timestampOf, withTimes } from './fix-scenario.ts';

/** A session behind a port. */
export interface ScenarioTarget {
  readonly port: number;
  readonly session: Session;
  /** The application's messages that no script has asked for yet. */
  readonly delivered: MessageView[];
  /** `loggedOn` and `loggedOff` as reported, in order. */
  readonly events: readonly string[];
  /** Whether the session knows of its connection before the Logon. */
  readonly bindsOnConnect: boolean;
  app(message: string): void;
  input(input: SessionInput): void;
  /** @throws Error if it never holds */
  until(holds: () => boolean, what: string): Promise<void>;
  close(): Promise<void>;
}

const STEPS = new Set([
  'receive',
  'receiveRaw',
  'expect',
  'delivered',
  'app',
  'connect',
  'cut',
  'closed',
  'logout',
  'numbers',
  'up',
  'down',
]);

/** Whether a script can be run in real time against a target with one acceptor session: no step that makes time pass. */
export function runsOverTcp(script: string): boolean {
  return parseScenario(script).every(({ kind }) => STEPS.has(kind));
}

/** Times and what follows from them, replaced: `52=*`. */
function timeless(frame: string): string {
  // How far 52 is from the clock grows with the time that the script has taken.
  return frame.replace(/(^|\|)(9|10|52|122)=[^|]*/g, '$1$2=*').replace(/is \d+ s (?=behind|ahead of)/g, 'is * s ');
}

/** Run a script against a session behind a port. */
export async function runOverTcp(script: string, host: ScenarioTarget): Promise<void> {
  const run = new TcpRun(host);
  try {
    for (const step of parseScenario(script)) await run.step(step);
  } finally {
    run.destroy();
  }
}

class TcpRun {
  readonly #host: ScenarioTarget;
  readonly #startAt = Date.now();
  #connection: FixConnection | null = null;
  #events = 0;

  constructor(host: ScenarioTarget) {
    this.#host = host;
  }

  destroy(): void {
    this.#connection?.destroy();
  }

  async step(step: ScenarioStep): Promise<void> {
    const host = this.#host;
    const { beginString, senderCompID, targetCompID } = host.session.config;
    const where = `line ${step.line}: ${step.text}`;
    switch (step.kind) {
      case 'connect':
        this.#connection = await openFix(host.port, { senderCompID: targetCompID, targetCompID: senderCompID });
        if (!host.bindsOnConnect) return;
        return host.until(() => host.session.status.state !== 'disconnected', where);
      case 'receive':
      case 'receiveRaw': {
        const message = withTimes(step.message, this.#startAt, beginString);
        const time = timestampOf(Date.now(), beginString);
        const frame =
          step.kind === 'receive'
            ? completeFrame(message, targetCompID, senderCompID, beginString, time)
            : fromPrintable(message, beginString);
        this.#connection!.sendBytes(frame);
        return;
      }
      case 'expect': {
        const message = withTimes(step.message, this.#startAt, beginString);
        const view = await this.#connection!.next();
        const frame = completeFrame(message, senderCompID, targetCompID, beginString, timestampOf(0, beginString));
        expect(timeless(toPrintable(view.bytes())), where).toBe(timeless(toPrintable(frame)));
        return;
      }
      case 'delivered': {
        await host.until(() => host.delivered.length > 0, where);
        const view = host.delivered.shift()!;
        for (const [tag, value] of fieldsOf(step.message)) expect(view.string(tag), where).toBe(value);
        return;
      }
      case 'closed':
      case 'cut':
        if (step.kind === 'closed') await this.#connection!.expectClosed();
        this.#connection!.destroy();
        return host.until(() => host.session.status.state === 'disconnected', where);
      case 'numbers':
        return host.until(() => {
          const { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = host.session.numbers;
          return nextSenderMsgSeqNum === step.nextSenderMsgSeqNum && nextTargetMsgSeqNum === step.nextTargetMsgSeqNum;
        }, where);
      case 'app':
        return host.app(step.message);
      case 'logout':
        return host.input({ kind: 'logout', text: step.reason });
      case 'up':
      case 'down':
        await host.until(() => host.events.length > this.#events, where);
        expect(host.events[this.#events++], where).toBe(step.kind === 'up' ? 'loggedOn' : 'loggedOff');
        return;
      default:
        throw new Error(`not over TCP: ${where}`);
    }
  }
}
