// Loads the configuration for a command, or prints every problem at once and sets the exit code.

import process from 'node:process';
import type { EngineConfig } from '../engine/mod.ts';
import { formatProblems, loadConfiguration } from '../ops/mod.ts';

/** The frozen configuration, or null after its problems were printed (exit code 1). */
export function configurationOrExit(directory: string): EngineConfig | null {
  const { config, problems } = loadConfiguration({ directory, environment: process.env });
  if (config !== null) return config;
  console.error(formatProblems(problems));
  process.exitCode = 1;
  return null;
}
