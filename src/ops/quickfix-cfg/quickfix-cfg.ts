// Reads a settings file of QuickFIX C++, QuickFIX/J, QuickFIX/n or quickfixgo ([DEFAULT] and [SESSION] sections of
// key=value) and reports the fate of each key in a session of ours. keys.ts has the meaning of keys; the schema checks
// the result.

import { didYouMean } from '../../base/did-you-mean.ts';
import { REDACTED } from '../../base/redacted-text.ts';
import { type ConfigProblem, keyPath, type Place } from '../configuration/config-problem.ts';
import type { YamlFile } from '../configuration/yaml-file.ts';
import { isSecretKey, redactText } from '../secrets/redaction.ts';
import { isKnownSetting, SETTING_NAMES, translateSetting } from './keys.ts';
import { withPrefix } from './own-keys.ts';
import type { SettingVerdict } from './verdict.ts';

/** A key of the file with its fate. */
export interface SettingReport extends SettingVerdict {
  readonly line: number;
  readonly key: string;
  /** As written; `[redacted]` for a secret or where one may stand. */
  readonly value: string;
}

/** A [SESSION] as a session of ours. */
export interface CfgSession {
  /** Name of our session file, without its ending: from SessionQualifier or the CompIDs, unique in the file. */
  readonly name: string;
  /** Values by our keys, with the places of their origins, as in a YAML file. */
  readonly file: YamlFile;
  readonly reports: readonly SettingReport[];
}

export interface CfgFile {
  readonly sessions: readonly CfgSession[];
  /** Lines that are no settings. */
  readonly problems: readonly ConfigProblem[];
}

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly line: number;
  /** The known key that an unknown one resembles. */
  readonly meant: string | null;
}

interface Section {
  readonly isSession: boolean;
  /** By key in small letters; of several of one key the last, as all these engines have it. */
  readonly settings: Map<string, Setting>;
  /** Those before it. */
  readonly replaced: Setting[];
}

const SESSIONS_MAX = 1000;
/** More than all engines know together; each of [DEFAULT] is looked at for every session. */
const SETTINGS_MAX = 500;
/** Unknown keys with a search for the intended ones. */
const MEANT_MAX = 100;
const NAME_MAX = 56;
/** Where a database is: user and password may stand in it. */
const CONNECTS = /((Store|Log)Connection|ConnectionString|DataSourceName|URL)$/i;

/** Read the text of a settings file; `file` is its name in messages. Never throws. */
export function readQuickfixCfg(text: string, file: string): CfgFile {
  const problems: ConfigProblem[] = [];
  const complain = (line: number, key: string, problem: string, remedy: string): void => {
    problems.push({ file, line, column: 1, key, value: null, problem, remedy });
  };
  const sections = sectionsOf(text, complain);
  const defaults: Section = { isSession: false, settings: new Map(), replaced: [] };
  for (const { isSession, settings, replaced } of sections) {
    if (isSession) continue;
    defaults.replaced.push(...replaced);
    for (const [key, setting] of settings) defaults.settings.set(key, setting);
  }
  // A session file may be called neither: `sessions import --force` would write over the gateway's own.
  const names = new Set(['gateway', 'defaults']);
  const sessions = sections
    .filter(({ isSession }) => isSession)
    .slice(0, SESSIONS_MAX)
    .map((section) => sessionOf(withDefaults(section, defaults), file, names));
  if (sessions.length === 0) complain(1, '', 'there is no [SESSION] section', 'add one per counterparty');
  return { sessions, problems };
}

function withDefaults({ settings, replaced }: Section, defaults: Section): Section {
  return {
    isSession: true,
    settings: new Map([...defaults.settings, ...settings]),
    replaced: [...defaults.replaced, ...replaced],
  };
}

