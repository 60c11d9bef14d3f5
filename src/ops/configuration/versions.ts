// Every version of the configuration that counted, with who took it over and why: the texts of the folder's files, each kept once.
// In the state folder, for its owner only.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';

/** Texts of the configuration's files, by name. */
export type ConfigurationTexts = ReadonlyMap<string, string>;

export interface ConfigurationVersion {
  /** Counted from 1. */
  readonly version: number;
  readonly at: EpochMs;
  /** Operator, `file change` or `start`. */
  readonly who: string;
  /** The operator's reason; empty if none was given. */
  readonly why: string;
  /** Files that differ from the version before. */
  readonly changed: readonly string[];
}

interface VersionFile extends ConfigurationVersion {
  readonly form: 1;
  /** Digest of each file's text. */
  readonly files: Readonly<Record<string, string>>;
}

/** Older versions are removed. */
const VERSIONS_MAX = 1_000;
const NUMBER_DIGITS = 6;
const OF_CONFIGURATION = /^[A-Za-z0-9_-]{1,64}\.(?:yaml|cfg)$/;

/** The texts of a configuration folder. @throws the file system's error */
export function textsIn(directory: string): ConfigurationTexts {
  const names = readdirSync(directory).filter((name) => OF_CONFIGURATION.test(name));
  return new Map(names.sort().map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}

/**
 * Make a configuration folder hold these texts and no other file of the configuration; each file is replaced as a whole.
 * @throws CrossgateError XG_USAGE if it cannot be written
 */
export function restoreTexts(directory: string, texts: ConfigurationTexts): void {
  try {
    const present = textsIn(directory);
    for (const [name, text] of texts) if (present.get(name) !== text) replaceFile(join(directory, name), text, 0o666);
    for (const name of present.keys()) if (!texts.has(name)) rmSync(join(directory, name));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `the gateway cannot write the folder of its configuration: ${why}. Put the files back where they are made`;
    throw new CrossgateError('XG_USAGE', text, { cause });
  }
}

export class ConfigurationVersions {
  private readonly folder: string;
  private readonly now: () => EpochMs;

  /** @param folder made with the first version */
  constructor(folder: string, now: () => EpochMs) {
    this.folder = folder;
    this.now = now;
  }

  /** Newest first. @throws CrossgateError XG_CONFIG_INVALID for a damaged file */
  list(): ConfigurationVersion[] {
    return this.numbers()
      .reverse()
      .map((version) => {
        const { form: _, files: __, ...shown } = this.read(version);
        return shown;
      });
  }

  /** @throws CrossgateError XG_NOT_FOUND, XG_CONFIG_INVALID */
  texts(version: number): ConfigurationTexts {
    if (!this.numbers().includes(version)) {
      throw new CrossgateError(
        'XG_NOT_FOUND',
        `there is no version ${version}: \`crossgate config history\` lists them`,
      );
    }
    const { files } = this.read(version);
    return new Map(Object.entries(files).map(([name, digest]) => [name, this.text(digest)]));
  }

  /**
   * Keep these texts as the newest version; null if they are the newest already. A reason that comes after a file was taken over by
   * itself belongs to that version.
   */
  record(texts: ConfigurationTexts, who: string, why: string): ConfigurationVersion | null {
    const last = this.numbers().at(-1);
    const before = last === undefined ? null : this.read(last);
    const files = Object.fromEntries([...texts].map(([name, text]) => [name, digestOf(text)]));
    const names = new Set([...Object.keys(files), ...Object.keys(before?.files ?? {})]);
    const changed = [...names].filter((name) => files[name] !== before?.files[name]).sort();
    if (before !== null && changed.length === 0) {
      if (why === '' || before.why !== '') return null;
      return this.write({ ...before, who, why });
    }
    for (const text of texts.values()) this.keep(text);
    const version: VersionFile = { form: 1, version: (last ?? 0) + 1, at: this.now(), who, why, changed, files };
    this.write(version);
    this.forgetOld();
    return version;
  }

  private numbers(): number[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .sort((a, b) => a - b);
  }

  private pathOf(version: number): string {
    return join(this.folder, `${String(version).padStart(NUMBER_DIGITS, '0')}.json`);
  }

  private read(version: number): VersionFile {
    const path = this.pathOf(version);
    try {
      const file = JSON.parse(readFileSync(path, 'utf8')) as VersionFile;
      if (file.form === 1 && typeof file.files === 'object') return file;
    } catch {}
    throw new CrossgateError('XG_CONFIG_INVALID', `${path} is no version of the configuration: move it away`);
  }

  private write(version: VersionFile): VersionFile {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    replaceFile(this.pathOf(version.version), `${JSON.stringify(version)}\n`, 0o600);
    return version;
  }

  private text(digest: string): string {
    const text = readFileSync(join(this.folder, 'texts', digest), 'utf8');
    if (digestOf(text) === digest) return text;
    throw new CrossgateError('XG_CONFIG_INVALID', `${join(this.folder, 'texts', digest)} was changed: it is not used`);
  }

  private keep(text: string): void {
    const path = join(this.folder, 'texts', digestOf(text));
    if (existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, text, 0o600);
  }

  private forgetOld(): void {
    const numbers = this.numbers();
    if (numbers.length <= VERSIONS_MAX) return;
    const [gone, kept] = [numbers.slice(0, -VERSIONS_MAX), numbers.slice(-VERSIONS_MAX)];
    const used = new Set(kept.flatMap((version) => Object.values(this.read(version).files)));
    for (const version of gone) {
      const { files } = this.read(version);
      rmSync(this.pathOf(version));
      for (const digest of Object.values(files)) {
        if (!used.has(digest)) rmSync(join(this.folder, 'texts', digest), { force: true });
      }
    }
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Whole or not at all; it survives power loss when this returns. */
function replaceFile(path: string, text: string, mode: number): void {
  // A leading dot: readers of the configuration pass over it.
  const draft = join(dirname(path), `.${basename(path)}.draft`);
  const handle = openSync(draft, 'w', mode);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
