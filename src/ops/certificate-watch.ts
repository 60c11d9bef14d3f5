// Says in time that a TLS certificate ends: at the start, once a day while the gateway runs, and in `crossgate check`. What a
// first start makes for the simulated exchange is left out: the next start makes it anew.

import { X509Certificate } from 'node:crypto';
import { type EpochMs, formatIso } from '../base/time.ts';
import type { Administration, EngineConfig, SecretReference } from '../engine/mod.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { LoadedConfiguration } from './configuration.ts';
import type { GatewaySettings } from './gateway-schema.ts';

const DAY_MS = 86_400_000;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const REMEDY = 'put its successor into that place and start the gateway again';

/** A certificate that ends, or has ended. */
interface EndingCertificate {
  /** What it is of. */
  readonly of: string;
  readonly reference: string;
  readonly endsAt: EpochMs;
}

/** Certificates of the configuration that end before a time; one that cannot be read is told by others. */
function endingBefore(config: EngineConfig, time: EpochMs): EndingCertificate[] {
  const found: EndingCertificate[] = [];
  for (const [of, secret] of certificatesOf(config)) {
    const endsAt = endOf(secret);
    if (endsAt !== null && endsAt < time) found.push({ of, reference: secret.reference, endsAt });
  }
  return found;
}

function* certificatesOf({ listeners, sessions }: EngineConfig): Generator<readonly [of: string, SecretReference]> {
  for (const { name, tls } of listeners) {
    if (tls === null || tls.selfSigned) continue;
    yield [`listener ${name}`, tls.certificate];
    if (tls.clientAuthority !== null) yield [`listener ${name}, for clients`, tls.clientAuthority];
    for (const { serverName, certificate } of tls.names) yield [`listener ${name}, as ${serverName}`, certificate];
  }
  for (const { source, connect } of sessions) {
    const { certificate = null, authority = null } = connect?.tls ?? {};
    if (certificate !== null) yield [source, certificate];
    if (authority !== null) yield [`${source}, for who answers`, authority];
  }
}

/** When the first of a chain ends. */
function endOf(secret: SecretReference): EpochMs | null {
  try {
    const chain = (secret.read().match(PEM) ?? []).map((pem) => new X509Certificate(pem).validToDate.getTime());
    return chain.length === 0 ? null : Math.min(...chain);
  } catch {
    // Whoever needs it says why: the check of secrets, or the listener.
    return null;
  }
}

function inWords({ of, reference, endsAt }: EndingCertificate, now: EpochMs): string {
  const days = Math.floor((endsAt - now) / DAY_MS);
  const when = endsAt <= now ? 'ended' : `ends in ${days} ${days === 1 ? 'day' : 'days'},`;
  return `the certificate ${reference} of ${of} ${when} on ${formatIso(endsAt)}`;
}

/** Certificates of a sound configuration that end within `fix.certificateAlarmDays`, for `crossgate check`. */
export function certificateWarnings({ config, effective }: LoadedConfiguration, now: EpochMs): ConfigProblem[] {
  // Checked by its schema, where the configuration is sound.
  const settings = effective.get('gateway')?.values as GatewaySettings | undefined;
  const days = settings?.fix.certificateAlarmDays ?? 0;
  if (config === null || days === 0) return [];
  return endingBefore(config, now + days * DAY_MS).map((each) => {
    const place = { file: each.of, line: null, column: null, key: '', value: null };
    return { ...place, problem: inWords(each, now), remedy: REMEDY };
  });
}

export interface CertificateWatchOptions {
  /** The configuration as it is now. */
  readonly load: () => LoadedConfiguration;
  readonly administration: Pick<Administration, 'alarm'>;
  readonly now: () => EpochMs;
}

/** Looks now and once a day. Returns what ends it. */
export function watchCertificates(options: CertificateWatchOptions): () => void {
  const look = (): void => {
    const { load, administration, now } = options;
    for (const { problem } of certificateWarnings(load(), now())) {
      administration.alarm('certificate-expires', `${problem}: ${REMEDY}`);
    }
  };
  look();
  const timer = setInterval(look, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
