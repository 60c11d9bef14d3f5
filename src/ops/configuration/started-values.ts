// Values that count from the next start on: those of gateway.yaml, secrets and dictionaries that a running gateway does not read
// again, as they were at its start.

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gatewaySecrets } from '../checks/secret-check.ts';
import { secretProblem } from '../secrets/secrets.ts';
import type { SettingChange } from './change/change-preview.ts';
import { keyPath } from './config-problem.ts';
import type { LoadedConfiguration } from './configuration.ts';
import { describeScope } from './describe.ts';
import { handwritten } from './file-states.ts';
import type { Path } from './layers.ts';

export class StartedValues {
  private readonly started: LoadedConfiguration;
  private readonly values: ReadonlyMap<string, string>;
  private readonly dictionaries: ReadonlyMap<string, string>;
  private readonly secrets: ReadonlyMap<string, string>;

  constructor(started: LoadedConfiguration) {
    this.started = started;
    this.values = gatewayValues(started);
    this.dictionaries = this.dictionariesNow();
    this.secrets = this.secretsNow();
  }

  /** Keys of the process, its secrets and dictionaries that a start would take over. */
  waiting(files: LoadedConfiguration): string[] {
    const keys = differingKeys(this.values, gatewayValues(files));
    const secrets = differingKeys(this.secrets, this.secretsNow()).filter((key) => !keys.includes(key));
    const dictionaries = differingKeys(this.dictionaries, this.dictionariesNow());
    return [...keys, ...secrets.map((key) => `the secret of ${key}`), ...dictionaries];
  }

  /** Digests of the secrets that only a start reads, by key. */
  private secretsNow(): Map<string, string> {
    const { config } = this.started;
    const digests = new Map<string, string>();
    for (const { path, secret } of config === null ? [] : gatewaySecrets(config)) {
      if (isRenewable(path)) continue;
      // One that cannot be read now is a problem of the configuration, which says so.
      const text = secretProblem(secret) === null ? secret.read() : '';
      digests.set(`gateway.${keyPath(path)}`, createHash('sha256').update(text).digest('hex'));
    }
    return digests;
  }

  /** Content of the dictionary files in use, by name. */
  private dictionariesNow(): Map<string, string> {
    const { dictionariesDirectory: folder = '' } = this.started.config ?? {};
    const files = new Map<string, string>();
    let names: string[] = [];
    try {
      // A leading dot marks an editor's file.
      names = readdirSync(folder).filter((name) => name.endsWith('.xml') && !name.startsWith('.'));
    } catch {
      // An unreadable file is reported by the next start, which needs it; the running gateway has read it.
    }
    for (const name of names) files.set(name, digestOf(join(folder, name)));
    return files;
  }

  /** The same with the values before and after. */
  changes(files: LoadedConfiguration): SettingChange[] {
    const values = gatewayValues(files);
    return this.waiting(files).map((key) => ({
      of: 'gateway',
      key: key.replace(/^gateway\./, ''),
      before: this.values.get(key) ?? null,
      after: values.get(key) ?? null,
      counts: 'next start',
    }));
  }
}

/** Values of gateway.yaml by key: `gateway.state`. */
function gatewayValues(loaded: LoadedConfiguration): Map<string, string> {
  return new Map(describeScope(loaded, 'gateway').map(({ key, value }) => [key, value]));
}

/** True if the running gateway can take over a changed secret of that key. */
export function isRenewable([group]: Path): boolean {
  return group === 'fix' || group === 'bridge' || group === 'admin';
}

/** Empty for a file that cannot be read. */
function digestOf(path: string): string {
  try {
    const bytes = handwritten(path);
    return bytes instanceof Buffer ? createHash('sha256').update(bytes).digest('hex') : '';
  } catch {
    return '';
  }
}

/** Keys with different values; for a list with a changed length its own key, because later elements have moved. */
function differingKeys(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const [were, are] = [lengthsIn(before), lengthsIn(after)];
  const keys = new Set([...before.keys(), ...after.keys()]);
  const differing = [...keys].filter((key) => before.get(key) !== after.get(key));
  const named = differing.map((key) => listsIn(key).find((list) => were.get(list) !== are.get(list)) ?? key);
  return [...new Set(named)].sort();
}

/** The lists that a key leads through, the outermost first. */
function listsIn(key: string): string[] {
  return [...key.matchAll(/\[\d+\]/g)].map(({ index }) => key.slice(0, index));
}

/** How many elements each list has. */
function lengthsIn(values: ReadonlyMap<string, string>): Map<string, number> {
  const lengths = new Map<string, number>();
  for (const key of values.keys()) {
    for (const list of listsIn(key)) {
      const index = Number.parseInt(key.slice(list.length + 1), 10);
      lengths.set(list, Math.max(lengths.get(list) ?? 0, index + 1));
    }
  }
  return lengths;
}
