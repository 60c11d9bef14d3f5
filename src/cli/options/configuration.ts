// Loads the configuration for a command, or prints every problem at once and sets the exit code.

import process from 'node:process';
import {
  type ConfigurationOptions,
  type ExchangePart,
  formatProblems,
  type LoadedConfiguration,
  wholeOps,
} from '../../ops/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';

/** A loaded configuration without problems. */
export type SoundConfiguration = LoadedConfiguration & { readonly config: EngineConfig };

/** The whole of a sound configuration, or null after its problems were printed (exit code 1). */
export async function loadedOrExit(configuration: ConfigurationOptions): Promise<SoundConfiguration | null> {
  const { loadConfiguration } = await wholeOps();
  const loaded = loadConfiguration(configuration);
  const { config } = loaded;
  if (config !== null) return { ...loaded, config };
  console.error(formatProblems(loaded.problems));
  process.exitCode = 1;
  return null;
}

/** The frozen configuration, or null after its problems were printed (exit code 1). */
export async function configurationOrExit(directory: string): Promise<EngineConfig | null> {
  const loaded = await loadedOrExit({ directory, environment: process.env });
  return loaded?.config ?? null;
}

/**
 * The exchange settings of a configuration, despite problems elsewhere in it, for emergencies; null after its problems
 * were printed (exit code 1).
 */
export async function exchangePartOrExit(directory: string): Promise<ExchangePart | null> {
  const { loadConfiguration } = await wholeOps();
  const { exchangePart, problems } = loadConfiguration({ directory, environment: process.env });
  if (exchangePart === null) {
    console.error(formatProblems(problems));
    process.exitCode = 1;
  } else if (problems.length > 0) {
    console.error(
      'crossgate: the configuration has problems, which `crossgate check` shows. Its exchange settings are used unchanged.',
    );
  }
  return exchangePart;
}
