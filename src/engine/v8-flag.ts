// Flags of V8 that are set while the process runs. Leaves what they are good for to whoever sets them.

import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

/** Set a flag, such as `--no-flush-bytecode` or `--max-lazy=1`, unless whoever started the process has set it their way. */
export function setFlag(flag: string): void {
  const name = nameOf(flag);
  if (!process.execArgv.some((given) => nameOf(given) === name)) setFlagsFromString(flag);
}

/** V8 takes dashes for underscores, and `no` before a name for its opposite. */
const nameOf = (flag: string): string =>
  flag
    .replaceAll('_', '-')
    .replace(/=.*$/, '')
    .replace(/^--no-?/, '--');
