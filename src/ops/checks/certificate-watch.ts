// Warns in time before a TLS certificate or revocation list ends: at the start, daily while the gateway runs, at the
// end itself, and in `crossgate check`. Certificates made for the simulated exchange are left out: the next start
// renews them.

import { X509Certificate } from 'node:crypto';
import type { Administration } from '../../administration/mod.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import { atOnce, revocationsIn, type SecretReference, type Steps } from '../../engine/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import type { ConfigProblem } from '../configuration/config-problem.ts';
import type { LoadedConfiguration } from '../configuration/configuration.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import { tlsDoors } from './tls-doors.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const REMEDY = 'put its successor, and the key of that, into that place; a running gateway then shows it by itself';
/** Authorities make lists for a day, a week or a month: so much of that is left when the next one should be there. */
const LIST_DUE_PART = 4;
const LIST_REMEDY =
  'put the next list of its authority into that place: clients of that authority are refused once the old one has ended';
/** Renewed in its file but not taken over: clients still see the old one. */
const RENEWED = 'its successor is there and is not shown: `crossgate config apply` takes it over, or says why not';

/** Subject of a certificate. */
type Of = readonly [of: string, secret: SecretReference];

/** Items with an end after which others are refused, or refuse us. */
export interface Ending {
  readonly of: string;
  readonly reference: string;
  readonly what: 'certificate' | 'list of revoked certificates';
  readonly endsAt: EpochMs;
  /** Time from which to warn; null: the configured days before. */
  readonly dueAt: EpochMs | null;
}

/** Their end times; other checks report unreadable ones. */
function endsOf(secrets: Iterable<Of>): Ending[] {
  return atOnce(lookingForEnds(secrets));
}

function* lookingForEnds(secrets: Iterable<Of>): Steps<Ending[]> {
  const found: Ending[] = [];
  for (const [of, secret] of secrets) {
    yield;
    const ending = endingOf(secret);
    if (ending !== null) found.push({ of, reference: secret.reference, ...ending });
  }
  return found;
}

