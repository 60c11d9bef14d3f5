// TLS to the admin API of a gateway: what a command trusts, by its note in the state folder or by option, what it shows, and what a
// failed handshake means. The token is sent only behind a handshake that proved the gateway.

import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { CrossgateError } from '../../base/errors.ts';
import type { NotedTls } from '../../ops/mod.ts';

export interface TlsFiles {
  readonly authority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** @throws CrossgateError XG_USAGE, XG_SECRET_MISSING */
export async function tlsOptions(files: TlsFiles, noted: NotedTls | undefined): Promise<ConnectionOptions> {
  const { authority, clientCertificate, clientKey } = files;
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw new CrossgateError('XG_USAGE', '--client-certificate and --client-key go together');
  }
  const ca = authority === undefined ? (noted?.authority ?? null) : await readPem('--authority', authority);
  return {
    minVersion: 'TLSv1.2',
    ...(noted === undefined ? {} : shownAs(noted)),
    ...(ca === null ? {} : { ca }),
    ...(clientCertificate === undefined ? {} : { cert: await readPem('--client-certificate', clientCertificate) }),
    ...(clientKey === undefined ? {} : { key: await readPem('--client-key', clientKey) }),
  };
}

/** RFC 6066 has no address as the name that is asked for. */
function shownAs({ serverName }: NotedTls): ConnectionOptions {
  const isAddress = isIP(serverName) !== 0;
  return {
    ...(isAddress ? {} : { servername: serverName }),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate),
  };
}

async function readPem(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new CrossgateError('XG_SECRET_MISSING', `${option}: ${(cause as Error).message}`, { cause });
  }
}

const ENDED = 'CERT_HAS_EXPIRED';
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** Why a handshake failed, and the remedy; null if no handshake failed. The command sent no request then. */
export function tlsFailure(cause: unknown, url: string): string | null {
  const { code = '', message } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === ENDED) return `the certificate of the gateway at ${url} has ended: renew it in its file`;
  if (code === WRONG_NAME) return `the certificate at ${url} is not the gateway's: ${message}`;
  if (UNTRUSTED.has(code)) {
    const remedy = 'name its authority in `admin.tls.authority` of gateway.yaml, or with --authority';
    return `the certificate of the gateway at ${url} is signed by no authority trusted here (${code}): ${remedy}`;
  }
  return /^ERR_(?:SSL|TLS|OSSL)_/.test(code) ? `no TLS with the gateway at ${url}: ${message}` : null;
}
