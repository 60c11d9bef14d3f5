// Loads jspurefix, a development dependency, when something really needs it, and says in words when it is not there.

import { createRequire } from 'node:module';
import { CrossgateError } from '../base/errors.ts';

/**
 * Load jspurefix, or a module of it that its door does not export.
 *
 * @param purpose its use, for the error message
 * @throws CrossgateError XG_USAGE if it is not installed (`npm ci --omit=dev`)
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
      `jspurefix, which ${purpose}, is not installed: run \`npm ci\` without --omit=dev, or \`npm install jspurefix\` in a project of your own`,
      { cause },
    );
  }
}
