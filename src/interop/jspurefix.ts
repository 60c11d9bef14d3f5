// Loads jspurefix, an optional dependency, when a command needs it. An installation may leave it out.

import { createRequire } from 'node:module';
import { CrossgateError } from '../base/errors.ts';

/**
 * Load jspurefix, or a module of it that its door does not export.
 *
 * @param purpose its use, for the error message
 * @throws CrossgateError XG_USAGE if it is not installed (`npm ci --omit=optional`)
 */
export function requireJspurefix(purpose: string, module = 'jspurefix'): unknown {
  const require = createRequire(import.meta.url);
  try {
    // jspurefix's container demands the reflection polyfill, which only its own dependency tree is sure to hold.
    createRequire(require.resolve('jspurefix'))('reflect-metadata');
    return require(module);
  } catch (cause) {
    throw new CrossgateError(
      'XG_USAGE',
      `jspurefix, which ${purpose}, is not installed: run \`npm install\` without --omit=optional, or \`npm install jspurefix\``,
      { cause },
    );
  }
}
