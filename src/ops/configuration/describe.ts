// The effective configuration for people and scripts: every value with where it comes from, secrets as references only.
// Leaves loading to configuration.ts and layout on the terminal to the command line.

import { REDACTED } from '../../base/redacted-text.ts';
import { atOnce, dictionaryFiles, type Steps, sendsLogonText, versionOf } from '../../engine/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import { keyPath, showValue } from './config-problem.ts';
import type { LoadedConfiguration } from './configuration.ts';
import type { Origins } from './layers.ts';
import { venueIn } from './venue.ts';

export interface DescribedValue {
  /** `gateway.state`, `sessions.ACME_OMS.limits.notionalMax`. */
  readonly key: string;
  /** Redacted. */
  readonly value: string;
  /** `sessions/ACME_OMS.yaml:12`, `default`, `environment CROSSGATE_STATE`, `command line`, or how it was derived. */
  readonly origin: string;
}

/** Some tenths of a millisecond. */
const VALUES_PER_STEP = 200;

/** Describe every effective value, file by file; for a configuration with problems, the readable part. */
export function describeConfiguration(loaded: LoadedConfiguration): DescribedValue[] {
  return atOnce(describing(loaded));
}

/** The same in steps. */
export function* describing(loaded: LoadedConfiguration): Steps<DescribedValue[]> {
  const described: DescribedValue[] = [];
  const hidden = hiddenIn(loaded);
  for (const scope of loaded.effective.keys()) {
    described.push(...describeScope(loaded, scope, hidden));
    yield;
  }
  const { sessions = [], dictionariesDirectory = '' } = loaded.config ?? {};
  for (const { source, session, gateway } of sessions) {
    yield;
    const { on, scope: whose = 'session' } = gateway.cancelOnDisconnect;
    const seconds = Math.round(session.heartBtIntS * session.lostAfter * 10) / 10;
    const scope = `derived.${session.sessionId}`;
    described.push(
      { key: `${scope}.lostAfterSeconds`, value: `${seconds}`, origin: `${source}: heartBtIntS × lostAfter (rule C1)` },
      { key: `${scope}.venue`, value: venueIn(loaded), origin: `${source}: exchange (rule S8)` },
      { key: `${scope}.logonText`, value: logonTextOf(session), origin: `${source}: exchange (rule S8)` },
      { key: `${scope}.messageRate`, value: rateOf(session), origin: `${source}: messageRate (rule S7)` },
      { key: `${scope}.cancelOnDisconnect`, value: on, origin: `${source}: scope ${whose}` },
      {
        key: `${scope}.dictionaries`,
        value: dictionaryFiles(dictionariesDirectory, versionOf(session)).join(', '),
        origin: `${source}: version spoken, and overlays in ${dictionariesDirectory}`,
      },
    );
  }
  return described;
}

/** Values in one JSON text, in steps: of a thousand sessions it is megabytes. */
export function* inJson(described: readonly DescribedValue[]): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < described.length; from += VALUES_PER_STEP) {
    parts.push(JSON.stringify(described.slice(from, from + VALUES_PER_STEP)).slice(1, -1));
    yield;
  }
  return `[${parts.join(',')}]`;
}

/** Effective settings of one file: `gateway`, `sessions.ACME_OMS`. */
export function describeScope(loaded: LoadedConfiguration, scope: string, hidden = hiddenIn(loaded)): DescribedValue[] {
  const described: DescribedValue[] = [];
  describeInto({ described, origins: loaded.origins, hidden, scope }, [], loaded.effective.get(scope)?.values);
  return described;
}

/** Keys that a problem blacks out, a secret under a misspelt key among them: they are blacked out here too. */
function hiddenIn({ problems }: LoadedConfiguration): ReadonlySet<string> {
  return new Set(problems.filter(({ value }) => value === REDACTED).map(({ key }) => key));
}

/** Text(58) of the Logon answer, or why none is sent. */
function logonTextOf(session: EngineConfig['sessions'][number]['session']): string {
  if (session.logonText === null) return 'none';
  const { beginString, logonText } = session;
  return sendsLogonText(session)
    ? logonText
    : `not sent: Logon(A) of ${beginString} has no Text(58) in dialect ${session.sendsSessionStatus ? 'venue' : 'standard'}`;
}

/** How fast application messages may come, and what ends the session. */
function rateOf({ messageRate: rate }: EngineConfig['sessions'][number]['session']): string {
  if (rate === undefined || rate === null) return 'no limit';
  const { messagesMax, perMs, excess, refusalsMax } = rate;
  const perSecond = Math.round((messagesMax * 10_000) / perMs) / 10;
  const what = excess === 'hold' ? 'the rest waits for its turn' : 'the rest is refused';
  const end = refusalsMax === 0 ? '' : `, and ${refusalsMax} refusals within a minute end the session`;
  return `${perSecond} messages/s, at most ${messagesMax} in ${perMs} ms; ${what}${end}; cancels (F, q) pass at once`;
}

interface Description {
  readonly described: DescribedValue[];
  readonly origins: Origins;
  /** Keys with hidden values. */
  readonly hidden: ReadonlySet<string>;
  readonly scope: string;
}

function describeInto(into: Description, path: readonly (string | number)[], value: unknown): void {
  const isTree = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isTree) {
    const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
      ? value.map((item: unknown, index) => [index, item] as const)
      : Object.entries(value);
    for (const [step, item] of entries) describeInto(into, [...path, step], item);
    return;
  }
  if (path.length === 0) return;
  const key = keyPath(path);
  const { described, origins, hidden, scope } = into;
  const origin = nearest(origins, scope, path);
  described.push({ key: `${scope}.${key}`, value: showValue(key, value, hidden.has(key)) ?? '', origin });
}

function nearest(origins: Origins, scope: string, path: readonly (string | number)[]): string {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(`${scope}.${keyPath(path.slice(0, length))}`);
    if (origin !== undefined) return origin;
  }
  return 'default';
}
