// The tokens of open exchange logins in a file of the state folder, for the owner only: the next start gives back what a killed
// process left. It is written beside the event loop, and a disk that takes nothing costs no more than that.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineLog } from '../../engine/mod.ts';
import type { OpenLogins } from '../../exchange-client/mod.ts';

/** Tokens looked at of a file; there are one or two. */
const TOKENS_MAX = 10;
/** Text that can be a token, and stand in a header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

export class OpenLoginFiles {
  private readonly stateDirectory: string;
  private readonly log: EngineLog;
  private lastWrite: Promise<void> = Promise.resolve();
  private isTold = false;

  constructor(stateDirectory: string, log: EngineLog) {
    this.stateDirectory = stateDirectory;
    this.log = log;
  }

  /**
   * Those of one exchange login.
   * @param exchange its address: to another one no token is sent
   */
  of(credential: string, exchange: string): OpenLogins {
    const path = join(this.stateDirectory, `exchange-login.${credential}.json`);
    return {
      read: () => tokensIn(path, exchange),
      write: (tokens) => {
        // One after the other: a disk that stands still holds one thread up.
        this.lastWrite = this.lastWrite.then(() => this.replace(path, JSON.stringify({ exchange, tokens })));
        return this.lastWrite;
      },
    };
  }

  private async replace(path: string, text: string): Promise<void> {
    try {
      await writeFile(`${path}.new`, `${text}\n`, { mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch (error) {
      if (!this.isTold) this.log('warn', 'which exchange logins are open cannot be kept for the next start', { error });
      this.isTold = true;
    }
  }
}

async function tokensIn(path: string, at: string): Promise<readonly string[]> {
  try {
    const { exchange, tokens } = JSON.parse(await readFile(path, 'utf8')) as { exchange: unknown; tokens: unknown };
    if (exchange !== at || !Array.isArray(tokens)) return [];
    return tokens.filter((token) => typeof token === 'string' && TOKEN.test(token)).slice(0, TOKENS_MAX);
  } catch {
    // Not there, or not whole: what is open at the exchange ends by itself, in a day.
    return [];
  }
}
