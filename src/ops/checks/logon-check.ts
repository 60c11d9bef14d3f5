// Agreement between the keys about a session's connection (logon-schema.ts): the connecting side, proofs that its
// listeners can request, valid networks.

import { isIP } from 'node:net';
import { isNetwork } from '../../engine/mod.ts';
import type { Report } from '../configuration/config-problem.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import type { SessionSettings } from '../schema/session-schema.ts';

/** Networks of a listener. */
export function checkNetworks(
  { allowFrom, proxyFrom }: GatewaySettings['fix']['listen'][number],
  path: readonly (string | number)[],
  report: Report,
): void {
  for (const [key, list] of Object.entries({ allowFrom, proxyFrom })) checkList(list, [...path, key], report);
}

function checkList(list: readonly string[], path: readonly (string | number)[], report: Report): void {
  for (const [index, text] of list.entries()) {
    if (isNetwork(text)) continue;
    const remedy = 'write an address such as 10.1.2.3, or a network such as 10.1.0.0/16 or 2001:db8::/32';
    report([...path, index], text, 'this is neither an address nor a network', remedy);
  }
}

/** Which application versions a session speaks. */
export function checkApplicationVersions(
  { beginString, defaultApplVerID, applVerIDs }: SessionSettings,
  report: Report,
): void {
  if (applVerIDs.length === 0) return;
  const path = ['applVerIDs'];
  if (beginString !== 'FIXT.1.1') {
    report(path, applVerIDs.join(', '), `${beginString} has no ApplVerID(1128)`, 'remove it');
  } else if (applVerIDs.includes(defaultApplVerID)) {
    report(path, defaultApplVerID, 'this is the default already', 'remove it, or change `defaultApplVerID`');
  }
}

/** Tags by which messages, sessions and orders are found: a log without them shows nothing. */
const IDENTIFYING: ReadonlySet<number> = new Set([8, 9, 10, 11, 34, 35, 37, 41, 43, 49, 52, 56, 122]);

/** The tags that a session holds secret beside its passwords. */
export function checkSecretTags({ secretTags }: SessionSettings, report: Report): void {
  for (const [index, tag] of secretTags.entries()) {
    if (!IDENTIFYING.has(tag)) continue;
    const problem = 'by this field messages, sessions or orders are found in every log';
    report(['secretTags', index], tag, problem, 'remove it');
  }
}

/** How a session comes about and who may log on. */
export function checkLogon(settings: SessionSettings, gateway: GatewaySettings | null, report: Report): void {
  const { role, connect, password, logon } = settings;
  checkList(logon.allowFrom, ['logon', 'allowFrom'], report);
  if (role === 'initiator') {
    if (connect === undefined)
      report(['connect'], undefined, 'an initiator connects: where to?', 'add `connect.addresses`');
    else checkConnect(connect, report);
    if (logon.certificate !== undefined) {
      report(['logon', 'certificate'], undefined, 'counterparties do not log on to an initiator', 'remove it');
    }
    return;
  }
  if (connect !== undefined) {
    report(['connect'], undefined, 'an acceptor does not connect', 'add `role: initiator`, or remove `connect`');
  }
  if (password === undefined && logon.signature === undefined && logon.certificate === undefined) {
    const remedy = 'add `password:`, for example file:secrets/NAME.password, made by `crossgate sessions secret NAME`';
    report(['password'], undefined, 'the CompIDs alone would suffice to log on', remedy);
  }
  if (password === undefined && logon.newPasswordOverlapMs !== undefined) {
    const remedy = 'add `password:`, or remove it';
    report(['logon', 'newPasswordOverlapMs'], logon.newPasswordOverlapMs, 'there is no password to change', remedy);
  }
  checkCertificate(settings, gateway, report);
}

function checkConnect(connect: NonNullable<SessionSettings['connect']>, report: Report): void {
  const { tls, reconnectFirstMs, reconnectLargestMs, localAddress, proxy } = connect;
  if (localAddress !== undefined && isIP(localAddress) === 0) {
    report(['connect', 'localAddress'], localAddress, 'this is no IP address', 'write one of this machine');
  }
  if (proxy?.password !== undefined && (proxy.user === undefined || proxy.kind === 'socks4')) {
    const problem = proxy.kind === 'socks4' ? 'SOCKS4 knows no password' : 'there is no `user` whose password this is';
    report(
      ['connect', 'proxy', 'password'],
      proxy.password,
      problem,
      'remove it, or add `connect.proxy.user` with another `kind`',
    );
  }
  if (proxy?.kind === 'socks4') {
    const at = connect.addresses.findIndex((address) => address.startsWith('['));
    if (at !== -1) {
      report(
        ['connect', 'addresses', at],
        connect.addresses[at],
        'SOCKS4 reaches no IPv6 address',
        'use `kind: socks5`',
      );
    }
  }
  if ((tls?.certificate === undefined) !== (tls?.key === undefined)) {
    report(['connect', 'tls'], undefined, 'certificate and key go together', 'give both, or neither');
  }
  if (tls?.passphrase !== undefined && tls.key === undefined) {
    report(['connect', 'tls', 'passphrase'], tls.passphrase, 'there is no key that it opens', 'add `connect.tls.key`');
  }
  if (reconnectFirstMs > reconnectLargestMs) {
    const problem = `the first pause is longer than the largest, ${reconnectLargestMs}`;
    report(['connect', 'reconnectFirstMs'], reconnectFirstMs, problem, 'make it shorter');
  }
}

function checkCertificate(
  { logon, listeners }: SessionSettings,
  gateway: GatewaySettings | null,
  report: Report,
): void {
  const { certificate } = logon;
  if (certificate === undefined) return;
  if (certificate.commonName === undefined && certificate.fingerprints.length === 0) {
    const remedy = 'add `commonName` or `fingerprints`';
    report(['logon', 'certificate'], undefined, 'any client of the authority would be taken for this one', remedy);
  }
  for (const { name, tls } of gateway?.fix.listen ?? []) {
    if (tls?.clientAuthority !== undefined || (listeners.length > 0 && !listeners.includes(name))) continue;
    const remedy = `add \`clientAuthority\` to its \`tls\`, or name other \`listeners\` in the session`;
    report(['logon', 'certificate'], undefined, `listener ${name} asks clients for no certificate`, remedy);
  }
}
