// Checks every secret of the configuration. It must exist unless the first start creates it, and suit its reader. A
// file readable by others is a warning, because containers mount files as they are. secrets.ts reads them,
// admin-users.ts checks the length of tokens, the start checks TLS.

import { existsSync } from 'node:fs';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import {
  isBrokenHash,
  isPassphraseIdle,
  isPasswordHash,
  type KeyReferences,
  logonSigner,
  privateKeyFault,
  publicKeyOf,
  type SecretReference,
  type Steps,
} from '../../engine/mod.ts';
import { bridgeTokenFault, type CredentialConfig, type EngineConfig, readCredential } from '../../runtime/mod.ts';
import { type ConfigProblem, keyPath, type Place } from '../configuration/config-problem.ts';
import type { Path } from '../configuration/layers.ts';
import { isPattern } from '../configuration/session-template.ts';
import { openToOthers, secretFile, secretProblem } from '../secrets/secrets.ts';
import type { AdminUser } from './admin-users.ts';
import type { CheckedSession } from './cross-checks.ts';
import { addressFault, addressLack } from './database-address.ts';
import type { CheckedGateway } from './gateway-checks.ts';
import { tlsDoors } from './tls-doors.ts';

/** A secret, or a certificate or public key that is referred to like one, and where the configuration does so. */
interface Reference {
  readonly path: Path;
  readonly secret: SecretReference;
  /** Others may read it. */
  readonly isPublic?: boolean;
  /** A first start creates its file. */
  readonly mayMiss?: boolean;
  /** Its reader has already reported that it cannot be read. */
  readonly isReadElsewhere?: boolean;
  /** Why it is of no use, of a secret that can be read; never with anything of it. */
  readonly fault?: () => string | null;
  /** Unsuitable purpose of a readable secret, with a remedy; a warning. */
  readonly lack?: () => { readonly problem: string; readonly remedy: string } | null;
}

/** Parts of a configuration that refer to secrets. */
interface SecretPlaces {
  readonly gateway: CheckedGateway;
  readonly sessions: readonly CheckedSession[];
  readonly users: readonly AdminUser[];
}

/** Add missing secrets to the problems, and those readable by others to the warnings. */
export function* checkSecrets(
  config: EngineConfig,
  { gateway, sessions, users }: SecretPlaces,
  problems: ConfigProblem[],
  warnings: ConfigProblem[],
): Steps<void> {
  const look = (
    placeOf: (path: Path) => Place,
    { path, secret, isPublic = false, mayMiss = false, isReadElsewhere = false, fault, lack }: Reference,
  ): void => {
    const { reference } = secret;
    // Of a template: a file for each counterparty, known when it logs on.
    if (isPattern(reference)) return;
    const found = { ...placeOf(path), key: keyPath(path), value: reference };
    const open = isPublic ? null : openToOthers(reference, config.stateDirectory);
    if (open !== null) {
      const problem = `others on this machine may read or change this secret; ${open.path} has mode ${open.mode}`;
      warnings.push({ ...found, problem, remedy: `chmod 600 ${quoted(open.path)}` });
    }
    const file = secretFile(reference, config.stateDirectory);
    if (isReadElsewhere || (mayMiss && file !== null && !existsSync(file))) return;
    const problem = secretProblem(secret) ?? fault?.() ?? null;
    if (problem !== null) problems.push({ ...found, problem, remedy: 'provide the secret, or correct the reference' });
    else {
      const lacking = lack?.() ?? null;
      if (lacking !== null) warnings.push({ ...found, ...lacking });
    }
  };
  for (const each of gatewaySecrets(config)) look(gateway.placeOf, each);
  for (const [index, { token }] of users.entries()) {
    look(gateway.placeOf, { path: ['admin', 'users', index, 'token'], secret: token, isReadElsewhere: true });
  }
  for (const [index, session] of config.sessions.entries()) {
    yield;
    const placeOf = sessions[index]?.placeOf;
    if (placeOf === undefined) continue;
    for (const each of sessionSecrets(session, config.simulator !== null)) look(placeOf, each);
  }
}

