// Asks Linux to keep the processors of this machine from sleeping deeper than a gateway can wait for. What wakes one takes tens
// of microseconds, on a virtual machine most of what an order takes. Leaves to `busyPollMicros` how long the gateway's own
// processor goes on looking.

import { openSync, readFileSync, writeSync } from 'node:fs';
import type { EngineLog } from '../engine/mod.ts';

/** The kernel's interface for it (PM QoS): what is asked holds for as long as the file is open. */
const DEVICE = '/dev/cpu_dma_latency';
/** Names what puts idle processors to sleep, and is asked how deep: `none` where the kernel halts them by itself. */
const DRIVER = '/sys/devices/system/cpu/cpuidle/current_driver';

/**
 * Ask that an idle processor wakes within so many microseconds, 0 for not sleeping, until this process ends, however it does.
 * Where that cannot be had, a warning says why: the gateway works without.
 */
export function askToWakeWithin(micros: number, log: EngineLog, { device = DEVICE, driver = DRIVER } = {}): void {
  try {
    const wanted = Buffer.alloc(4);
    wanted.writeInt32LE(micros);
    // Never closed: what is asked would be over.
    writeSync(openSync(device, 'w'), wanted);
    if (!heedsWhatIsAsked(driver)) {
      log(
        'warn',
        `wakeMicrosMax is ${micros}, and without effect: this kernel has no cpuidle driver (${driver}). ` +
          '`idle=poll` on its command line keeps processors awake without this setting; on a guest of KVM ' +
          '`cpuidle_haltpoll.force=Y` brings a driver',
      );
      return;
    }
    const what = micros === 0 ? 'do not sleep' : `wake within ${micros} µs`;
    log('info', `idle processors of this machine ${what} while the gateway runs`);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    log(
      'warn',
      `wakeMicrosMax is ${micros}, and ${device} cannot be written (${reason}): ${remedyFor(reason, device)}`,
    );
  }
}

/** Whether anybody looks at it before a processor sleeps. */
function heedsWhatIsAsked(driver: string): boolean {
  try {
    return readFileSync(driver, 'latin1').trim() !== 'none';
  } catch {
    // A system that does not say.
    return true;
  }
}

function remedyFor(reason: string, device: string): string {
  if (reason === 'ENOENT')
    return `this system has no such device; in a container, hand it over with \`--device ${device}\``;
  return `the user of the gateway must be able to write to it, by a rule of udev or \`SupplementaryGroups=\` of its service`;
}
