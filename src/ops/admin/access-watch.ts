// Tokens and certificates of an admin server in a process without a gateway: read again when their files have changed. A gateway
// has its reloader for it.

import { resolve } from 'node:path';
import type { ReadAgain } from '../../base/renewal.ts';
import type { EngineLog } from '../../engine/mod.ts';
import {
  type ConfigurationOptions,
  type LoadedConfiguration,
  loadBesideTraffic,
} from '../configuration/configuration.ts';
import { filesState, statesOf } from '../configuration/file-states.ts';
import { namedIn, renewableFiles } from '../configuration/renewable-secrets.ts';

const LOOK_MS = 1_000;

export interface AccessWatchOptions {
  readonly configuration: ConfigurationOptions;
  readonly started: LoadedConfiguration;
  readonly readAgain: ReadAgain;
  readonly log: EngineLog;
}

/** Watch until the answer is called. */
export function watchAccess(options: AccessWatchOptions): () => void {
  const { directory, workingDirectory = '.' } = options.configuration;
  const files = renewableFiles(options.started);
  const look = (): string => `${filesState(resolve(workingDirectory, directory))} ${statesOf(files)}`;
  let [seen, taken] = [look(), look()];
  const timer = setInterval(() => {
    const states = look();
    // A certificate and its key are written one after the other: they are read when both have rested for a while.
    if (states === seen && states !== taken) {
      taken = states;
      void takeOver(options);
    }
    seen = states;
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

async function takeOver({ configuration, readAgain, log }: AccessWatchOptions): Promise<void> {
  try {
    const loaded = await loadBesideTraffic(configuration);
    // Partitions refuse it, and say why.
    if (loaded.config === null) return;
    for (const { text, take } of await readAgain(namedIn(loaded))) {
      take();
      log('info', `renewed: ${text}`);
    }
  } catch (error) {
    log('warn', 'a changed token or certificate of the admin API could not be taken over', { error });
  }
}