/** Every reference to a secret of a configuration. */
function secretReferences(config: EngineConfig, users: readonly AdminUser[]): string[] {
  const references = users.map(({ token }) => token.reference);
  for (const { secret } of gatewaySecrets(config)) references.push(secret.reference);
  for (const session of config.sessions) {
    for (const { secret } of sessionSecrets(session, false)) references.push(secret.reference);
  }
  return references.filter((reference) => !isPattern(reference));
}

/** The files that hold the secrets of a configuration, whether they are there or not. */
export function secretFiles(config: EngineConfig, users: readonly AdminUser[]): string[] {
  const files = secretReferences(config, users).map((one) => secretFile(one, config.stateDirectory));
  return files.filter((file) => file !== null);
}

/** The environment variables that hold secrets of a configuration. */
export function secretVariables(config: EngineConfig, users: readonly AdminUser[]): string[] {
  const names = secretReferences(config, users).map((one) => /^env:(.+)$/.exec(one)?.[1] ?? null);
  return names.filter((name) => name !== null);
}

/** Why an API key cannot be used, beside those of the credentials before it, by its public half. */
function keyFault(credential: CredentialConfig, known: Map<string, CredentialConfig>): string | null {
  let owner = credential;
  const refusal = refusalOf(() => {
    const publicKey = readCredential(credential).publicKey.trim();
    owner = known.get(publicKey) ?? credential;
    known.set(publicKey, owner);
  });
  // That one reference stands twice has been said already.
  if (owner.key.reference === credential.key.reference) return refusal;
  return `this is the API key of credential ${owner.name} too: their nonces would collide`;
}

/** The secrets that gateway.yaml names, but for those of people at the admin API. All are read at the start. */
export function* gatewaySecrets(config: EngineConfig): Generator<Reference> {
  const embedded = config.simulator !== null;
  if (config.postgres !== null) {
    const { url: secret } = config.postgres;
    const fault = (): string | null => addressFault(secret.read());
    const lack = () => addressLack(secret.read(), process.env.PGSSLMODE);
    yield { path: ['store', 'url'], secret, fault, lack };
  }
  const keys = new Map<string, CredentialConfig>();
  for (const [index, credential] of config.exchange.credentials.entries()) {
    const { key: secret } = credential;
    const fault = (): string | null => keyFault(credential, keys);
    yield { path: ['exchange', 'credentials', index, 'key'], secret, mayMiss: embedded, fault };
  }
  const { cert, key, ca, passphrase = null } = config.exchange.tls;
  if (cert !== null) yield { path: ['exchange', 'tls', 'certificate'], secret: cert, isPublic: true };
  if (key !== null) yield* privateKey(['exchange', 'tls'], { key, passphrase });
  if (ca !== null) yield { path: ['exchange', 'tls', 'authority'], secret: ca, isPublic: true };
  const { authority = null } = config.adminTls ?? {};
  if (authority !== null) yield { path: ['admin', 'tls', 'authority'], secret: authority, isPublic: true };
  for (const { path, tls } of tlsDoors(config)) {
    yield { path: [...path, 'certificate'], secret: tls.certificate, isPublic: true, mayMiss: tls.selfSigned };
    yield* privateKey(path, tls, tls.selfSigned);
    if (tls.clientAuthority !== null) {
      yield { path: [...path, 'clientAuthority'], secret: tls.clientAuthority, isPublic: true };
    }
    if (tls.clientRevocations !== null) {
      yield { path: [...path, 'clientRevocations'], secret: tls.clientRevocations, isPublic: true };
    }
    for (const [at, name] of tls.names.entries()) {
      yield { path: [...path, 'names', at, 'certificate'], secret: name.certificate, isPublic: true };
      yield* privateKey([...path, 'names', at], name);
    }
  }
  for (const [index, { url, authorization }] of (config.alarms?.receivers ?? []).entries()) {
    const fault = (): string | null => receiverFault(url.read());
    yield { path: ['alarms', 'receivers', index, 'url'], secret: url, fault };
    if (authorization !== null) yield { path: ['alarms', 'receivers', index, 'authorization'], secret: authorization };
  }
  const tokens: string[] = [];
  for (const [index, { token: secret }] of (config.bridge?.callers ?? []).entries()) {
    const fault = (): string | null => {
      const token = secret.read();
      const found = bridgeTokenFault(token, tokens);
      tokens.push(token);
      return found;
    };
    yield { path: ['bridge', 'callers', index, 'token'], secret, mayMiss: embedded, fault };
  }
}

