// Checks of a session that certifies its counterparty, and of the certificate that another one needs.

import { isAbsolute, join } from 'node:path';
import { certificateFault, publicKeyOf, rulesVersion } from '../../certification/mod.ts';
import type { EngineSessionConfig } from '../../runtime/mod.ts';
import type { Report } from '../configuration/config-problem.ts';
import type { SessionSettings } from '../schema/session-schema.ts';

/** Check the settings of one session. */
export function checkCertification(settings: SessionSettings, report: Report): void {
  const { certification, certificate, role, template, environment, logon } = settings;
  if (certification === undefined) return;
  const value = certification;
  const path = ['certification'];
  if (role !== 'acceptor') report(path, value, 'an initiator cannot certify: the OMS connects', 'remove it');
  if (template) report(path, value, 'a template cannot certify: each OMS needs a session of its own', 'remove it');
  if (environment === 'production') {
    const problem = 'a production session is never bound to a simulated exchange (rule S8)';
    report(path, value, problem, 'write `environment: test` or `any`, or remove it');
  }
  if (certificate !== undefined) {
    report(['certificate'], certificate.file, 'the session that certifies needs no certificate', 'remove it');
  }
  if (logon.certificate !== undefined) {
    const problem = 'the certificate of a TLS client does not reach the isolated gateway';
    report(['logon', 'certificate'], '', problem, 'write `password` for the time of the certification');
  }
}

/** Why a session that needs a certificate may not log on, in words; null if it may. */
export function lackingCertificate(session: EngineSessionConfig, stateDirectory: string): string | null {
  const { certificate = null, gateway } = session;
  if (certificate === null) return null;
  const file = isAbsolute(certificate) ? certificate : join(stateDirectory, certificate);
  const { beginString, dialect } = gateway;
  const publicKey = publicKeyOf(stateDirectory);
  if (publicKey === null) return `the certificate ${file} cannot be proved: this gateway has signed none yet`;
  return certificateFault(file, { rules: rulesVersion(), beginString, dialect, publicKey });
}
