// Floods by kind: one logged-on counterparty sends one kind of message as fast as it is taken, another session's orders are measured
// beside it. The control is the same load beside a flood of an echo: what the machine alone costs.

import type { AttackFigures, FloodKind } from './attacker.ts';
import { House, inWords } from './house.ts';
import type { Delays } from './prober.ts';

export const FLOODS: readonly FloodKind[] = [
  'orders',
  'cancels',
  'statusRequests',
  'faulty',
  'garbled',
  'possDup',
  'testRequests',
  'resendRequests',
  'ahead',
];

export interface FloodFigures {
  readonly kind: FloodKind;
  readonly delays: Delays;
  readonly attack: AttackFigures;
}

/** Measure the victim beside each kind of flood; prints a line each. `extra`: further lines of the attacker's file. */
export async function floods(
  kinds: readonly FloodKind[],
  seconds: number,
  { extra = '', gateway = {} }: { readonly extra?: string; readonly gateway?: Readonly<Record<string, unknown>> } = {},
): Promise<readonly FloodFigures[]> {
  const house = await House.open(
    [{ compID: 'VICTIM' }, ...['echo', ...kinds].map((kind) => ({ compID: `F_${kind}`, extra }))],
    gateway,
  );
  const found: FloodFigures[] = [];
  try {
    const probe = { senderCompID: 'VICTIM', everyMs: 10 };
    await house.probe({ ...probe, seconds: 2 });
    for (const kind of ['echo', ...kinds] as const) {
      const attack = await house.attack({ kind, senderCompID: `F_${kind}`, seconds: seconds * 5 + 30 });
      const delays = await house.probe({ ...probe, seconds });
      const figures = await attack.end();
      found.push({ kind, delays, attack: figures });
      const rate = Math.round(figures.messages / figures.seconds);
      console.log(
        `  beside ${kind.padEnd(15)} ${inWords(delays)}, ${delays.unanswered} unanswered; ${rate} messages/s, ${figures.logons} logons`,
      );
    }
  } finally {
    await house.close();
  }
  return found;
}