/** Read when the gateway starts, and when they are renewed. */
function* ofListeners(config: EngineConfig): Generator<Of> {
  for (const { of, tls } of tlsDoors(config)) {
    if (tls.selfSigned) continue;
    yield [of, tls.certificate];
    if (tls.clientAuthority !== null) yield [`${of}, for clients`, tls.clientAuthority];
    if (tls.clientRevocations !== null) yield [`${of}, for clients`, tls.clientRevocations];
    for (const { serverName, certificate } of tls.names) yield [`${of}, as ${serverName}`, certificate];
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

/** Of the first of a chain, or of some lists, that ends. */
function endingOf(secret: SecretReference): Pick<Ending, 'what' | 'endsAt' | 'dueAt'> | null {
  try {
    const text = secret.read();
    const lists = revocationsIn(text).sort((a, b) => a.until - b.until);
    if (lists[0] !== undefined) {
      const { from, until } = lists[0];
      return { what: 'list of revoked certificates', endsAt: until, dueAt: until - (until - from) / LIST_DUE_PART };
    }
    const chain = (text.match(PEM) ?? []).map((pem) => new X509Certificate(pem).validToDate.getTime());
    return chain.length === 0 ? null : { what: 'certificate', endsAt: Math.min(...chain), dueAt: null };
  } catch {
    // The check of secrets, or the listener, reports why.
    return null;
  }
}

function isDue({ endsAt, dueAt }: Ending, days: number, now: EpochMs): boolean {
  return now > (dueAt ?? endsAt - days * DAY_MS);
}

function inWords({ of, reference, what, endsAt }: Ending, now: EpochMs): string {
  const days = Math.floor((endsAt - now) / DAY_MS);
  const when = endsAt <= now ? 'ended' : `ends in ${days} ${days === 1 ? 'day' : 'days'},`;
  return `the ${what} ${reference} of ${of} ${when} on ${formatIso(endsAt)}`;
}

/** That it has ended is said once more. */
function sayingOf({ of, reference, endsAt }: Ending, now: EpochMs): string {
  return `${of} ${reference} ${endsAt} ${endsAt <= now}`;
}

/** Remedy, and for a list the consequence. */
function remedyOf({ what }: Ending): string {
  return what === 'certificate' ? REMEDY : LIST_REMEDY;
}

/** Days of advance warning in a sound configuration; 0 otherwise. */
function daysAhead({ config, effective }: LoadedConfiguration): number {
  if (config === null) return 0;
  // Checked by its schema: the configuration is sound.
  const settings = effective.get('gateway')?.values as GatewaySettings | undefined;
  return settings?.fix.certificateAlarmDays ?? 0;
}

/** Certificates of a sound configuration that end within `fix.certificateAlarmDays`, for `crossgate check`. */
export function certificateWarnings(loaded: LoadedConfiguration, now: EpochMs): ConfigProblem[] {
  return atOnce(certificatesEnding(loaded, now));
}

/** The same in steps. */
export function* certificatesEnding(loaded: LoadedConfiguration, now: EpochMs): Steps<ConfigProblem[]> {
  const { config } = loaded;
  const days = daysAhead(loaded);
  if (config === null || days === 0) return [];
  const ends = yield* lookingForEnds([...ofListeners(config), ...ofConnections(config)]);
  const due = ends.filter((each) => isDue(each, days, now));
  return due.map((each) => {
    const place = { file: each.of, line: null, column: null, key: '', value: null };
    return { ...place, problem: inWords(each, now), remedy: remedyOf(each) };
  });
}

export interface CertificateWatchOptions {
  readonly started: LoadedConfiguration;
  /** The configuration as it is now. */
  readonly load: () => Promise<LoadedConfiguration>;
  readonly administration: Pick<Administration, 'alarm'>;
  readonly now: () => EpochMs;
}

export interface CertificateWatch {
  /** The certificates shown are those in the files now. */
  renewed(): void;
  /** The end of each certificate and list that is shown, or used for connections of ours when that was last looked at. */
  endings(): readonly Ending[];
  end(): void;
}

/**
 * Examines the certificates shown to clients now and once a day, even if the files have changed. Each hour it examines
 * those that became due: the last quarter of a daily list lies between two daily looks.
 */
export function watchCertificates({ started, load, administration, now }: CertificateWatchOptions): CertificateWatch {
  const read = (): Ending[] => (started.config === null ? [] : endsOf(ofListeners(started.config)));
  let shown = read();
  let used: readonly Ending[] = [];
  let sound = started;
  let isOver = false;
  /** Said since the last look at all of it. */
  const said = new Set<string>();
  const look = (endings: readonly Ending[]): void => {
    const { config } = sound;
    const days = daysAhead(sound);
    if (config === null || days === 0) return;
    const due = endings.filter((each) => isDue(each, days, now()) && !said.has(sayingOf(each, now())));
    const inFiles = due.length === 0 ? [] : endsOf(ofListeners(config));
    for (const each of due) {
      said.add(sayingOf(each, now()));
      const isRenewed = inFiles.some(
        ({ of, reference, endsAt }) => of === each.of && reference === each.reference && endsAt > each.endsAt,
      );
      administration.alarm('certificate-expires', `${inWords(each, now())}: ${isRenewed ? RENEWED : remedyOf(each)}`);
    }
  };
  const lookAtAll = (): void => {
    said.clear();
    used = sound.config === null ? [] : endsOf(ofConnections(sound.config));
    look([...shown, ...used]);
  };
  const lookAnew = async (): Promise<void> => {
    const loaded = await load();
    if (loaded.config !== null) sound = loaded;
    if (!isOver) lookAtAll();
  };
  lookAtAll();
  let hours = 0;
  const timer = setInterval(() => {
    hours++;
    if (hours % (DAY_MS / HOUR_MS) === 0) void lookAnew();
    else look(shown);
  }, HOUR_MS);
  timer.unref();
  return {
    renewed: () => {
      shown = read();
    },
    endings: () => [...shown, ...used],
    end: () => {
      isOver = true;
      clearInterval(timer);
    },
  };
}
