// A process that appends to a journal as fast as it can, says what was confirmed, and is killed.
// Arguments: directory, `disk` or `process`, seed.

import { writeSync } from 'node:fs';
import { openJournal } from '../../src/store/mod.ts';
import { inbound, outbound, reset, SESSION } from './records.ts';

const [directory, durability, seed] = process.argv.slice(2) as [string, 'disk' | 'process', string];
let state = Number(seed) >>> 0;
/** Next number below `n`: a small generator is enough to vary sizes. */
function below(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}

const journal = await openJournal({ directory, segmentBytes: 262_144, snapshotBytes: 1_048_576, now: Date.now });
const recovered = journal.recovered.sessions.get(SESSION)?.numbers;
let series = recovered?.series ?? 1;
let sender = recovered?.nextSenderMsgSeqNum ?? 1;
let target = recovered?.nextTargetMsgSeqNum ?? 1;
writeSync(1, `recovered ${series} ${sender} ${target}\n`);

// Ends by kill -9; the bound is for a parent that forgot.
for (let turn = 0; turn < 1_000_000; turn++) {
  for (let k = below(30); k >= 0; k--) {
    const padding = {
      kind: 'unsequenced',
      sessionId: null,
      direction: 'in',
      raw: Buffer.alloc(below(600)),
      note: '',
    } as const;
    journal.append([{ ...inbound(target++), series } as never, padding, outbound(sender++, SESSION, series)], turn);
    if (below(500) === 0) {
      journal.append([reset(++series)], turn);
      sender = 1;
      target = 1;
    }
  }
  if (durability === 'disk') await journal.sync();
  else journal.write();
  // One line is one write: a parent sees it whole or not at all.
  writeSync(1, `confirmed ${series} ${sender} ${target}\n`);
  if (durability === 'process') await new Promise(setImmediate);
}
