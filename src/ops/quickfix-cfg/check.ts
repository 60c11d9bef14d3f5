// The gateway's findings on the sessions of a QuickFIX settings file, reported by their original setting. The check of
// the whole configuration has the rest (accounts, limits).

import { sessionIDOf } from '../../engine/mod.ts';
import { schemaChecks } from '../configuration/schema-check.ts';
import type { CfgSession, SettingReport } from './quickfix-cfg.ts';

/**
 * The reports of each session, with values that `crossgate check` will refuse as `refused`, the reason and the remedy.
 * The session file keeps the value: another one would be another session.
 */
export function checkedReports(sessions: readonly CfgSession[]): (readonly SettingReport[])[] {
  const owners = new Map<string, string>();
  return sessions.map((session) => {
    const identity = identityOf(session);
    const owner = owners.get(identity) ?? session.name;
    owners.set(identity, owner);
    return reportsOf(session, owner === session.name ? null : `session ${owner} has the same identity, ${identity}`);
  });
}

/** `twin`: why it cannot be beside another session, if so. */
function reportsOf({ file, reports }: CfgSession, twin: string | null): readonly SettingReport[] {
  const problems = schemaChecks().sessionFile(file.values, (path) => file.place(path));
  return reports.map((report) => {
    const isMine = ({ key }: { readonly key: string }): boolean =>
      (report.values ?? []).some(
        ([path]) =>
          key === path.join('.') || key.startsWith(`${path.join('.')}[`) || key.startsWith(`${path.join('.')}.`),
      );
    const found = problems.find((each) => each.line === report.line && isMine(each));
    const isTwin = twin !== null && isMine({ key: 'targetCompID' });
    const problem =
      found ?? (isTwin ? { problem: twin, remedy: 'give one of them a SubID, or delete its file' } : null);
    if (problem === null || report.kind === 'invalid') return report;
    const text = `${report.text}, which \`crossgate check\` refuses: ${problem.problem}; ${problem.remedy}`;
    return { ...report, kind: 'refused', text };
  });
}

/** As the gateway reads the value; a value that is no text is refused by itself. */
function identityOf({ file: { values } }: CfgSession): string {
  const text = (key: string): string => String(values[key] ?? '');
  return sessionIDOf({
    beginString: String(values.beginString ?? 'FIX.4.4'),
    senderCompID: text('senderCompID'),
    senderSubID: text('senderSubID'),
    senderLocationID: text('senderLocationID'),
    targetCompID: text('targetCompID'),
    targetSubID: text('targetSubID'),
    targetLocationID: text('targetLocationID'),
  });
}
