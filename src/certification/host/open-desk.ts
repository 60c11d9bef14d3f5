// Opens a desk: reads the suite, the profile of the counterparty, and starts its gateway in a folder of its own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startEngine } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import { CertificationDesk, type DeskOptions } from '../desk/certification-desk.ts';
import { isolatedConfig } from '../desk/isolated-config.ts';
import { loadSuite } from '../desk/suite-files.ts';
import { type Profile, profileFrom } from '../suite/profile.ts';

export interface OpenDeskOptions {
  readonly name: string;
  /** Of the gateway that the session file belongs to. */
  readonly config: EngineConfig;
  readonly session: EngineSessionConfig;
  /** Of the desk: journal, books, progress. */
  readonly folder: string;
  /** YAML; absent: `profile.yaml` in the folder. */
  readonly profileFile?: string;
  readonly log: DeskOptions['log'];
  /** Creates secrets that are missing. */
  readonly prepare: (config: EngineConfig) => Promise<void>;
  readonly onResult?: DeskOptions['onResult'];
}

/** The folder of a certification in the state folder of its gateway. */
export function certificationFolder(stateDirectory: string, name: string): string {
  return join(stateDirectory, 'certification', name);
}

/** Make a desk; `open` starts it. @throws CrossgateError naming what is unusable */
export async function openDesk(options: OpenDeskOptions): Promise<CertificationDesk> {
  const { name, config, session, folder, log, prepare, onResult } = options;
  const { suite, names, rules } = await loadSuite('standard');
  const profileFile = options.profileFile ?? join(folder, 'profile.yaml');
  const isolated = isolatedConfig(config, session, folder);
  return new CertificationDesk({
    name,
    config: isolated,
    suite,
    names,
    rules,
    profile: profileReader(profileFile, options.profileFile !== undefined),
    startEngine: (wanted) =>
      startEngine({
        config: wanted,
        log: (level, text) => {
          if (level === 'warn' || level === 'error') log('warn', text);
        },
        now: Date.now,
        onSecretsReady: () => prepare(wanted),
      }),
    now: Date.now,
    log,
    ...(onResult === undefined ? {} : { onResult }),
  });
}

/** Reads the profile when it changed. A faulty one is an error that names it. */
function profileReader(path: string, mustBeThere: boolean): () => Profile | null {
  let text: string | null = null;
  let profile: Profile | null = null;
  return () => {
    const now = readIfThere(path, mustBeThere);
    if (now === text) return profile;
    const found = now === null ? null : profileFrom(parse(now));
    if (typeof found === 'string') throw new CrossgateError('XG_CONFIG_INVALID', `the profile ${path}: ${found}`);
    text = now;
    profile = found;
    return profile;
  };
}

function readIfThere(path: string, mustBeThere: boolean): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && !mustBeThere) return null;
    throw new CrossgateError('XG_CONFIG_INVALID', `the profile ${path} cannot be read`, { cause });
  }
}
