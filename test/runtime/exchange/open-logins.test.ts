// Which exchange logins are open, in a file: what the next process reads of it, and what a disk that takes nothing costs.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OpenLoginFiles } from '../../../src/runtime/exchange/open-logins.ts';

const EXCHANGE = 'https://exchange.example';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'crossgate-logins-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('the tokens are there for the next process at the same exchange, for the owner of the file alone', async () => {
  const path = folder();
  const file = (exchange = EXCHANGE) => new OpenLoginFiles(path, () => {}).of('primary', exchange);
  expect(await file().read()).toEqual([]);
  const first = file();
  void first.write(['a', 'b']);
  await first.write(['b', 'c']);
  expect(await file().read()).toEqual(['b', 'c']);
  expect(statSync(join(path, 'exchange-login.primary.json')).mode & 0o777).toBe(0o600);
  expect(await file('https://another.example').read()).toEqual([]);
});

test.each(['', '{', 'null', '[]', '{"exchange":"https://exchange.example","tokens":{"a":1}}'])(
  'a file that holds %j has no tokens, and ends nothing',
  async (text) => {
    const path = folder();
    writeFileSync(join(path, 'exchange-login.primary.json'), text);
    expect(await new OpenLoginFiles(path, () => {}).of('primary', EXCHANGE).read()).toEqual([]);
  },
);

test('text that fits no header is no token', async () => {
  const path = folder();
  const tokens = ['a\r\nb: c', 7, '', 'good', null];
  writeFileSync(join(path, 'exchange-login.primary.json'), JSON.stringify({ exchange: EXCHANGE, tokens }));
  expect(await new OpenLoginFiles(path, () => {}).of('primary', EXCHANGE).read()).toEqual(['good']);
});

test('reports once that it cannot be written', async () => {
  const logged: string[] = [];
  const files = new OpenLoginFiles(join(folder(), 'nowhere'), (level, text) => logged.push(`${level} ${text}`));
  const file = files.of('primary', EXCHANGE);
  await file.write(['a']);
  await file.write([]);
  expect(logged).toEqual(['warn which exchange logins are open cannot be kept for the next start']);
});

test('a gateway that was stopped has none open', async () => {
  const { runningGateway } = await import('../../ops/running-gateway.ts');
  const { engine, stateDirectory } = await runningGateway();
  const kept = (): { tokens: string[] } =>
    JSON.parse(readFileSync(join(stateDirectory, 'exchange-login.primary.json'), 'utf8')) as { tokens: string[] };
  expect(kept().tokens).toHaveLength(1);
  await engine.close();
  expect(kept().tokens).toEqual([]);
});
