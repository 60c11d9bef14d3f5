// A certification desk in the test's process: its configuration from files of its own, its folder removed at the end.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '../../../src/administration/mod.ts';
import { CertificationDesk } from '../../../src/certification/desk/certification-desk.ts';
import type { DeskView } from '../../../src/certification/desk/desk-view.ts';
import { isolatedConfig } from '../../../src/certification/desk/isolated-config.ts';
import { loadSuite } from '../../../src/certification/desk/suite-files.ts';
import type { Profile } from '../../../src/certification/suite/profile.ts';
import { loadConfiguration } from '../../../src/ops/configuration/configuration.ts';

export const PASSWORD = 'certify-me';

const GATEWAY = `state: state
fix:
  listen:
    - name: plain
      port: 0
exchange:
  credentials:
    - name: primary
      key: file:secrets/demo-ecdsa.json
      tradingAccounts: ["111000000000001"]
simulator:
  embedded: true
  port: 0
admin:
  port: 0
`;

export interface TestDesk {
  readonly desk: CertificationDesk;
  readonly port: number;
  readonly folder: string;
  readonly log: string[];
  view(): DeskView;
  /** Until every wanted case has been played. @throws Error with what is under way */
  played(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface TestDeskOptions {
  /** Lines of the session file beside its identity. */
  readonly session?: string;
  readonly profile?: Profile | null;
  /** A folder that a desk before this one left. */
  readonly folder?: string;
}

export async function openDesk({
  session = '',
  profile = null,
  folder: given,
}: TestDeskOptions = {}): Promise<TestDesk> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'crossgate-certification-')));
  const sessions = join(folder, 'sessions');
  await mkdir(sessions, { recursive: true });
  await mkdir(join(folder, 'state', 'secrets'), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'state', 'secrets', 'OMS.password'), `${PASSWORD}\n`, { mode: 0o600 });
  await writeFile(join(sessions, 'gateway.yaml'), GATEWAY);
  const limits = 'limits: {orderQtyMax: "100", notionalMax: "5000000", openOrdersMax: 100, priceBandPercent: "20"}\n';
  const isCopy = session.includes('kind: dropCopy');
  await writeFile(
    join(sessions, 'CERT.yaml'),
    `targetCompID: CERT_OMS\nsenderCompID: EXCHANGE_TEST\npassword: file:secrets/OMS.password\ndurability: process\naccounts:\n  - account: "ACC-1"\n    tradingAccount: "111000000000001"\n    credential: primary\n${isCopy ? '' : limits}${isCopy ? '' : 'marketData: {enabled: true}\n'}${session}`,
  );
  const { config, problems } = loadConfiguration({ directory: sessions, environment: {}, workingDirectory: folder });
  if (config === null) throw new Error(JSON.stringify(problems));
  const { suite, names, rules } = await loadSuite('standard');
  const log: string[] = [];
  const desk = new CertificationDesk({
    name: 'CERT',
    config: isolatedConfig(config, config.sessions[0]!, join(folder, 'certification')),
    suite,
    names,
    rules,
    profile: () => profile,
    startEngine: (wanted) =>
      startEngine({
        config: wanted,
        log: (level, text) => log.push(`${level} ${text}`),
        now: Date.now,
        onSecretsReady: async () => {},
      }),
    now: Date.now,
    log: (level, text) => log.push(`${level} ${text}`),
  });
  const port = await desk.open();
  return {
    desk,
    port,
    folder,
    log,
    view: () => desk.view(),
    async played(timeoutMs) {
      const until = Date.now() + timeoutMs;
      while (!desk.isIdle) {
        if (Date.now() > until) throw new Error(`not played in time: ${JSON.stringify(desk.view().running)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async close() {
      await desk.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
