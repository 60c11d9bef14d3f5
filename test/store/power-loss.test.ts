// Power loss: a file system of our own is shut down so that everything not yet on disk is gone (EXT4_IOC_SHUTDOWN).

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeWith, type Requirement } from '../support/requirement.ts';
import { openIn, temporaryDirectory } from './journal-place.ts';
import { SESSION } from './records.ts';

const child = fileURLToPath(new URL('./writing-child.ts', import.meta.url));
const CUTS = Number(process.env.CROSSGATE_POWER_CUTS ?? 3);

/** Shuts the file system down without writing anything back: request 0x8004587d, argument 2. */
const SHUTDOWN = [
  'import fcntl, os, struct, sys',
  "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))",
].join('\n');

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A file system in a file, mounted; its power can be cut. */
class LoopDisk {
  readonly mount: string;
  readonly #image: string;

  constructor() {
    const base = temporaryDirectory();
    this.#image = join(base, 'image');
    this.mount = join(base, 'mount');
    mkdirSync(this.mount);
    writeFileSync(this.#image, '');
    truncateSync(this.#image, 134_217_728);
    run('mkfs.ext4', '-q', '-F', this.#image);
    this.on();
  }

  on(): void {
    run('mount', '-o', 'loop', this.#image, this.mount);
  }

  cutPower(): void {
    run('python3', '-c', SHUTDOWN, this.mount);
  }

  off(): void {
    run('umount', this.mount);
  }

  /** Take it away whatever still uses it, after a failed test too. */
  remove(): void {
    try {
      run('umount', '--lazy', this.mount);
    } catch {
      // It was not mounted at that moment.
    }
  }
}

function requirement(): Requirement {
  const demandedBy = 'REQUIRE_TOOLS';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return { missing: 'mounting a file system needs root on Linux', demandedBy };
  }
  const probe = '/tmp/crossgate-power-probe';
  try {
    mkdirSync(join(probe, 'mount'), { recursive: true });
    writeFileSync(join(probe, 'image'), '');
    truncateSync(join(probe, 'image'), 16_777_216);
    run('python3', '--version');
    run('mkfs.ext4', '-q', '-F', join(probe, 'image'));
    run('mount', '-o', 'loop', join(probe, 'image'), join(probe, 'mount'));
    run('umount', join(probe, 'mount'));
    return { missing: null, demandedBy };
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    return { missing: `no ext4 loop device can be mounted (${reason})`, demandedBy };
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

describeWith(requirement(), 'power loss', () => {
  test(`J1 power cut ${CUTS} times while messages are recorded: everything synced is there, in one piece`, async () => {
    const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
    const loop = new LoopDisk();
    try {
      const directory = join(loop.mount, 'journal');
      for (let cut = 0; cut < CUTS; cut++) {
        const process_ = spawn(process.execPath, [child, directory, 'disk', String(seed + cut)], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const exited = once(process_, 'exit');
        const wanted = 5 + ((seed + cut * 37) % 60);
        let last = { series: 0, sender: 0 };
        let seen = 0;
        for await (const line of createInterface(process_.stdout)) {
          const [, series, sender] = line.split(' ').map(Number) as [number, number, number];
          // Once the power is gone its syncs fail: only lines from before count, and those were written before.
          last = { series, sender };
          if (++seen === wanted) {
            loop.cutPower();
            process_.kill('SIGKILL');
          }
        }
        await exited;
        loop.off();
        loop.on();
        const journal = await openIn(directory);
        const { numbers } = journal.recovered.sessions.get(SESSION)!;
        const reached = numbers.series * 1e9 + numbers.nextSenderMsgSeqNum;
        expect(reached).toBeGreaterThanOrEqual(last.series * 1e9 + last.sender);
        expect(numbers.nextSenderMsgSeqNum).toBe(numbers.nextTargetMsgSeqNum);
        expect(await journal.loadOutbound(SESSION, numbers.series, 1, 1e8)).toHaveLength(
          numbers.nextSenderMsgSeqNum - 1,
        );
        await journal.close();
      }
    } finally {
      loop.remove();
    }
  }, 120_000);
});
