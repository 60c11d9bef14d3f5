// The service files of deploy/: the systemd unit is sound, hardened, and permits every system call that a gateway makes;
// logrotate and compose take theirs, and the gateway takes the configuration of compose.

import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration } from '../../src/ops/whole-ops.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { START_FLAGS } from '../support/processes/start-flags.ts';
import { describeWith, tool } from '../support/requirement.ts';
import { DEPLOY } from './monitoring.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UNIT = join(DEPLOY, 'systemd/crossgate.service');
/** Exposure by `systemd-analyze security`, in tenths: 0 is best, 100 worst; systemd calls up to 20 "OK". */
const EXPOSURE_MAX = 15;
const run = promisify(execFile);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'crossgate-deploy-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The unit, with this checkout as the place of the program. */
function unitHere(): string {
  const file = join(folder(), 'crossgate.service');
  writeFileSync(file, readFileSync(UNIT, 'utf8').replaceAll('/opt/crossgate', ROOT.replace(/\/$/, '')));
  return file;
}

test('the unit starts the gateway with the flags of npm start', () => {
  const [, flags] = /^ExecStart=\S+ (.+) src\/cli\/crossgate\.js start --log json$/m.exec(readFileSync(UNIT, 'utf8'))!;
  expect(flags!.split(' ')).toEqual([...START_FLAGS]);
});

/** The system calls of a group, those of the groups within it too. */
async function callsOf(group: string): Promise<Set<string>> {
  const { stdout } = await run('systemd-analyze', ['syscall-filter', group]);
  const calls = new Set<string>();
  for (const line of stdout
    .split('\n')
    .slice(1)
    .map((each) => each.trim())) {
    if (line.startsWith('@')) for (const call of await callsOf(line)) calls.add(call);
    else if (/^\w+$/.test(line)) calls.add(line);
  }
  return calls;
}

/** The calls that the SystemCallFilter lines permit, in their order; systemd always adds @default. */
async function permitted(): Promise<Set<string>> {
  const calls = await callsOf('@default');
  for (const [, deny, names] of readFileSync(UNIT, 'utf8').matchAll(/^SystemCallFilter=(~?)(.+)$/gm)) {
    for (const name of names!.split(' ')) {
      for (const call of name.startsWith('@') ? await callsOf(name) : [name]) {
        if (deny === '~') calls.delete(call);
        else calls.add(call);
      }
    }
  }
  return calls;
}

describeWith(await tool('systemd-analyze', ['--version'], 'systemd-analyze'), 'the systemd unit', () => {
  test('is sound by systemd-analyze verify', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', unitHere()]);
    expect(`${stdout}${stderr}`).toBe('');
  });

  test('is hardened: its exposure is at most 1.5 of 10', async () => {
    const args = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, unitHere()];
    const { stdout } = await run('systemd-analyze', args);
    expect(stdout).toMatch(/Overall exposure level for crossgate\.service: 1\.\d OK/);
  });
});

describeWith(await tool('strace', ['-V'], 'strace'), 'the system calls of a gateway', () => {
  test('are all permitted by the unit', async () => {
    const path = folder();
    cpSync(join(ROOT, 'sessions'), join(path, 'sessions'), { recursive: true });
    const ports = ['FIX', 'FIX_TLS', 'ADMIN', 'BRIDGE', 'SIMULATOR'].map((name) => [`CROSSGATE_${name}_PORT`, '0']);
    const traced = ['-f', '-qq', '-o', join(path, 'trace'), process.execPath, ...START_FLAGS];
    const gateway = new LineProcess('strace', [...traced, 'src/cli/crossgate.js', 'start', '--log', 'json'], {
      cwd: ROOT,
      env: {
        ...Object.fromEntries(ports),
        CROSSGATE_SESSIONS: join(path, 'sessions'),
        CROSSGATE_STATE: join(path, 'state'),
      },
    });
    await gateway.line(/ready for orders/);
    // The traced process is the first in its own trace; strace ends behind it.
    process.kill(Number(/^\d+/.exec(readFileSync(join(path, 'trace'), 'utf8'))![0]), 'SIGTERM');
    expect(await gateway.ended()).toBe(0);
    const calls = new Set<string>();
    for (const [, call] of readFileSync(join(path, 'trace'), 'utf8').matchAll(/^\d+ +(\w+)\(/gm)) calls.add(call!);
    expect(calls.size).toBeGreaterThan(40);
    const allowed = await permitted();
    expect([...calls].filter((call) => !allowed.has(call))).toEqual([]);
  });
});

describeWith(await tool('logrotate', ['--version'], 'logrotate'), 'logrotate', () => {
  test('copies the log and cuts it, so that the gateway writes on', async () => {
    const path = folder();
    mkdirSync(join(path, 'log'));
    chmodSync(path, 0o755);
    writeFileSync(join(path, 'log/crossgate.log'), '{"text":"a line"}\n');
    const config = readFileSync(join(DEPLOY, 'logrotate/crossgate'), 'utf8')
      .replace('/var/log/crossgate', join(path, 'log'))
      .replace(/ su crossgate crossgate\n/, '\n');
    writeFileSync(join(path, 'config'), config, { mode: 0o644 });
    const { stderr } = await run('logrotate', [
      '--force',
      '--verbose',
      '-s',
      join(path, 'status'),
      join(path, 'config'),
    ]);
    expect(stderr).toContain('truncating');
    expect(readFileSync(join(path, 'log/crossgate.log'), 'utf8')).toBe('');
  });
});

describeWith(await tool('docker-compose', ['version'], 'docker-compose'), 'compose.yaml', () => {
  test('is taken by compose, and publishes to this machine only', async () => {
    const { stdout } = await run('docker-compose', [
      '-f',
      join(DEPLOY, 'compose.yaml'),
      '--profile',
      'grafana',
      'config',
    ]);
    const { services } = parse(stdout) as { services: Record<string, { ports?: (string | { host_ip?: string })[] }> };
    expect(Object.keys(services).toSorted()).toEqual(['alertmanager', 'gateway', 'grafana', 'postgres', 'prometheus']);
    const ports = Object.values(services).flatMap(({ ports: published = [] }) => published);
    expect(ports).toHaveLength(5);
    for (const port of ports) expect(JSON.stringify(port)).toContain('127.0.0.1');
  });
});

test('the gateway takes the configuration of compose.yaml without a problem', () => {
  const path = folder();
  cpSync(join(ROOT, 'sessions'), join(path, 'sessions'), { recursive: true });
  cpSync(join(DEPLOY, 'compose/gateway.yaml'), join(path, 'sessions/gateway.yaml'));
  const compose = parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'));
  const { environment } = compose.services.gateway as { environment: Record<string, string> };
  const { problems, config } = loadConfiguration({ directory: 'sessions', environment, workingDirectory: path });
  expect(problems).toEqual([]);
  expect(config?.postgres?.standsBy).toBe(true);
});