function sectionsOf(
  text: string,
  complain: (line: number, key: string, problem: string, remedy: string) => void,
): Section[] {
  const sections: Section[] = [];
  let strayed = false;
  let strange = 0;
  const full = new Set<Section>();
  for (const [at, written] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = at + 1;
    const content = written.trim();
    if (content === '' || content.startsWith('#') || content.startsWith(';')) continue;
    const heading = /^\[\s*(\w+)\s*\](?:\s*[#;].*)?$/.exec(content)?.[1]?.toUpperCase();
    if (heading === 'DEFAULT' || heading === 'SESSION') {
      sections.push({ isSession: heading === 'SESSION', settings: new Map(), replaced: [] });
      continue;
    }
    const equals = content.indexOf('=');
    const section = sections.at(-1);
    if (heading !== undefined || equals < 1) {
      complain(
        line,
        '',
        `not a setting: "${withoutSecret(content).slice(0, 60)}"`,
        'write [DEFAULT], [SESSION] or Key=Value',
      );
    } else if (section === undefined) {
      // Those behind it have the same cause.
      if (strayed) continue;
      strayed = true;
      const key = content.slice(0, equals).trim();
      complain(line, key, 'a setting before the first section', 'put it below [DEFAULT] or [SESSION]');
    } else {
      const key = content.slice(0, equals).trim();
      // A key of ours without its prefix is reported as that, despite any resemblance.
      const looksUp = !isKnownSetting(key) && withPrefix(key) === null && strange++ < MEANT_MAX;
      const meant = looksUp ? didYouMean(key, SETTING_NAMES) : null;
      if (section.settings.size + section.replaced.length < SETTINGS_MAX) {
        const before = section.settings.get(key.toLowerCase());
        if (before !== undefined) section.replaced.push(before);
        section.settings.set(key.toLowerCase(), { key, value: content.slice(equals + 1).trim(), line, meant });
      } else if (!full.has(section)) {
        full.add(section);
        complain(line, key, `a section has more than ${SETTINGS_MAX} settings`, 'is this a settings file?');
      }
    }
  }
  return sections;
}

/** A line that is no setting, for people: text after a secret's name is left out. */
function withoutSecret(line: string): string {
  const name = /^[\w-]+/.exec(line)?.[0] ?? '';
  const rest = line.slice(name.length);
  // With a sign between them the general rule knows where the secret ends.
  return isSecretKey(name) && /^\s+[^\s:=]/.test(rest) ? `${name} ${REDACTED}` : redactText(line);
}

function sessionOf({ settings, replaced }: Section, file: string, names: Set<string>): CfgSession {
  const value = (key: string): string | null => settings.get(key.toLowerCase())?.value ?? null;
  const name = nameOf(value, names);
  const values: Record<string, unknown> = {};
  const places = new Map<string, Place>();
  const reports: SettingReport[] = [];
  const problems: ConfigProblem[] = [];
  for (const { key, value: written, line, meant } of [...settings.values()].sort((a, b) => a.line - b.line)) {
    const verdict: SettingVerdict =
      meant === null
        ? translateSetting(key, written, value, name)
        : { kind: 'refused', text: `no QuickFIX engine knows this setting; did you mean ${meant}?` };
    const shown = shownValue(key, written);
    reports.push({ line, key, value: shown, ...verdict });
    if (verdict.kind === 'invalid') {
      const remedy = 'correct the value';
      problems.push({ file, line, column: 1, key, value: shown, problem: verdict.text, remedy });
    }
    for (const [path, translated] of verdict.values ?? []) {
      if (!setAt(values, path, translated)) {
        const problem = 'it belongs to a group of keys that another line sets to something else';
        problems.push({ file, line, column: 1, key, value: shown, problem, remedy: 'keep one of the two' });
        continue;
      }
      for (let length = path.length; length > 0; length--) {
        const place = keyPath(path.slice(0, length));
        if (!places.has(place) || length === path.length) places.set(place, { file, line, column: 1 });
      }
    }
  }
  for (const { key, value: written, line } of replaced) {
    const text = 'it stands in this section again, further down: the last counts';
    reports.push({ line, key, value: shownValue(key, written), kind: 'refused', text });
  }
  reports.sort((a, b) => a.line - b.line);
  const first = Math.min(...[...settings.values()].map(({ line }) => line));
  const place = (path: readonly (string | number)[]): Place => {
    for (let length = path.length; length > 0; length--) {
      const found = places.get(keyPath(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return { file, line: Number.isFinite(first) ? first : 1, column: 1 };
  };
  return { name, file: { file, values, problems, place }, reports };
}

const LOGON_TAG = /^LogonTag\d*$/i;
/** A standard field: the general rule decides whether it is a secret. */
const OF_STANDARD = /^[1-4]?\d{1,3}=/;

function shownValue(key: string, written: string): string {
  // A venue's own tag in a Logon identifies the counterparty.
  if (LOGON_TAG.test(key) && !OF_STANDARD.test(written)) return `${/^\d*/.exec(written)![0]}=${REDACTED}`;
  return isSecretKey(key) || CONNECTS.test(key) ? REDACTED : redactText(written);
}

/** Letters, digits, `_` and `-`, not taken before in this file. */
function nameOf(value: (key: string) => string | null, names: Set<string>): string {
  const parts = [value('SessionQualifier') ?? value('TargetCompID') ?? 'SESSION', value('TargetSubID')];
  let plain = parts
    .filter((part) => part !== null && part !== '')
    .join('_')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, NAME_MAX);
  if (!/[A-Za-z0-9]/.test(plain)) plain = 'TEMPLATE';
  let name = plain;
  for (let i = 2; names.has(name); i++) name = `${plain}_${i}`;
  names.add(name);
  return name;
}

/** False if something on the way is no group of keys. */
function setAt(values: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  let node = values;
  for (const step of path.slice(0, -1)) {
    // Inherited names of objects, such as `constructor`, are not settings of the file.
    const inner = (Object.hasOwn(node, step) ? node[step] : null) ?? {};
    if (typeof inner !== 'object' || Array.isArray(inner)) return false;
    node[step] = inner;
    node = inner as Record<string, unknown>;
  }
  node[path.at(-1)!] = value;
  return true;
}
