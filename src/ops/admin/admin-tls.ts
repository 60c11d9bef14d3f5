// HTTPS of the admin API, and of a node that stands by in its place: what it shows, and how commands on this machine know it by the
// note in the state folder. Leaves certificates and their renewal to the engine's HttpsDoor.

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import { type EngineLog, HttpsDoor } from '../../engine/mod.ts';
import type { AdminTlsConfig } from '../../runtime/mod.ts';
import type { NotedTls } from './admin-access.ts';

export class AdminTls {
  readonly door: HttpsDoor;
  private readonly config: AdminTlsConfig;
  private noted: NotedTls;

  /** @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  constructor(config: AdminTlsConfig, log: EngineLog) {
    this.config = config;
    // A health check of a load balancer or a container has no certificate.
    this.door = new HttpsDoor({ of: 'admin API', config, refusesInHandshake: false, log });
    this.noted = this.readNote();
  }

  /** For the note in the state folder. */
  get note(): NotedTls {
    return this.noted;
  }

  /** @param onTaken called when the note has changed. @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  renewals(isNamed: IsNamed, now: number, onTaken: () => void): Renewal[] {
    const renewals = this.door.renewals(isNamed, now);
    const { authority } = this.config;
    if (authority !== null && !isNamed(authority.reference)) return renewals;
    if (renewals.length === 0 && (authority === null || authority.read() === this.noted.authority)) return [];
    const noted = this.readNote();
    const take = (): void => {
      this.noted = noted;
      onTaken();
    };
    if (renewals.length === 0) {
      return [{ text: `commands trust what is in ${authority!.reference} at the admin API now`, take }];
    }
    return renewals.map((each) => ({
      text: each.text,
      take: () => {
        each.take();
        take();
      },
    }));
  }

  private readNote(): NotedTls {
    const { certificate, authority, host } = this.config;
    const pem = certificate.read();
    const shown = new X509Certificate(pem);
    const isSelfSigned = shown.issuer === shown.subject && shown.verify(shown.publicKey);
    return { authority: authority?.read() ?? (isSelfSigned ? pem : null), serverName: nameOf(shown, host) };
  }
}

/** Where it listens, if the certificate is for that; else the first name in it. */
function nameOf(shown: X509Certificate, host: string): string {
  const isFor = isIP(host) === 0 ? shown.checkHost(host) : shown.checkIP(host);
  if (isFor !== undefined) return host;
  const [, type, name] = /(DNS|IP Address):([^,\s"]+)/.exec(shown.subjectAltName ?? '') ?? [];
  if (type !== undefined) return name!.replace(/^\*\./, 'gateway.');
  return /^CN=(.+)$/m.exec(shown.subject)?.[1] ?? host;
}
