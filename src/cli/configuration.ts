// Loads the configuration for a command, or prints every problem at once and sets the exit code.

import process from 'node:process';
import type { EngineConfig } from '../engine/mod.ts';
import { formatProblems, type LoadedConfiguration, loadConfiguration } from '../ops/mod.ts';

/** A loaded configuration without problems. */
export type SoundConfiguration = LoadedConfiguration & { readonly config: EngineConfig };

/** The whole of a sound configuration, or null after its problems were printed (exit code 1). */
export function loadedOrExit(directory: string): SoundConfiguration | null {
  const loaded = loadConfiguration({ directory, environment: process.env });
  const { config } = loaded;
  if (config !== null) return { ...loaded, config };
  console.error(formatProblems(loaded.problems));
  process.exitCode = 1;
  return null;
}

/** The frozen configuration, or null after its problems were printed (exit code 1). */
export function configurationOrExit(directory: string): EngineConfig | null {
  return loadedOrExit(directory)?.config ?? null;
}
