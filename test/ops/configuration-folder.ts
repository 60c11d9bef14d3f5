// A configuration folder in a temporary place, sound unless a test makes it otherwise.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConfigurationOptions, LoadedConfiguration } from '../../src/ops/mod.ts';
import { loadConfiguration } from '../../src/ops/whole-ops.ts';

export const GATEWAY = `state: state
fix:
  listen:
    - name: plain
      port: 9876
    - name: tls
      port: 9877
      tls: { certificate: "file:tls.crt", key: "file:tls.key", selfSigned: true }
exchange:
  credentials:
    - name: primary
      key: file:key.json
      tradingAccounts: ["111", "222"]
simulator:
  embedded: true
`;

export const SESSION = `senderCompID: GATE
targetCompID: OMS
password: file:oms.password
accounts:
  - account: "111"
limits:
  orderQtyMax: "10"
  notionalMax: "1000"
  openOrdersMax: 5
  priceBandPercent: "20"
`;

/** Possible content of a secret's file of that name. */
export const secretText = (name: string): string =>
  name.endsWith('.json') ? '{"kind":"hmac","publicKey":"p","secret":"s"}' : 'x';

export interface Folder {
  readonly path: string;
  /** Write a file below the folder. */
  write(name: string, text: string): void;
  load(options?: Partial<ConfigurationOptions>): LoadedConfiguration;
}

/** Make the folder with gateway.yaml and OMS.yaml, or with the files given; removed after the test. */
export function configurationFolder(files: Readonly<Record<string, string>> = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), 'crossgate-ops-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const folder: Folder = {
    path,
    write(name, text) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text, { mode: 0o600 });
    },
    load: (options = {}) =>
      loadConfiguration({ directory: 'sessions', environment: {}, workingDirectory: path, ...options }),
  };
  const all: Record<string, string> = { 'gateway.yaml': GATEWAY, 'OMS.yaml': SESSION, ...files };
  for (const [name, text] of Object.entries(all)) folder.write(`sessions/${name}`, text);
  return folder;
}

/** Problems as `file:line key: problem`, for whole comparisons. */
export function inShort(loaded: LoadedConfiguration): string[] {
  return loaded.problems.map(
    ({ file, line, key, problem }) => `${file}${line === null ? '' : `:${line}`} ${key}: ${problem}`,
  );
}
