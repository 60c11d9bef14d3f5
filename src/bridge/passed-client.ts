// Where a request comes from. Behind a process that owns the port (cluster/front) every connection is one of that process: it names
// the client in a header, which counts beside the token of this start only.

import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { plainAddress } from '../base/places/origin.ts';

const CLIENT = 'x-crossgate-client';
const FRONT = 'x-crossgate-front';
/** Headers that only the process in front sets: it passes on none that came. */
export const FRONT_HEADERS: ReadonlySet<string> = new Set([CLIENT, FRONT]);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface BridgeClient {
  readonly address: string;
  /** It came over TLS. */
  readonly isSecure: boolean;
}

/** The headers for a client, name by name with its value. @param token null towards another node, which proves itself otherwise */
export function headersNaming({ address, isSecure }: BridgeClient, token: string | null): string[] {
  return [CLIENT, `${isSecure ? 'https' : 'http'} ${address}`, ...(token === null ? [] : [FRONT, token])];
}

/** The client that headers name, true or not; null without a whole one. */
export function clientNamedIn(headers: Headers): BridgeClient | null {
  const [, secure, address] = /^http(s?) (\S{1,100})$/.exec(String(headers[CLIENT] ?? '')) ?? [];
  return address === undefined || isIP(address) === 0 ? null : { address, isSecure: secure === 's' };
}

export class BridgeClients {
  readonly #frontToken: Buffer | null;
  readonly #isSecure: boolean;

  /** @param frontToken null: no process stands in front @param isSecure this process speaks TLS itself */
  constructor(frontToken: string | null, isSecure: boolean) {
    this.#frontToken = frontToken === null ? null : Buffer.from(frontToken);
    this.#isSecure = isSecure;
  }

  /** Whether the process in front passed a request on. */
  isPassedOn(headers: Headers): boolean {
    const own = this.#frontToken;
    const given = headers[FRONT];
    if (own === null || typeof given !== 'string') return false;
    const bytes = Buffer.from(given);
    return bytes.length === own.length && timingSafeEqual(bytes, own);
  }

  /** @param request with the address of its peer */
  of({ headers, ip }: { readonly headers: Headers; readonly ip: string }): BridgeClient {
    const named = this.isPassedOn(headers) ? clientNamedIn(headers) : null;
    return named ?? { address: plainAddress(ip), isSecure: this.#isSecure };
  }
}
