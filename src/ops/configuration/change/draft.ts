// Files of the configuration that are not saved yet: a session file as somebody wants it, or those of an earlier version. They are read
// in a folder of their own, so that a look at them changes nothing.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { CrossgateError } from '../../../base/errors.ts';
import { type ConfigurationOptions, type LoadedConfiguration, loadBesideTraffic } from '../configuration.ts';
import { type ConfigurationTexts, restoreTexts } from '../versions.ts';

/** Values of keys such as `limits.orderQtyMax`; null removes the key. */
export type WantedSettings = Readonly<Record<string, string | number | boolean | null>>;

/** A session file with another text. */
export interface WantedSession {
  readonly session: string;
  /** The whole text, null for no such file; or only some of its settings: the rest of the file stays, comments too. */
  readonly text: string | null | WantedSettings;
  /** Digest of the text that it replaces; null: there is none. */
  readonly replaces: string | null;
}

/** A session file, or all files of a version. */
export type WantedFiles = WantedSession | { readonly version: number };

export interface SessionFileView {
  /** The name of the session. */
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

const SESSION_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Files that are none of a session: people change them where they lie. */
const OF_ALL: ReadonlySet<string> = new Set(['gateway', 'defaults']);
const YAML = '.yaml';

export function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Texts of the session files by the name of the session. */
export function sessionTexts(texts: ConfigurationTexts): ReadonlyMap<string, string> {
  const files = [...texts].filter(([file]) => file.endsWith(YAML));
  return new Map(
    files.map(([file, text]) => [basename(file, YAML), text] as const).filter(([name]) => !OF_ALL.has(name)),
  );
}

/** The texts with a session file that is new, changed or gone. @throws CrossgateError XG_USAGE, XG_NOT_FOUND */
export function withSession(texts: ConfigurationTexts, { session, text, replaces }: WantedSession): ConfigurationTexts {
  if (!SESSION_NAME.test(session) || OF_ALL.has(session)) {
    throw new CrossgateError('XG_USAGE', 'a session name has letters, digits, `_` and `-`, at most 64');
  }
  const file = `${session}${YAML}`;
  const present = texts.get(file);
  if (present === undefined && (text === null || replaces !== null)) {
    throw new CrossgateError('XG_NOT_FOUND', `there is no ${file}: somebody removed it`);
  }
  if (present !== undefined && replaces !== digestOfText(present)) {
    const why = replaces === null ? 'is there already: choose another name' : 'was changed meanwhile: look at it again';
    throw new CrossgateError('XG_USAGE', `${file} ${why}`);
  }
  const wanted = new Map(texts);
  if (text === null) wanted.delete(file);
  else wanted.set(file, typeof text === 'string' ? text : withSettings(present ?? '', text));
  return wanted;
}

/** @throws CrossgateError XG_USAGE if the file is no list of settings */
function withSettings(text: string, settings: WantedSettings): string {
  const file = parseDocument(text);
  if (file.errors.length > 0 || !(file.contents === null || isMap(file.contents))) {
    throw new CrossgateError('XG_USAGE', 'the file is no list of settings: change its text');
  }
  for (const [key, value] of Object.entries(settings)) {
    const path = key.split('.');
    if (value === null) file.deleteIn(path);
    else file.setIn(path, value);
  }
  return file.toString({ lineWidth: 0 });
}

/** Read texts as a configuration, beside the traffic. The folder for that is removed again. */
export async function draftOf(
  { known: _, ...configuration }: ConfigurationOptions,
  texts: ConfigurationTexts,
  stateDirectory: string,
): Promise<LoadedConfiguration> {
  const place = join(stateDirectory, 'configuration');
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(place, 'draft-'));
  try {
    restoreTexts(folder, texts);
    const loaded = await loadBesideTraffic({ ...configuration, directory: folder });
    const problems = loaded.problems.map((problem) => ({ ...problem, file: basename(problem.file) }));
    return { ...loaded, problems };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
