// Checks certificates before clients connect: whether certificate and key belong together, and whether a checking
// counterparty could accept them. When certificates end is certificate-watch.ts's, whether their files are there
// secret-check.ts's.

import { X509Certificate } from 'node:crypto';
import { type EpochMs, formatIso } from '../../base/time.ts';
import { atOnce, pairFault, readPrivateKey, type SecretReference, type Steps } from '../../engine/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import type { ConfigProblem } from '../configuration/config-problem.ts';
import { tlsDoors } from './tls-doors.ts';

/** Permitted purposes of a certificate, if it states them (RFC 5280, 4.2.1.12). */
const Purpose = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2', any: '2.5.29.37.0' } as const;

interface Pair {
  readonly of: string;
  readonly certificate: SecretReference;
  readonly key: SecretReference;
  readonly passphrase: SecretReference | null;
  readonly purpose: keyof typeof Purpose;
  /** The name that counterparties check; null if unknown here. */
  readonly serverName: string | null;
}

export interface CertificateFindings {
  /** A fault that would end a start. */
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

/** Look at the pairs of a sound configuration, as far as they can be read. */
export function checkCertificates(config: EngineConfig, now: EpochMs): CertificateFindings {
  return atOnce(checkingCertificates(config, now));
}

/** The same in steps. */
export function* checkingCertificates(config: EngineConfig, now: EpochMs): Steps<CertificateFindings> {
  const problems: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  for (const pair of pairsOf(config)) {
    yield;
    const read = readPair(pair);
    // A first start makes it, or the check of secrets says that it is missing.
    if (read === null) continue;
    const place = { file: pair.of, line: null, column: null, key: '', value: null };
    const fault = pairFault(pair.certificate.reference, read.cert, pair.key.reference, read.key);
    if (fault !== null) {
      const found = {
        ...place,
        problem: fault,
        remedy: 'put the certificate, its chain behind it, and its own key there',
      };
      // The client certificate is read with each connection: the gateway starts without it.
      (pair.purpose === 'server' ? problems : warnings).push(found);
      continue;
    }
    for (const [problem, remedy] of lacksOf(pair, new X509Certificate(read.cert), now)) {
      warnings.push({ ...place, problem, remedy });
    }
  }
  return { problems, warnings };
}

function* pairsOf(config: EngineConfig): Generator<Pair> {
  for (const { of, tls } of tlsDoors(config)) {
    const purpose = 'server';
    const { certificate, key, passphrase = null } = tls;
    yield { of, certificate, key, passphrase, purpose, serverName: null };
    for (const { serverName, passphrase = null, ...pair } of tls.names) {
      yield { of: `${of}, as ${serverName}`, ...pair, passphrase, purpose, serverName };
    }
  }
  for (const { source, connect } of config.sessions) {
    const { certificate = null, key = null, passphrase = null } = connect?.tls ?? {};
    if (certificate !== null && key !== null)
      yield { of: source, certificate, key, passphrase, purpose: 'client', serverName: null };
  }
}

function readPair({ certificate, key, passphrase }: Pair): { readonly cert: string; readonly key: string } | null {
  try {
    return { cert: certificate.read(), key: readPrivateKey({ key, passphrase }) };
  } catch {
    // Said with its reference by the check of secrets, as is a passphrase that does not open the key.
    return null;
  }
}

/** Reasons for a counterparty to refuse the certificate, with a remedy. */
function* lacksOf(
  { certificate: { reference }, purpose, serverName }: Pair,
  certificate: X509Certificate,
  now: EpochMs,
): Generator<readonly [problem: string, remedy: string]> {
  const from = certificate.validFromDate.getTime();
  if (from > now) yield [`the certificate ${reference} holds from ${formatIso(from)} on only`, 'look at the clock'];
  if (serverName !== null && certificate.checkHost(serverName) === undefined) {
    const names = certificate.subjectAltName ?? certificate.subject.replaceAll('\n', ', ');
    const problem = `the certificate ${reference} is not for ${serverName}, but for ${names}: counterparties that check this name disconnect`;
    yield [problem, 'get one with that name, or correct `serverName`'];
  }
  // None of them: it may serve for all.
  const purposes: readonly string[] = certificate.keyUsage ?? [];
  if (purposes.length === 0 || purposes.includes(Purpose.any) || purposes.includes(Purpose[purpose])) return;
  const problem = `the certificate ${reference} does not say that it may serve as that of a ${purpose} (extended key usage): counterparties that check it disconnect`;
  yield [problem, `get one whose extended key usage has ${purpose}Auth`];
}
