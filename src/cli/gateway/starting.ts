// Parts that the start of a gateway in one process and of a node with partitions share.

import { hostname } from 'node:os';
import { extname, resolve } from 'node:path';
import process from 'node:process';
import type { AdministeredEngine } from '../../administration/mod.ts';
import { CertificationHost } from '../../certification/mod.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { type ConfigurationOptions, type LogFormat, wholeOps } from '../../ops/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import { createSelfSignedCertificate } from '../../transport/mod.ts';
import type { SoundConfiguration } from '../options/configuration.ts';
import { VERSION } from '../options/version.ts';
import type { EarlySignals } from '../output/exit.ts';

export interface StartOptions {
  readonly sessions: string;
  readonly log: LogFormat;
  readonly logLevel: string;
  /** Of a process that another one started for a partition. */
  readonly partition?: string;
}

export interface Start {
  readonly options: StartOptions;
  readonly configuration: ConfigurationOptions;
  readonly first: SoundConfiguration;
  /** With the secrets that this process no longer has in its own. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: EngineLog;
  /** Heard from before the start. */
  readonly signals: EarlySignals;
}

/** This program and where it runs, for the audit trail. */
export function programInWords(): string {
  return `version ${VERSION} (Node ${process.versions.node}), process ${process.pid} of ${hostname()}`;
}

/** Creates the files of a first start. */
export function secretsOf(log: EngineLog): (wanted: EngineConfig) => Promise<void> {
  return async (wanted) => {
    const { ensureDemoSecrets } = await wholeOps();
    const created = await ensureDemoSecrets(wanted, createSelfSignedCertificate);
    for (const file of created) log('info', `created ${file}`);
  };
}

/** The desks of counterparties that certify their OMS; not started yet. */
export function certificationsOf(
  { options, environment, first, log }: Start,
  alarm: AdministeredEngine['alarm'],
): CertificationHost {
  return new CertificationHost({
    thread: new URL(`../certification/desk-thread${extname(import.meta.url)}`, import.meta.url),
    data: { sessions: resolve(options.sessions), environment },
    stateDirectory: first.config.stateDirectory,
    version: VERSION,
    log,
    alarm,
  });
}
