// News(B) of operators: to one, some or all sessions, and of a planned stop until it comes. The gateway machine sends and
// repeats it. Every action is audited.

import { type EpochMs, formatIso } from '../base/time.ts';
import type { ActionResult } from '../engine/mod.ts';
import type { OperatorNews, PlannedStop } from '../gateway/mod.ts';
import { type RunningEngine, sessionName } from '../runtime/mod.ts';
import type { SessionID } from '../session/mod.ts';
import { type ActionLog, SAY_WHY } from './order-administration.ts';

/** Sessions named in an answer. */
const NAMED_MAX = 20;

/** News as an operator gives it. */
export interface NewsRequest extends Omit<OperatorNews, 'sessionIds'> {
  /** Names of sessions; empty for all. */
  readonly sessions: readonly string[];
  /** Of a planned stop: it goes again before it, and after each Logon until then. */
  readonly stopAt: EpochMs | null;
}

export class NewsAdministration {
  private readonly engine: RunningEngine;
  private readonly people: ActionLog;

  constructor(engine: RunningEngine, people: ActionLog) {
    this.engine = engine;
    this.people = people;
  }

  /** The planned stop that is announced, or null. */
  plannedStop(): PlannedStop | null {
    return this.engine.gateway.plannedStop();
  }

  /** Send it to the sessions that are logged on. */
  publish({ sessions, stopAt, ...content }: NewsRequest, who: string): ActionResult {
    const ids: SessionID[] = [];
    for (const name of sessions) {
      const id = this.people.idOf(name);
      if (id === null) return { done: false, text: `There is no session ${name}, or more than one.` };
      ids.push(id);
    }
    if (stopAt !== null && stopAt <= this.engine.now()) {
      return { done: false, text: 'The planned stop lies in the past.' };
    }
    const sessionIds = sessions.length === 0 ? null : ids;
    const to = sessionIds === null ? 'all sessions' : sessionIds.join(' ');
    const until = stopAt === null ? '' : `, stop at ${formatIso(stopAt)}`;
    const words = content.text === '' ? content.headline : `${content.headline}: ${content.text}`;
    this.people.audit(who, 'news', `${to}${until}: ${words}`);
    const { told, away } = this.receivers(sessionIds);
    this.engine.dispatcher.applicationInput({ kind: 'news', news: { sessionIds, ...content }, stopAt, who });
    const missed = away.length === 0 ? '' : ` Not logged on: ${namesIn(away)}.`;
    const again =
      stopAt === null
        ? ''
        : ' It goes again 60, 30, 15, 5 and 1 minutes before the stop, and after each Logon until then.';
    const count = told === 1 ? '1 session' : `${told} sessions`;
    return { done: told > 0 || stopAt !== null, text: `News(B) sent to ${count}.${missed}${again}` };
  }

  /** The planned stop does not take place. */
  withdraw(why: string, who: string): ActionResult {
    const stop = this.plannedStop();
    if (stop === null) return { done: false, text: 'No stop is planned.' };
    if (why === '') return { done: false, text: SAY_WHY };
    this.people.audit(who, 'news withdrawn', `${stop.headline}: ${why}`);
    this.engine.dispatcher.applicationInput({ kind: 'withdrawStop', who, why });
    return { done: true, text: 'Withdrawn; the sessions that are logged on were told.' };
  }

  private receivers(sessionIds: readonly SessionID[] | null): { told: number; away: string[] } {
    let told = 0;
    const away: string[] = [];
    for (const [sessionId, config] of this.engine.sessionConfigs) {
      if (sessionIds?.includes(sessionId) === false) continue;
      if (this.engine.gateway.isUp(sessionId)) told++;
      else away.push(sessionName(config));
    }
    return { told, away };
  }
}

function namesIn(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  return `${names.slice(0, NAMED_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
