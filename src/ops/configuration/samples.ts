// Detects the container image's own samples: an operator who mounted no configuration, or in the wrong place, would
// trade on our sample sessions unknowingly.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../secrets/secrets.ts';

/** The image's second copy of its samples, never mounted over; set by the Dockerfile. */
export const SAMPLES_VARIABLE = 'CROSSGATE_SAMPLES';

/** The folder in full, where it holds the samples of the image and nothing else; null where it does not, or outside of an image. */
export function samplesFolder(directory: string, environment: Environment): string | null {
  const samples = environment[SAMPLES_VARIABLE] ?? '';
  if (samples === '') return null;
  const [own, delivered] = [contentOf(directory), contentOf(samples)];
  return own !== null && own === delivered ? resolve(directory) : null;
}

/** Fault and remedy, for people. */
export function samplesInWords(folder: string): { readonly problem: string; readonly remedy: string } {
  return {
    problem: "the configuration is the samples' of the image, and none of yours",
    remedy: `mount yours at ${folder}, or name its folder in CROSSGATE_SESSIONS`,
  };
}

/** The configuration files of a folder as one text; null where they cannot be read. */
function contentOf(folder: string): string | null {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.(yaml|cfg)$/.test(name));
    return JSON.stringify(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  } catch {
    // Its loader reports why it cannot be read.
    return null;
  }
}
