// `crossgate conform` as a process: every case of the session suite against our acceptor in three versions, the files it writes,
// exit codes, and faults of a scenario.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FixEngine, startAcceptor, startInitiator } from '../../../src/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

let folder = '';
let engine: FixEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossgate-conform-'));
  const common = { senderCompID: 'XGATE', heartBtIntMinS: 1, logoutTimeoutMs: 500 };
  engine = await startAcceptor({
    port: 0,
    sessions: [
      { ...common, targetCompID: 'OMS42', beginString: 'FIX.4.2' },
      { ...common, targetCompID: 'OMS44', beginString: 'FIX.4.4' },
      { ...common, targetCompID: 'OMS50', beginString: 'FIXT.1.1' },
      { ...common, targetCompID: 'OMS', beginString: 'FIX.4.4' },
    ],
    limits: { failedLogonsPerMinute: 1_000_000 },
    application: { onMessage: (message, session) => session.reject(message, 'not here', '3') },
  });
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

async function conform(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, 'conform', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

const target = (compID = 'OMS'): string[] => [
  '--target',
  `127.0.0.1:${engine.port}`,
  '--sender-comp-id',
  compID,
  '--target-comp-id',
  'XGATE',
];

async function suite(name: string, content: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

describe.concurrent('the session suite against our acceptor', () => {
  test.each([
    ['FIX.4.2', 'OMS42'],
    ['FIX.4.4', 'OMS44'],
    ['FIX.5.0SP2', 'OMS50'],
  ])(
    'passes whole in %s',
    async (version, compID) => {
      const { code, out } = await conform(
        ...['--suite', 'session', '--fix-version', version, '--set', 'shortHeartBtInt=1', ...target(compID)],
      );
      expect(out.split('\n').filter((line) => !line.startsWith('✓'))).toEqual(['46 cases: 46 passed, 0 failed', '']);
      expect(code).toBe(0);
    },
    60_000,
  );
});

test('a failed case gives its step, rule, hint and fields, in text, JSON and JUnit', async () => {
  const file = await suite(
    'own.scenario',
    'include "session-fragments.scenario"\ncase own-1 "answers wrongly"\n  rule "RoE 4.2"\n  call logon\n' +
      '  send TestRequest | TestReqID=a\n  expect Heartbeat | TestReqID=b\n  hint "Repeat TestReqID(112)"\ncase own-2\n  call logon\n  call logout\n' +
      'case own-3\n  optional\n  call logon\n  expect within 100ms News\ncase own-4\n  versions FIX.4.2\n  call logon\n',
  );
  const files = ['--json', join(folder, 'r.json'), '--junit', join(folder, 'r.xml')];
  const { code, out } = await conform('--suite', file, ...files, ...target());
  expect(code).toBe(1);
  expect(out).toContain(`    ${file}:6: expect Heartbeat | TestReqID=b`);
  expect(out).toContain('    rule: RoE 4.2\n    hint: Repeat TestReqID(112)\n');
  expect(out).toMatch(/≠ TestReqID\(112\) +b +a\n/);
  expect(out).toContain('– own-4: does not apply to this version');
  expect(out).toContain('4 cases: 1 passed, 1 failed, 1 optional failed, 1 not run');
  const json = JSON.parse(await readFile(join(folder, 'r.json'), 'utf8'));
  expect(json).toMatchObject({ passed: 1, failed: 1, optionalFailed: 1, notRun: 1, version: 'FIX.4.4' });
  expect(json.cases.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome])).toEqual([
    ['own-1', 'failed'],
    ['own-2', 'passed'],
    ['own-3', 'notSeen'],
    ['own-4', 'notApplicable'],
  ]);
  const step = json.cases[0].steps.at(-1);
  expect(step).toMatchObject({ outcome: 'failed', rule: 'RoE 4.2', hint: 'Repeat TestReqID(112)', line: 6 });
  expect(step.fields).toContainEqual({
    tag: 112,
    label: 'TestReqID(112)',
    expected: 'b',
    received: 'a',
    differs: true,
  });
  expect(json.cases[0].messages.map(({ direction }: { direction: string }) => direction)).toEqual([
    'sent',
    'received',
    'sent',
    'received',
  ]);
  const xml = await readFile(join(folder, 'r.xml'), 'utf8');
  expect(xml).toContain('tests="3" failures="2" errors="0"');
  expect(xml).toContain('<testcase classname="own" name="own-1 answers wrongly">');
});

