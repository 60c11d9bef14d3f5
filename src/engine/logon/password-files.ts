// Passwords changed by NewPassword(925) in files of the state folder, for the owner only. Hashes only, never in the journal.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { SessionID } from '../../session/mod.ts';
import { makeFolder } from '../../store/mod.ts';
import type { ChangedPassword, ChangedPasswordStore } from './passwords.ts';

/** Longest name of a file that is a SessionID: file systems take 255 bytes, with its ending. */
const NAME_BYTES_MAX = 240;

/** @throws SyntaxError for an invalid entry: without it the replaced password would be valid again */
export function changedPasswordIn(text: string): ChangedPassword {
  const read = JSON.parse(text) as ChangedPassword | null;
  const texts = [read?.replaces, read?.hash, read?.previous];
  if (texts.every((one) => typeof one === 'string') && Number.isFinite(read?.previousUntil)) return read!;
  throw new SyntaxError('it is no changed password');
}

/** Changed passwords as one file each in a directory, which is made when the first is written. */
export class PasswordFiles implements ChangedPasswordStore {
  private readonly directory: string;
  private readonly known = new Map<SessionID, ChangedPassword | null>();
  private lastWrite: Promise<void> = Promise.resolve();

  constructor(directory: string) {
    this.directory = directory;
  }

  read(sessionId: SessionID): ChangedPassword | null {
    const known = this.known.get(sessionId);
    if (known !== undefined) return known;
    let read: ChangedPassword | null = null;
    try {
      read = changedPasswordIn(readFileSync(this.pathOf(sessionId), 'utf8'));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
        const text = `the changed password of ${sessionId} in ${this.directory} cannot be read`;
        throw new CrossgateError('XG_SECRET_MISSING', text, { cause });
      }
    }
    this.known.set(sessionId, read);
    return read;
  }

  /** One after the other: two of one session share a draft. */
  write(sessionId: SessionID, password: ChangedPassword): Promise<void> {
    const written = this.lastWrite.then(() => this.keep(sessionId, password));
    this.lastWrite = written.catch(() => {});
    return written;
  }

  private async keep(sessionId: SessionID, password: ChangedPassword): Promise<void> {
    try {
      await this.replace(this.pathOf(sessionId), password);
    } catch (cause) {
      const text = `the changed password of ${sessionId} in ${this.directory} cannot be written: ${String(cause)}`;
      throw new CrossgateError('XG_SECRET_MISSING', text, { cause });
    }
    this.known.set(sessionId, password);
  }

  private async replace(path: string, password: ChangedPassword): Promise<void> {
    makeFolder(this.directory);
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(password)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    const directory = await open(dirname(path), 'r');
    await directory.sync().finally(() => directory.close());
  }

  private pathOf(sessionId: SessionID): string {
    const name = encodeURIComponent(sessionId);
    const short = name.length <= NAME_BYTES_MAX ? name : createHash('sha256').update(sessionId).digest('hex');
    return join(this.directory, `${short}.json`);
  }
}
