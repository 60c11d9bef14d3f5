// Checks a session's purpose against the rest of its file and the other sessions (rules S9, O12). Leaves single keys to
// the schema and everything else that spans several to cross-checks.ts.

import { didYouMean } from '../../base/did-you-mean.ts';
import type { Report } from '../configuration/config-problem.ts';
import type { SessionSettings } from '../schema/session-schema.ts';

/** Check one session in itself. */
export function checkKind(
  { kind, limits, dropCopy, reach, cancelOnDisconnect }: SessionSettings,
  report: Report,
): void {
  if (kind === 'order') {
    if (limits === undefined) {
      const problem = 'no risk limits: a session without limits does not start (rule O12)';
      report(['limits'], undefined, problem, 'add `limits:`, checked before the exchange hears of an order');
    }
    if (dropCopy.sessions.length > 0) {
      const remedy = 'write `kind: dropCopy`, or remove it';
      report(['dropCopy', 'sessions'], dropCopy.sessions, 'only a drop copy session copies others', remedy);
    }
    return;
  }
  if (reach !== 'session') {
    report(['reach'], reach, 'a drop copy session sends no requests: it reaches no orders', 'remove it');
  }
  if (cancelOnDisconnect.deadMansSwitchS === 0) return;
  const problem = 'a drop copy session has no orders: it must not have those of others cancelled';
  report(['cancelOnDisconnect', 'deadMansSwitchS'], cancelOnDisconnect.deadMansSwitchS, problem, 'write 0');
}

/** Check that the sessions which a drop copy session names are there, and enter orders. */
export function checkCopied<Named extends { readonly name: string; readonly settings: SessionSettings }>(
  sessions: readonly Named[],
  reportOf: (session: Named) => Report,
): void {
  const kinds = new Map(sessions.map(({ name, settings }) => [name, settings.kind]));
  for (const session of sessions) {
    const report = reportOf(session);
    for (const [index, name] of session.settings.dropCopy.sessions.entries()) {
      const path = ['dropCopy', 'sessions', index];
      const kind = kinds.get(name);
      if (kind === undefined) {
        const meant = didYouMean(name, [...kinds.keys()]);
        const remedy = meant === null ? `there are: ${[...kinds.keys()].join(', ')}` : `did you mean ${meant}?`;
        report(path, name, 'there is no such session', remedy);
      } else if (kind !== 'order') {
        report(path, name, 'this session enters no orders, so there is nothing to copy', 'remove it');
      }
    }
  }
}
