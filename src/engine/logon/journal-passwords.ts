// Passwords changed by NewPassword(925) beside the journal, where a journal keeps such texts: a node that takes over has them
// too. Hashes only. Files of a time before that are read until there is something newer.

import { join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { SessionID } from '../../session/mod.ts';
import type { Journal, KeptTexts } from '../../store/mod.ts';
import { changedPasswordIn, PasswordFiles } from './password-files.ts';
import type { ChangedPassword, ChangedPasswordStore } from './passwords.ts';

/** Where this node keeps them: beside its journal if that can, else in files of the state folder. */
export function changedPasswords(stateDirectory: string, { kept }: Pick<Journal, 'kept'>): ChangedPasswordStore {
  const files = new PasswordFiles(join(stateDirectory, 'passwords'));
  return kept === undefined ? files : new JournalPasswords(kept, files);
}

/**
 * Take over the content of files beside the journal, if the journal keeps it. @throws CrossgateError if it cannot be
 * written
 */
export async function bringOver(passwords: ChangedPasswordStore, sessionIds: Iterable<SessionID>): Promise<void> {
  if (!(passwords instanceof JournalPasswords)) return;
  for (const sessionId of sessionIds) {
    const password = passwords.inFile(sessionId);
    if (password !== null) await passwords.write(sessionId, password);
  }
}

const nameOf = (sessionId: SessionID): string => `password ${sessionId}`;

class JournalPasswords implements ChangedPasswordStore {
  private readonly kept: KeptTexts;
  private readonly files: PasswordFiles;

  constructor(kept: KeptTexts, files: PasswordFiles) {
    this.kept = kept;
    this.files = files;
  }

  read(sessionId: SessionID): ChangedPassword | null {
    const text = this.kept.read(nameOf(sessionId));
    if (text === null) return this.files.read(sessionId);
    try {
      return changedPasswordIn(text);
    } catch (cause) {
      const what = `the changed password of ${sessionId} beside the journal cannot be read`;
      throw new CrossgateError('XG_SECRET_MISSING', what, { cause });
    }
  }

  /** Properties of files only. */
  inFile(sessionId: SessionID): ChangedPassword | null {
    return this.kept.read(nameOf(sessionId)) === null ? this.files.read(sessionId) : null;
  }

  async write(sessionId: SessionID, password: ChangedPassword): Promise<void> {
    await this.kept.write(nameOf(sessionId), JSON.stringify(password));
  }
}
