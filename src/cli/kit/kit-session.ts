// Finds the session of a kit, and the door that its counterparty uses: a listener of ours, or its own address if we connect.

import { CrossgateError } from '../../base/errors.ts';
import { isLoopback } from '../../base/host-port.ts';
import type { Counterparty } from '../../engine/mod.ts';
import { formatProblems, wholeOps } from '../../ops/mod.ts';
import { type EngineConfig, type EngineSessionConfig, sessionName } from '../../runtime/mod.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { authorityIn, certificatesIn, type TrustedAuthority } from './authority.ts';

export interface KitPlace {
  readonly sessions: string;
  /** The counterparty of a template. */
  readonly compId?: string;
  readonly subId?: string;
  readonly locationId?: string;
  /** As the counterparty reaches the listener, behind a load balancer for example. */
  readonly host?: string;
  readonly port?: string;
  readonly listener?: string;
  /** File of the authority that the counterparty should trust. */
  readonly authority?: string;
}

export interface KitTls {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Name in our certificate. */
  readonly serverName: string | null;
  /** The listener asks the client for a certificate. */
  readonly asksClient: boolean;
  readonly authority: TrustedAuthority;
}

/** Where the two sides meet. */
export interface KitDoor {
  readonly host: string;
  readonly port: number;
  readonly tls: KitTls | null;
  /** Warnings for the operator. */
  readonly notes: readonly string[];
}

export interface KitSession {
  readonly name: string;
  readonly config: EngineConfig;
  readonly session: EngineSessionConfig;
  readonly door: KitDoor;
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Read the configuration and find the session. @throws CrossgateError naming what is missing */
export async function kitSession(name: string, place: KitPlace): Promise<KitSession> {
  const { loadConfiguration } = await wholeOps();
  const { config, certifications, problems } = loadConfiguration({
    directory: place.sessions,
    environment: process.env,
  });
  if (config === null) throw new CrossgateError('XG_CONFIG_INVALID', formatProblems(problems));
  const known = [...config.sessions, ...certifications];
  const found = known.find((one) => one.session.sessionId === name) ?? known.find((one) => sessionName(one) === name);
  if (found === undefined) {
    const names = known.map(sessionName).sort().join(', ');
    throw new CrossgateError('XG_NOT_FOUND', `there is no session ${name} in ${place.sessions}: there are ${names}`);
  }
  const session = ofCounterparty(found, name, place);
  const door = session.connect === null ? listenerDoor(config, session, place) : ownDoor(session.connect, place);
  return { name: sessionName(session).replaceAll(':', '_'), config, session, door };
}

/** The session itself; of a template the one that it makes for the named counterparty. */
function ofCounterparty(session: EngineSessionConfig, name: string, place: KitPlace): EngineSessionConfig {
  const { compId, subId = null, locationId = null } = place;
  const { template } = session;
  if (!template && compId === undefined) return session;
  if (!template)
    throw new CrossgateError('XG_USAGE', `${name} is no template: its counterparty is known, leave --comp-id out`);
  if (compId === undefined) {
    const what = `${name} is a template: name the counterparty with --comp-id, its SenderCompID(49)`;
    throw new CrossgateError('XG_USAGE', what);
  }
  const maker: { make(counterparty: Counterparty): EngineSessionConfig } = template;
  return maker.make({ targetCompID: compId, targetSubID: subId, targetLocationID: locationId });
}

/** The listener that the counterparty connects to: with TLS, if any of those that take the session has it. */
function listenerDoor(config: EngineConfig, session: EngineSessionConfig, place: KitPlace): KitDoor {
  const taking = config.listeners.filter(
    ({ name }) => session.listeners.length === 0 || session.listeners.includes(name),
  );
  const wanted =
    place.listener === undefined
      ? (taking.find(({ tls }) => tls !== null) ?? taking[0])
      : taking.find(({ name }) => name === place.listener);
  if (wanted === undefined) {
    const names = taking.map(({ name }) => name).join(', ');
    throw new CrossgateError('XG_USAGE', `no listener ${place.listener ?? ''} takes this session: there are ${names}`);
  }
  const { host: own, tls } = wanted;
  if (place.host === undefined && ANY_ADDRESS.has(own)) {
    const what = `the listener ${wanted.name} listens on every address: name the one that the counterparty uses, with --host`;
    throw new CrossgateError('XG_USAGE', what);
  }
  const port = place.port === undefined ? wanted.port : wholeNumber('--port', place.port, 1, 65_535);
  if (port === 0) {
    const what = `the listener ${wanted.name} takes any free port: give it one in gateway.yaml, or name it with --port`;
    throw new CrossgateError('XG_USAGE', what);
  }
  const host = place.host ?? own;
  const notes = [
    ...(isLoopback(host) ? [`${host} is this machine only: --host names another address`] : []),
    ...(tls === null ? ['the connection is not encrypted: a listener with TLS protects the password'] : []),
  ];
  if (tls === null) return { host, port, tls: null, notes };
  const pem = place.authority === undefined ? null : certificatesIn(place.authority);
  const authority = authorityIn(tls.certificate.read(), pem);
  const { minVersion, clientAuthority } = tls;
  const asksClient = clientAuthority !== null;
  return { host, port, tls: { minVersion, serverName: authority.serverName, asksClient, authority }, notes };
}

/** The counterparty's own address, which we connect to. */
function ownDoor(connect: NonNullable<EngineSessionConfig['connect']>, place: KitPlace): KitDoor {
  const [first] = connect.addresses;
  if (first === undefined) throw new CrossgateError('XG_CONFIG_INVALID', 'the session names no address to connect to');
  const { tls } = connect;
  if (tls === null) return { ...first, tls: null, notes: [] };
  const pem = place.authority === undefined ? null : certificatesIn(place.authority);
  const authority = authorityIn(tls.certificate?.read() ?? null, pem);
  const { minVersion, serverName, certificate } = tls;
  return { ...first, tls: { minVersion, serverName, asksClient: certificate !== null, authority }, notes: [] };
}
