// The YAML files of a configuration folder as they were read last, so that a reading after a change parses and checks only the files
// that differ. A file is known by its bytes: its times say nothing about a file that was put back.

import type { CheckedSession } from '../checks/cross-checks.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { Layered } from './layers.ts';
import type { FileMemory, YamlFile } from './yaml-file.ts';

/** A session file by itself, laid over the defaults file. */
export interface LoadedSession {
  readonly layered: Layered;
  /** Null if it is unsound. */
  readonly checked: CheckedSession | null;
  readonly problems: readonly ConfigProblem[];
}

interface KnownSession {
  readonly name: string;
  readonly defaults: YamlFile | null;
  readonly session: LoadedSession;
}

export class KnownFiles implements FileMemory {
  /** By their names as shown. */
  readonly #files = new Map<string, { readonly bytes: Buffer; readonly file: YamlFile }>();
  /** Goes with its file. */
  readonly #sessions = new WeakMap<YamlFile, KnownSession>();

  file(shown: string, bytes: Buffer, read: () => YamlFile): YamlFile {
    const known = this.#files.get(shown);
    if (known?.bytes.equals(bytes) === true) return known.file;
    const file = read();
    this.#files.set(shown, { bytes, file });
    return file;
  }

  /** The session of a file over these defaults, checked now if it is not known. */
  session(name: string, file: YamlFile, defaults: YamlFile | null, load: () => LoadedSession): LoadedSession {
    const known = this.#sessions.get(file);
    if (known?.name === name && known.defaults === defaults) return known.session;
    const session = load();
    this.#sessions.set(file, { name, defaults, session });
    return session;
  }

  /** Forget files that are no longer there. */
  keepOnly(shown: ReadonlySet<string>): void {
    for (const name of this.#files.keys()) if (!shown.has(name)) this.#files.delete(name);
  }
}
