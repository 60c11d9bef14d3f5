// Sessions of a QuickFIX settings file that is read in place: as secure as in the engine that it was written for, by their own
// settings or by every listener that takes them. Leaves finding what is lost to quickfix-cfg/tls.ts.

import { CIPHERS_DEFAULT } from '../../engine/mod.ts';
import type { ConfigProblem } from '../configuration/config-problem.ts';
import type { SettingReport } from '../quickfix-cfg/quickfix-cfg.ts';
import type { Demand } from '../quickfix-cfg/verdict.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import type { CheckedSession } from './cross-checks.ts';

type Listener = GatewaySettings['fix']['listen'][number];

/** Reports of a session's settings in such a file. */
export interface CfgReports {
  readonly file: string;
  readonly reports: readonly SettingReport[];
}

const MEETS: Readonly<Record<Demand, (listener: Listener) => boolean>> = {
  tls: ({ tls }) => tls !== undefined,
  clientCertificate: ({ tls }) => tls?.clientAuthority !== undefined,
  tls13: ({ tls }) => tls?.minVersion === 'TLSv1.3',
  ciphers: ({ tls }) => tls !== undefined && tls.ciphers !== CIPHERS_DEFAULT,
  revocations: ({ tls }) => tls?.clientRevocations !== undefined,
  loopback: ({ host }) => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host),
};

const IN_WORDS: Readonly<Record<Demand, string>> = {
  tls: '`tls`',
  clientCertificate: '`clientAuthority` in its `tls`',
  tls13: '`minVersion: TLSv1.3` in its `tls`',
  ciphers: '`ciphers` in its `tls`',
  revocations: '`clientRevocations` in its `tls`',
  loopback: 'a `host` of this machine alone',
};

/** Report where the sessions are less secure here, as problems, and where they differ from the file, as warnings. */
export function checkCfgSecurity(
  sessions: readonly CheckedSession[],
  reportsOf: ReadonlyMap<string, CfgReports>,
  gateway: GatewaySettings | null,
): { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  for (const { name, settings } of sessions) {
    const { file = '', reports = [] } = reportsOf.get(name) ?? {};
    const taking = (gateway?.fix.listen ?? []).filter(
      (listener) => settings.listeners.length === 0 || settings.listeners.includes(listener.name),
    );
    for (const { caution, demands, line, key, value, text } of reports) {
      const place = { file, line, column: 1, key, value };
      if (caution === 'warning') {
        warnings.push({ ...place, problem: text, remedy: 'make sure that it is meant so' });
      } else if (caution === 'error') {
        const remedy = remedyFor(demands, taking);
        if (remedy !== null)
          problems.push({ ...place, problem: `less secure here than in its engine: ${text}`, remedy });
      }
    }
  }
  return { problems, warnings };
}

/** Null if each listener has what is demanded. */
function remedyFor(demands: readonly Demand[] | undefined, taking: readonly Listener[]): string | null {
  if (demands === undefined) return 'set what replaces it, or write N or remove the line if the loss is agreed';
  for (const listener of taking) {
    const unmet = demands.filter((demand) => !MEETS[demand](listener));
    if (unmet.length > 0) {
      const needed = unmet.map((demand) => IN_WORDS[demand]).join(' and ');
      return `listener ${listener.name} needs ${needed}; or name other \`Crossgate.listeners\`, or remove the line`;
    }
  }
  return null;
}
