// A counterparty that logs on with ResetSeqNumFlag(141)=Y, drops the connection and logs on again: what it makes the gateway write,
// and what it costs another session meanwhile.

import { House, inWords } from './house.ts';
import type { Delays } from './prober.ts';

export interface ResetLoopFigures {
  readonly megabytesIn: number;
  /** Without the orders of the other session. */
  readonly megabytesWritten: number;
  readonly logons: number;
  readonly attempts: number;
  readonly delays: Delays;
  /** Alarms that name the loop. */
  readonly alarms: readonly string[];
}

/** Loop for some seconds; prints a line. `extra`: further lines of the attacker's file. */
export async function resetLoop(seconds: number, extra = ''): Promise<ResetLoopFigures> {
  const house = await House.open([{ compID: 'VICTIM' }, { compID: 'LOOP', extra }]);
  try {
    const probe = { senderCompID: 'VICTIM', everyMs: 100 };
    const quiet = await house.journalBytes();
    const alone = await house.probe({ ...probe, seconds: 1 });
    const bytesPerOrder = ((await house.journalBytes()) - quiet) / alone.count;
    const attack = await house.attack({ kind: 'resetLoop', senderCompID: 'LOOP', seconds: seconds * 5 + 60 });
    const before = await house.journalBytes();
    const delays = await house.probe({ ...probe, seconds });
    const { megabytes, logons, attempts } = await attack.end();
    const written = (await house.journalBytes()) - before;
    const megabytesWritten = (written - delays.count * bytesPerOrder) / 1e6;
    const alarms = house.gateway.process.lines.filter((line) => line.includes('"alarm":"logon-loop"'));
    console.log(
      `  loop of resets: ${megabytes.toFixed(2)} MB in, ${megabytesWritten.toFixed(2)} MB written, ${attempts} Logons sent, ` +
        `${logons} taken, ${alarms.length} alarms; beside it ${inWords(delays)}`,
    );
    return { megabytesIn: megabytes, megabytesWritten, logons, attempts, delays, alarms };
  } finally {
    await house.close();
  }
}