test('a password is masked wherever a message is shown', async () => {
  const file = await suite(
    'secret.scenario',
    'case a\n  connect\n  send Logon | MsgSeqNum=1 | Password={password}\n  expect News\n',
  );
  process.env.CONFORM_TEST_PASSWORD = 'hush-hush';
  const { out } = await conform('--suite', file, '--json', '-', '--password', 'env:CONFORM_TEST_PASSWORD', ...target());
  expect(out).toContain('554=*********');
  expect(out).not.toContain('hush-hush');
});

test('faults of a scenario are all reported with their places, and nothing is run', async () => {
  const file = await suite('bad.scenario', 'case a\n  conect\n  send Heartbeat | TestReqId=a\n');
  const { code, err } = await conform('--suite', file, ...target());
  expect(code).toBe(2);
  expect(err).toContain(`${file}:2:3: “conect” is no step. Did you mean connect?`);
  expect(err).toContain(`${file}:3:20: “TestReqId” is no field. Did you mean TestReqID?`);
});

test.each([
  [['--target', '127.0.0.1:1'], 'say which cases: --suite'],
  [['--suite', 'session'], 'say with whom: --target HOST:PORT, or --listen PORT'],
  [['--suite', 'session', '--target', '127.0.0.1:1'], '--sender-comp-id and --target-comp-id'],
  [['--suite', 'nowhere'], '--suite nowhere: there is no such file'],
  [['--suite', 'session', '--fix-version', 'FIX.9'], '--fix-version FIX.9: write one of FIX.4.0'],
  [['--suite', 'session', '--case', 'x', '--list'], '--case x: no suite has it'],
])('wrong usage is refused: %j', async (args, fault) => {
  const { code, err } = await conform(...args);
  expect([code, err.includes(fault)]).toEqual([2, true]);
});

test('without a connection the run ends at its first case with exit code 3', async () => {
  const { code, err } = await conform(
    ...['--suite', 'session', '--target', '127.0.0.1:1', '--sender-comp-id', 'A', '--target-comp-id', 'B'],
  );
  expect(code).toBe(3);
  expect(err).toContain('the run ended for want of a connection');
});

test('--list names the cases of a suite, and --without leaves some out', async () => {
  const { code, out } = await conform('--suite', 'session', '--list', '--without', 'slow');
  expect(code).toBe(0);
  expect(out).toContain('session 4-b: answers a TestRequest with a Heartbeat that repeats its TestReqID (mandatory;');
  expect(out).not.toContain('session 4-a:');
});

test('an initiator of ours passes as it connects to us, over TLS', async () => {
  const { keyPem, certificatePem } = await createSelfSignedCertificate({ commonName: 'localhost' });
  const [key, cert] = [await suite('key.pem', keyPem), await suite('cert.pem', certificatePem)];
  const command = new LineProcess(process.execPath, [
    ...[MAIN, 'conform', '--suite', 'session', '--listen', '0', '--tls', '--key', key, '--cert', cert],
    ...['--sender-comp-id', 'GATE', '--target-comp-id', 'CLIENT', '--without', 'slow', '--timeout', '5000'],
  ]);
  const port = Number(/:(\d+)$/.exec(await command.line(/^listening on /))![1]);
  const initiator = await startInitiator({
    addresses: [{ host: '127.0.0.1', port }],
    tls: { authority: certificatePem },
    reconnectFirstMs: 50,
    reconnectLargestMs: 100,
    sessions: [{ senderCompID: 'CLIENT', targetCompID: 'GATE', resetOn: ['logon'], logoutTimeoutMs: 500 }],
    application: { onMessage: (message, session) => session.reject(message, 'not here', '3') },
  });
  try {
    expect(await command.line(/cases: /)).toMatch(/ 0 failed/);
  } finally {
    await initiator.close();
    await command.kill();
  }
});
