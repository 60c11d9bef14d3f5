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
  'slowReader',
  'slowWriter',
  'fuzz',
];

export interface FloodFigures {
  readonly kind: FloodKind;
  readonly delays: Delays;
  readonly attack: AttackFigures;
  /** Growth of the gateway's memory beside it. */
  readonly grownMegabytes: number;
  /** Growth of the journal, the measured session's orders included. */
  readonly journalMegabytes: number;
  /** Kinds of alarms that name the attacker. */
  readonly alarms: readonly string[];
}

/** Measure the victim beside each kind of flood; prints a line each. `extra`: further lines of the attacker's file. */
export async function floods(
  kinds: readonly FloodKind[],
  seconds: number,
  {
    extra = '',
    gateway = {},
    seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000_000),
  }: { readonly extra?: string; readonly gateway?: Readonly<Record<string, unknown>>; readonly seed?: number } = {},
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
      const before = house.gatewayMegabytes();
      const journalBefore = await house.journalBytes();
      const processorBefore = house.gatewayProcessorMs();
      if (kind === 'fuzz') console.log(`  fuzz by seed ${seed}`);
      const attack = await house.attack({ kind, senderCompID: `F_${kind}`, seconds: seconds * 5 + 30, seed });
      const delays = await house.probe({ ...probe, seconds });
      const figures = await attack.end();
      const grownMegabytes = house.gatewayMegabytes() - before;
      const journalMegabytes = ((await house.journalBytes()) - journalBefore) / 1e6;
      const processor = (house.gatewayProcessorMs() - processorBefore) / figures.seconds;
      const alarms = house.alarmsOf(`F_${kind}`);
      found.push({ kind, delays, attack: figures, grownMegabytes, journalMegabytes, alarms });
      const rate = Math.round(figures.messages / figures.seconds);
      console.log(
        `  beside ${kind.padEnd(15)} ${inWords(delays)}, ${delays.unanswered} unanswered; ${rate} messages/s, ${figures.logons} logons, ` +
          `journal ${(journalMegabytes / figures.seconds).toFixed(2)} MB/s, ${processor.toFixed(0)} ms of processor/s, ` +
          `memory ${grownMegabytes >= 0 ? '+' : ''}${grownMegabytes.toFixed(0)} MB ${alarms.join(' ')}`,
      );
    }
  } finally {
    await house.close();
  }
  return found;
}
