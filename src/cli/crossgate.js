#!/usr/bin/env node
// What `crossgate` is as a command: in a clone the sources, which Node runs as they are; in a package that was installed, where
// Node runs no TypeScript, what they were compiled to. Read by every Node, the old ones included: those are told what it needs.

import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const NODE_MIN = 24;

const sources = new URL('./main.ts', import.meta.url);
const version = process.versions.node;
if (Number.parseInt(version, 10) < NODE_MIN) {
  console.error(`crossgate: it needs Node ${NODE_MIN} or later, and this is ${version} (${process.execPath}).`);
  console.error(
    '`npm ci` in a clone brings one, unless install scripts are left out: npm start and npx crossgate use that.',
  );
  process.exitCode = 1;
} else {
  // Before the first source is read: one that is not kept is translated, by a compiler that takes longer to load than many
  // commands do. In the project's own folder: what lies in a temporary folder of all users could be somebody else's code.
  const compiled = fileURLToPath(new URL('../../node_modules/.cache/compiled/', import.meta.url));
  module.enableCompileCache(compiled);
  // For the threads of a journal: what is enabled here does not reach them.
  process.env.NODE_COMPILE_CACHE ??= compiled;
  await import(existsSync(fileURLToPath(sources)) ? sources : new URL('../../dist/cli/main.js', import.meta.url));
}
