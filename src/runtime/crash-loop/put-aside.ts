// Stands before the gateway machine for inputs that ended earlier processes by a bug (interruptions.ts). Such a message
// is answered with a BusinessMessageReject(j), such an event of the exchange is left out, and operators are alerted.
// All other inputs pass.

import type { EpochMs } from '../../base/time.ts';
import type { Application, ApplicationInput, InputRecorder, Turn } from '../../engine/mod.ts';
import type { GatewayInput } from '../../gateway/mod.ts';
import type { Authentication, SessionEffect, SessionID, SessionInput } from '../../session/mod.ts';
import type { JournalRecord } from '../../store/mod.ts';
import type { MessageView } from '../../wire/mod.ts';
import type { RunningEngine } from '../running-engine.ts';

type Told = GatewayInput | ApplicationInput;

export class PutAsideApplication implements Application<GatewayInput>, InputRecorder<GatewayInput> {
  private readonly application: Application<GatewayInput> & InputRecorder<GatewayInput>;
  private readonly engine: Pick<RunningEngine, 'interruptions' | 'alarm'>;

  constructor(
    application: Application<GatewayInput> & InputRecorder<GatewayInput>,
    engine: Pick<RunningEngine, 'interruptions' | 'alarm'>,
  ) {
    this.application = application;
    this.engine = engine;
  }

  handle(input: Told, turn: Turn): void {
    const aside = this.engine.interruptions.asideOf(input);
    if (aside !== null) this.tell(aside.text, aside.sessionId);
    const instead = aside === null ? input : insteadOf(input, aside.text);
    if (instead !== null) this.application.handle(instead, turn);
  }

  deadline(): EpochMs | null {
    return this.application.deadline();
  }

  resent(sessionId: SessionID): void {
    this.application.resent?.(sessionId);
  }

  sessionInput(sessionId: SessionID, input: SessionInput): JournalRecord | null {
    return this.application.sessionInput(sessionId, input);
  }

  message(
    sessionId: SessionID,
    view: MessageView,
    authentication: Authentication,
    effects: readonly SessionEffect[],
  ): JournalRecord | null {
    return this.application.message(sessionId, view, authentication, effects);
  }

  /** An input withheld from the machine is not recorded as given. */
  applicationInput(input: Told): JournalRecord | null {
    const aside = this.engine.interruptions.asideOf(input);
    const instead = aside === null ? input : insteadOf(input, aside.text);
    return instead === null ? null : this.application.applicationInput(instead);
  }

  /** The exchange repeats its events: one alarm is enough. Each message of a counterparty is reported. */
  private tell(text: string, sessionId: SessionID | null): void {
    if (sessionId !== null) this.engine.alarm('input-put-aside', `${text}: refused`, { session: sessionId });
    else if (this.engine.interruptions.isNews(text)) this.engine.alarm('input-put-aside', `${text}: left out`, {});
  }
}

/** Replacement for an input that ended earlier processes; null for none. */
function insteadOf(input: Told, text: string): Told | null {
  switch (input.kind) {
    case 'message':
    case 'throttled': {
      const said = 'This message cannot be accepted: it ended this gateway before; its operators know';
      return { kind: 'refuse', sessionId: input.sessionId, view: input.view, text: said };
    }
    case 'lookedUp':
      // It is looked up again, and finally operators are alerted: the order stays unchanged.
      return { ...input, outcome: { kind: 'failed', message: text } };
    default:
      return null;
  }
}
