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
const REMEDY = 'put its successor, and the key of that, into that place; a running gateway then shows it by itself';
/** Renewed in its file, and not taken over: nobody who connects sees anything of it. */
const RENEWED = 'its successor is there and is not shown: `crossgate config apply` takes it over, or says why not';

/** What a certificate is of. */
type Of = readonly [of: string, secret: SecretReference];

interface Certificate {
  readonly of: string;
  readonly reference: string;
  readonly endsAt: EpochMs;
}

/** When they end; one that cannot be read is told by others. */
function endsOf(certificates: Iterable<Of>): Certificate[] {
  const found: Certificate[] = [];
  for (const [of, secret] of certificates) {
    const endsAt = endOf(secret);
    if (endsAt !== null) found.push({ of, reference: secret.reference, endsAt });
  }
  return found;
}

/** Read when the gateway starts, and when they are renewed. */
function* ofListeners({ listeners }: EngineConfig): Generator<Of> {
  for (const { name, tls } of listeners) {
    if (tls === null || tls.selfSigned) continue;
    yield [`listener ${name}`, tls.certificate];
    if (tls.clientAuthority !== null) yield [`listener ${name}, for clients`, tls.clientAuthority];
    for (const { serverName, certificate } of tls.names) yield [`listener ${name}, as ${serverName}`, certificate];
  }
}

/** Read with every connection. */
function* ofConnections({ sessions }: EngineConfig): Generator<Of> {
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

function inWords({ of, reference, endsAt }: Certificate, now: EpochMs): string {
  const days = Math.floor((endsAt - now) / DAY_MS);
  const when = endsAt <= now ? 'ended' : `ends in ${days} ${days === 1 ? 'day' : 'days'},`;
  return `the certificate ${reference} of ${of} ${when} on ${formatIso(endsAt)}`;
}

/** Days ahead of which a sound configuration wants to be told; 0 for one that is not. */
function daysAhead({ config, effective }: LoadedConfiguration): number {
  if (config === null) return 0;
  // Checked by its schema: the configuration is sound.
  const settings = effective.get('gateway')?.values as GatewaySettings | undefined;
  return settings?.fix.certificateAlarmDays ?? 0;
}

/** Certificates of a sound configuration that end within `fix.certificateAlarmDays`, for `crossgate check`. */
export function certificateWarnings(loaded: LoadedConfiguration, now: EpochMs): ConfigProblem[] {
  const { config } = loaded;
  const days = daysAhead(loaded);
  if (config === null || days === 0) return [];
  const ending = endsOf([...ofListeners(config), ...ofConnections(config)]).filter(
    ({ endsAt }) => endsAt < now + days * DAY_MS,
  );
  return ending.map((each) => {
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

export interface CertificateWatch {
  /** What is shown is what is in the files now. */
  renewed(): void;
  end(): void;
}

/** Looks now and once a day at what is shown to those who connect, whatever is in the files since. */
export function watchCertificates({ load, administration, now }: CertificateWatchOptions): CertificateWatch {
  const started = load();
  const read = (): Certificate[] => (started.config === null ? [] : endsOf(ofListeners(started.config)));
  let shown = read();
  let sound = started;
  const look = (): void => {
    const loaded = load();
    if (loaded.config !== null) sound = loaded;
    const { config } = sound;
    const days = daysAhead(sound);
    if (config === null || days === 0) return;
    const inFiles = endsOf(ofListeners(config));
    for (const each of [...shown, ...endsOf(ofConnections(config))]) {
      if (each.endsAt >= now() + days * DAY_MS) continue;
      const isRenewed = inFiles.some(
        ({ of, reference, endsAt }) => of === each.of && reference === each.reference && endsAt > each.endsAt,
      );
      administration.alarm('certificate-expires', `${inWords(each, now())}: ${isRenewed ? RENEWED : REMEDY}`);
    }
  };
  look();
  const timer = setInterval(look, DAY_MS);
  timer.unref();
  return {
    renewed: () => {
      shown = read();
    },
    end: () => clearInterval(timer),
  };
}