/** Never with the address: that of a webhook is its password. */
function receiverFault(address: string): string | null {
  const isWeb = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isWeb ? null : 'it holds no address that begins with https:// or http://';
}

/** Of a session that is to take NewPassword(925). */
const UNCHANGEABLE = {
  problem:
    'NewPassword(925) is refused in spite of `logon.newPasswordOverlapMs`: only a hashed password can be changed',
  remedy: 'give the hash: `crossgate sessions secret NAME --stdin` makes it of the password on standard input',
};

function* sessionSecrets(
  { password, access, connect }: EngineConfig['sessions'][number],
  embedded: boolean,
): Generator<Reference> {
  if (password !== null) {
    const fault = (): string | null => passwordFault(password.read(), connect !== null);
    const lack = () => (access.passwordOverlapMs === null || isPasswordHash(password.read()) ? null : UNCHANGEABLE);
    yield { path: ['password'], secret: password, mayMiss: embedded, fault, ...(connect === null ? { lack } : {}) };
  }
  const { signature } = access;
  if (signature !== null) {
    const { algorithm, key: secret } = signature;
    const fault = (): string | null => {
      if (connect !== null) return refusalOf(() => logonSigner(signature));
      if (algorithm === 'hmac-sha256' || publicKeyOf(secret.read(), algorithm) !== null) return null;
      return `this is no public key for ${algorithm} in PEM`;
    };
    // Of a counterparty that signs with its private key we have the public one.
    const isPublic = algorithm !== 'hmac-sha256' && connect === null;
    yield { path: ['logon', 'signature', 'key'], secret, isPublic, fault };
  }
  const { authority = null, certificate = null, key = null, passphrase = null } = connect?.tls ?? {};
  const proxy = connect?.proxy ?? null;
  if (proxy !== null && proxy.password !== null) {
    const secret = proxy.password;
    const fault = (): string | null =>
      /^[^\p{Cc}]{1,255}$/u.test(secret.read()) ? null : 'a proxy takes 1 to 255 printable characters';
    yield { path: ['connect', 'proxy', 'password'], secret, fault };
  }
  const path = ['connect', 'tls'];
  if (authority !== null) yield { path: [...path, 'authority'], secret: authority, isPublic: true };
  if (certificate !== null) yield { path: [...path, 'certificate'], secret: certificate, isPublic: true };
  if (key !== null) yield* privateKey(path, { key, passphrase });
}

/** A key below a path, with its passphrase: a failure to open it names the passphrase. */
function* privateKey(path: Path, of: KeyReferences, mayMiss = false): Generator<Reference> {
  const { key, passphrase = null } = of;
  const fault = (): string | null => (passphrase === null ? privateKeyFault(of) : null);
  yield { path: [...path, 'key'], secret: key, mayMiss, fault };
  if (passphrase === null) return;
  const ifRead = <T>(use: () => T | null): T | null => (secretProblem(key) === null ? use() : null);
  const lack = () => ifRead(() => (isPassphraseIdle(of) ? IDLE : null));
  yield { path: [...path, 'passphrase'], secret: passphrase, fault: () => ifRead(() => privateKeyFault(of)), lack };
}

const IDLE = {
  problem: 'the private key beside this passphrase is not encrypted',
  remedy: 'remove `passphrase`, or encrypt the key',
};

function passwordFault(password: string, isSent: boolean): string | null {
  if (isSent && isPasswordHash(password))
    return 'this is the hash of a password; an initiator sends the password itself';
  if (isSent && /[^\x20-\x7e\xa0-\xff]/.test(password))
    return 'this has characters that no Logon could say: control characters, or some beyond ISO 8859-1';
  return isBrokenHash(password) ? 'this begins like the hash of a password and is none: no Logon could match it' : null;
}

/** Why something that is configured cannot be used, or null if it can. */
function refusalOf(use: () => unknown): string | null {
  try {
    use();
    return null;
  } catch (error) {
    if (error instanceof CrossgateError) return error.message;
    throw error;
  }
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
