// Session files with `template: true`: patterns from which the engine makes a session for each counterparty that logs
// on. Checks between their keys, and the replacement of `{compID}` and its like.

import type { Counterparty } from '../../engine/mod.ts';
import type { SessionSettings } from '../schema/session-schema.ts';
import type { Report } from './config-problem.ts';

const ANY = '*';
const COUNTERPARTY = ['targetCompID', 'targetSubID', 'targetLocationID'] as const;

/** Whether a value differs from counterparty to counterparty. */
export function isPattern(value: string): boolean {
  return /\{(compID|subID|locationID)\}/.test(value);
}

/** `*` and patterns only in templates, and templates only where they can make something. */
export function checkTemplate(settings: SessionSettings, report: Report): void {
  const { template, role } = settings;
  for (const key of COUNTERPARTY) {
    if (settings[key] !== ANY || template) continue;
    report([key], ANY, '`*` stands for any counterparty, which only a template has', 'add `template: true`');
  }
  if (!template) return;
  if (role === 'initiator') {
    report(['template'], true, 'an initiator knows its counterparty', 'remove it, or write `role: acceptor`');
  }
  if (settings.targetCompID !== ANY) {
    const remedy = 'write `"*"`, or remove `template`';
    report(['targetCompID'], settings.targetCompID, 'a template is for any counterparty', remedy);
  }
}

/** Whether all counterparties of a template would prove themselves by one and the same secret. */
export function sharesItsSecret({ template, password, logon }: SessionSettings): boolean {
  const proofs = [
    password,
    logon.signature?.key,
    logon.certificate?.commonName,
    ...(logon.certificate?.fingerprints ?? []),
  ];
  const given = proofs.filter((proof) => proof !== undefined);
  return template && !given.some(isPattern);
}

/** The settings of the session that a template makes for a counterparty. */
export function settingsFor(template: SessionSettings, counterparty: Counterparty): SessionSettings {
  const { targetCompID, targetSubID, targetLocationID } = counterparty;
  const fill = (text: string): string =>
    text
      .replaceAll('{compID}', targetCompID)
      .replaceAll('{subID}', targetSubID ?? '')
      .replaceAll('{locationID}', targetLocationID ?? '');
  const { password, username, logon, accounts } = template;
  const { signature, certificate } = logon;
  const { commonName } = certificate ?? {};
  return {
    ...template,
    template: false,
    targetCompID,
    ...(targetSubID === null ? {} : { targetSubID }),
    ...(targetLocationID === null ? {} : { targetLocationID }),
    ...(password === undefined ? {} : { password: fill(password) }),
    ...(username === undefined ? {} : { username: fill(username) }),
    logon: {
      ...logon,
      ...(signature === undefined ? {} : { signature: { ...signature, key: fill(signature.key) } }),
      ...(certificate === undefined
        ? {}
        : { certificate: { ...certificate, ...(commonName === undefined ? {} : { commonName: fill(commonName) }) } }),
    },
    accounts: accounts.map((entry) => ({ ...entry, account: fill(entry.account) })),
  };
}
