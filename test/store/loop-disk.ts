// A file system of our own, in a file: its power can be cut (EXT4_IOC_SHUTDOWN), and it can stand still (fsfreeze).

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Requirement } from '../support/requirement.ts';
import { temporaryDirectory } from './journal-place.ts';

/** Shuts the file system down without writing anything back: request 0x8004587d, argument 2. */
const SHUTDOWN = [
  'import fcntl, os, struct, sys',
  "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))",
].join('\n');

/** Seconds after which a frozen disk goes on by itself. */
const FROZEN_S_MAX = 40;

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

export class LoopDisk {
  readonly mount: string;
  readonly #base: string;
  #image: string;
  #cuts = 0;
  #thawing: ChildProcess | null = null;

  constructor() {
    this.#base = temporaryDirectory();
    this.#image = join(this.#base, 'image');
    this.mount = join(this.#base, 'mount');
    mkdirSync(this.mount);
    writeFileSync(this.#image, '');
    truncateSync(this.#image, 134_217_728);
    run('mkfs.ext4', '-q', '-F', this.#image);
    this.#on();
  }

  #on(): void {
    run('mount', '-o', 'loop', this.#image, this.mount);
  }

  cutPower(): void {
    run('python3', '-c', SHUTDOWN, this.mount);
  }

  /**
   * Begin again with what was on the disk when its power was cut. From a copy: a container that begins meanwhile takes the
   * mount with it, and with that the file system that was shut down stays in the kernel under the same image.
   */
  restart(): void {
    run('umount', this.mount);
    const before = this.#image;
    this.#image = join(this.#base, `image-${++this.#cuts}`);
    run('cp', '--sparse=always', before, this.#image);
    rmSync(before);
    this.#on();
  }

  /** From now on every write and sync hangs, until `thaw`; a test that does so itself fails after a while. */
  freeze(): void {
    run('fsfreeze', '--freeze', this.mount);
    const later = `read -t ${FROZEN_S_MAX}; exec fsfreeze --unfreeze "$0"`;
    this.#thawing = spawn('bash', ['-c', later, this.mount], { stdio: ['pipe', 'ignore', 'ignore'] });
  }

  /** Hanging calls continue. */
  async thaw(): Promise<void> {
    const thawing = this.#thawing;
    if (thawing === null) return;
    this.#thawing = null;
    const exited = once(thawing, 'exit');
    thawing.stdin?.end();
    await exited;
  }

  /** Take it away whatever still uses it, after a failed test too. */
  async remove(): Promise<void> {
    await this.thaw();
    try {
      run('umount', '--lazy', this.mount);
    } catch {
      // It was not mounted at that moment.
    }
  }
}

export function loopDiskRequirement(): Requirement {
  const demandedBy = 'REQUIRE_TOOLS';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return { missing: 'mounting a file system needs root on Linux', demandedBy };
  }
  const probe = mkdtempSync(join(tmpdir(), 'crossgate-probe-'));
  try {
    mkdirSync(join(probe, 'mount'), { recursive: true });
    writeFileSync(join(probe, 'image'), '');
    truncateSync(join(probe, 'image'), 16_777_216);
    run('python3', '--version');
    run('fsfreeze', '--version');
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
