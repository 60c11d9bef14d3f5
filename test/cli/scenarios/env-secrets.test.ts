// A gateway with secrets from its environment: they are read, and then neither the process nor a child has them.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { GATEWAY, sessionFile } from '../../ops/running-gateway.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PASSWORD = 'a-password-from-the-environment';
/** Says on a signal what this process, and a child of it, have of the variable. */
const WITNESS = `import { execFileSync } from 'node:child_process';
process.on('SIGUSR2', () => {
  const child = execFileSync(process.execPath, ['-p', 'String(process.env.OMS_PASSWORD)'], { encoding: 'utf8' });
  console.log('own ' + process.env.OMS_PASSWORD + ', of a child ' + child.trim() + ', other ' + process.env.OTHER);
});`;

test('a secret of env: is out of the environment once it was read, and the session still logs on with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, 'sessions'), join(folder, 'sessions'), { recursive: true });
  execFileSync('find', [join(folder, 'sessions'), '-name', '*.yaml', '-delete']);
  writeFileSync(join(folder, 'sessions/gateway.yaml'), GATEWAY);
  const session = sessionFile('OMS').replace('file:secrets/oms.password', 'env:OMS_PASSWORD');
  writeFileSync(join(folder, 'sessions/OMS.yaml'), session);
  writeFileSync(join(folder, 'witness.mjs'), WITNESS);
  const main = join(ROOT, 'src/cli/crossgate.js');
  const args = ['--import', join(folder, 'witness.mjs'), main, 'start'];
  const env = { ...process.env, OMS_PASSWORD: PASSWORD, OTHER: 'stays' };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const sees = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (said.includes(text)) resolve();
      };
      child.stdout.on('data', look);
      child.once('exit', () => reject(new Error(`the gateway ended before it said "${text}": ${said}`)));
      look();
    });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await sees('password env:OMS_PASSWORD');
  child.kill('SIGUSR2');
  await sees('own undefined, of a child undefined, other stays');
  expect(said).not.toContain(PASSWORD);
});
