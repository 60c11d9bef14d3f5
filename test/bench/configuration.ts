// A thousand session files: the time to check them all, and to apply an edited one as a running gateway does, with a stand-in for
// its sessions: reading, checking, comparing and keeping the version. Wall and processor time, of each the median and the largest.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { SessionChanges } from '../../src/administration/mod.ts';
import { Reloader, type ReloaderOptions } from '../../src/ops/configuration/reload.ts';
import { ConfigurationVersions } from '../../src/ops/configuration/versions.ts';
import { KnownFiles, loadConfiguration } from '../../src/ops/whole-ops.ts';
import { GATEWAY, SESSION, secretText } from '../ops/configuration-folder.ts';

const SESSIONS = 1_000;
const RUNS = 15;
const NOTHING: SessionChanges = { added: [], changed: [], retired: [], unchanged: SESSIONS };

interface Times {
  readonly wall: number;
  readonly processor: number;
}

async function timed(work: () => unknown): Promise<Times> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, processor: (user + system) / 1000 };
}

function print(what: string, times: readonly Times[]): void {
  const of = (list: number[]): string => {
    list.sort((a, b) => a - b);
    return `${list[Math.floor(list.length / 2)]!.toFixed(0)} ms (largest ${list.at(-1)!.toFixed(0)})`;
  };
  console.log(
    `${what}: wall ${of(times.map(({ wall }) => wall))}, processor ${of(times.map((time) => time.processor))}`,
  );
}

const sessionText = (at: number, quantity: number): string =>
  SESSION.replace('OMS', `OMS_${at}`).replace('oms.password', `oms${at}.password`).replace('"10"', `"${quantity}"`);

function writeFolder(path: string): void {
  for (const name of ['sessions', 'state']) mkdirSync(join(path, name));
  const write = (name: string, text: string): void => writeFileSync(join(path, name), text, { mode: 0o600 });
  write('sessions/gateway.yaml', GATEWAY);
  for (const name of ['tls.crt', 'tls.key', 'key.json']) write(`state/${name}`, secretText(name));
  for (let at = 0; at < SESSIONS; at++) {
    write(`sessions/OMS_${at}.yaml`, sessionText(at, 10));
    write(`state/oms${at}.password`, `password ${at} of a counterparty`);
  }
}

async function measure(path: string): Promise<void> {
  const fresh = { directory: 'sessions', environment: {}, workingDirectory: path };
  const checks: Times[] = [];
  for (let run = 0; run < RUNS; run++) checks.push(await timed(() => loadConfiguration(fresh)));
  console.log(
    `the first check: wall ${checks[0]!.wall.toFixed(0)} ms, processor ${checks[0]!.processor.toFixed(0)} ms`,
  );
  print('check', checks);
  for (const isKnown of [false, true]) {
    const configuration = isKnown ? { ...fresh, known: new KnownFiles() } : fresh;
    const administration = {
      applySessions: async () => NOTHING,
      audit: () => {},
      alarm: () => {},
      dictionariesOf: () => undefined,
    };
    const reloader = new Reloader({
      configuration,
      started: loadConfiguration(configuration),
      administration: administration as unknown as ReloaderOptions['administration'],
      log: () => {},
      now: () => 0,
      prepare: async () => {},
      readAgain: () => [],
      onRenewed: () => {},
      versions: new ConfigurationVersions(join(path, 'versions'), () => 0),
    });
    const applies: Times[] = [];
    for (let run = 0; run < RUNS; run++) {
      writeFileSync(join(path, `sessions/OMS_${run}.yaml`), sessionText(run, 20 + run + (isKnown ? RUNS : 0)));
      applies.push(
        await timed(async () => {
          const report = await reloader.apply('bench');
          if (!report.ok) throw new Error(report.text);
        }),
      );
    }
    await reloader.close();
    print(isKnown ? 'apply of one changed file' : 'the same with nothing known', applies);
  }
}

export async function run(): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'crossgate-bench-'));
  try {
    writeFolder(path);
    await measure(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
