// The hostile day, long: `npm run nightly -- hostile [attack] [seconds] [seed]`. Prints the figures of each attack.

import type { FloodKind } from '../hostile/attacker.ts';
import { FLOODS, floods } from '../hostile/floods.ts';
import { logFlood } from '../hostile/log-flood.ts';
import { resetLoop } from '../hostile/reset-loops.ts';
import { silence } from '../hostile/silence.ts';

export async function run([attack = 'all', seconds = '10', seed]: readonly string[]): Promise<boolean> {
  const kinds =
    attack === 'all' || attack === 'floods' ? FLOODS : FLOODS.filter((kind) => kind === (attack as FloodKind));
  // A seed repeats the damage of `fuzz`.
  if (kinds.length > 0) await floods(kinds, Number(seconds), seed === undefined ? {} : { seed: Number(seed) });
  if (attack === 'all' || attack === 'resetLoop') await resetLoop(Number(seconds));
  if (attack === 'all' || attack === 'silence') await silence(Number(seconds));
  if (attack === 'all' || attack === 'log') await logFlood(50, Number(seconds) * 10);
  return true;
}
