// What the gateway will say of the sessions of a QuickFIX settings file, told by the setting that it comes from. Leaves what
// belongs to no setting (accounts, limits) to the check of the whole configuration.

import type { CfgSession, SettingReport } from './quickfix-cfg.ts';
import { schemaChecks } from './schema-check.ts';

/**
 * The reports of a session, those whose value `crossgate check` will refuse as `refused`, with the reason and what to write.
 * The value stands in the session file all the same: another one would be another session.
 */
export function checkedReports({ file, reports }: CfgSession): readonly SettingReport[] {
  const problems = schemaChecks().sessionFile(file.values, (path) => file.place(path));
  return reports.map((report) => {
    const isMine = ({ key }: { readonly key: string }): boolean =>
      (report.values ?? []).some(
        ([path]) =>
          key === path.join('.') || key.startsWith(`${path.join('.')}[`) || key.startsWith(`${path.join('.')}.`),
      );
    const problem = problems.find((each) => each.line === report.line && isMine(each));
    if (problem === undefined || report.kind === 'invalid') return report;
    const text = `${report.text}, which \`crossgate check\` refuses: ${problem.problem}; ${problem.remedy}`;
    return { ...report, kind: 'refused', text };
  });
}
