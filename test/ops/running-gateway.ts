// A running engine with embedded simulated exchange and everything that operations has beside it, in this process, on free
// ports, in a configuration folder that a test may change.

import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { type AdministeredEngine, startEngine } from '../../src/administration/mod.ts';
import { VERSION } from '../../src/cli/options/version.ts';
import { Reloader } from '../../src/ops/configuration/reload.ts';
import { ensureDemoSecrets, startOperations } from '../../src/ops/whole-ops.ts';
import type { EngineConfig } from '../../src/runtime/mod.ts';
import { markOfThisProcess } from '../../src/store/mod.ts';
import { createSelfSignedCertificate } from '../../src/transport/mod.ts';
import { type FixConnection, openFix } from '../support/network/fix-connection.ts';
import { configurationFolder, type Folder } from './configuration-folder.ts';

export const ACCOUNT = '111000000000001';

export const GATEWAY = `state: state
fix: { listen: [{ name: plain, port: 0 }] }
exchange:
  credentials:
    - { name: primary, key: "file:secrets/demo-ecdsa.json", tradingAccounts: ["${ACCOUNT}", "111000000000002"] }
simulator: { embedded: true, port: 0 }
admin: { port: 0 }
`;

/** A session file. */
export function sessionFile(targetCompID: string, orderQtyMax = '10'): string {
  return `senderCompID: GATE
targetCompID: ${targetCompID}
password: file:secrets/oms.password
durability: process
accounts: [{ account: "${ACCOUNT}" }]
limits: { orderQtyMax: "${orderQtyMax}", notionalMax: "10000000", openOrdersMax: 100, priceBandPercent: "off" }
`;
}

export interface RunningGateway {
  readonly folder: Folder;
  readonly engine: AdministeredEngine;
  readonly url: string;
  readonly token: string;
  readonly stateDirectory: string;
  readonly logged: readonly string[];
  /** A request with the shared token, or with another one; `body` makes it a POST. */
  ask(path: string, body?: unknown, token?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Log on as that counterparty. */
  logOn(senderCompID?: string): Promise<FixConnection>;
}

type Furnish = (path: string) => void;

/**
 * Start everything but the watch over the folder, which takes a changed file over when it gets to it; stopped after the
 * test. `furnish` puts further files into the folder at its path.
 */
export async function runningGateway(
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
  furnish: Furnish = () => {},
  parentToken?: string,
): Promise<RunningGateway> {
  const watch = vi.spyOn(Reloader.prototype, 'watch').mockImplementation(() => {});
  try {
    return await watchingGateway(files, environment, furnish, parentToken);
  } finally {
    watch.mockRestore();
  }
}

/** Start everything, as a gateway does. */
export async function watchingGateway(
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
  furnish: Furnish = () => {},
  parentToken?: string,
): Promise<RunningGateway> {
  const folder = configurationFolder({ 'gateway.yaml': GATEWAY, 'OMS.yaml': sessionFile('OMS'), ...files });
  furnish(folder.path);
  const configuration = { directory: 'sessions', environment, workingDirectory: folder.path };
  const started = folder.load({ environment });
  if (started.config === null) throw new Error(JSON.stringify(started.problems, null, 1));
  const { config } = started;
  const logged: string[] = [];
  const prepare = async (wanted: EngineConfig): Promise<void> => {
    await ensureDemoSecrets(wanted, createSelfSignedCertificate);
  };
  const log = (level: string, text: string): number => logged.push(`${level} ${text}`);
  const engine = await startEngine({ config, log, now: Date.now, onSecretsReady: () => prepare(config) });
  const operations = await startOperations({
    engine,
    configuration,
    started,
    log,
    now: Date.now,
    version: VERSION,
    process: markOfThisProcess(),
    prepare,
    ...(parentToken === undefined ? {} : { parentToken }),
  });
  onTestFinished(async () => {
    await engine.close();
    await operations.close();
  });
  const url = operations.url!;
  const token = readFileSync(join(config.stateDirectory, 'secrets', 'admin.token'), 'utf8').trim();
  return {
    folder,
    engine,
    url,
    token,
    stateDirectory: config.stateDirectory,
    logged,
    async ask(path, body, own = token) {
      const response = await fetch(new URL(path, url), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${own}`,
          'x-crossgate-operator': 'pat',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async logOn(senderCompID = 'OMS') {
      const fix = await openFix(engine.addresses[0]!.port, { senderCompID, targetCompID: 'GATE' });
      onTestFinished(() => fix.destroy());
      const password = readFileSync(join(config.stateDirectory, 'secrets', 'oms.password'), 'utf8').trim();
      fix.send(`35=A|98=0|108=30|141=Y|554=${password}`);
      await fix.expect('the Logon', (view) => view.msgType === 'A');
      return fix;
    },
  };
}

/** Start another process on what the first has recorded so far, as if that had been killed now. */
export function startedFrom(
  first: RunningGateway,
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const isNoLock = (path: string): boolean => !basename(path).startsWith('lock.');
  return runningGateway(files, environment, (path) => {
    cpSync(first.stateDirectory, join(path, 'state'), { recursive: true, filter: isNoLock });
  });
}

/** Wait for something that has no event of its own to wait for. @throws Error naming it */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = 10_000,
): Promise<void> {
  const until = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
