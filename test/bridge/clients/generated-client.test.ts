// A TypeScript client that @hey-api/openapi-ts makes from the bridge's OpenAPI document: it compiles under strict settings, and
// its calls work on a running bridge.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createClient } from '@hey-api/openapi-ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, type Desk, FULL_TOKEN, startDesk } from '../desk.ts';

const root = join(import.meta.dirname, '../../..');
let desk: Desk;
let folder: string;

beforeAll(async () => {
  desk = await startDesk();
  // Below the project, so that the compiler finds the types of Node.js.
  folder = mkdtempSync(join(root, 'node_modules/.cache/bridge-client-'));
  const document = await (await fetch(`${desk.bridge.url}/openapi.json`)).json();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  await createClient({
    input: join(folder, 'openapi.json'),
    output: { path: join(folder, 'client') },
    logs: { level: 'silent' },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  });
});
afterAll(async () => {
  await desk.close();
  rmSync(folder, { recursive: true, force: true });
});

const PROGRAM = `import { client } from './client/client.gen';
import { getAssetAccounts, getTime, sendCommand } from './client/sdk.gen';

client.setConfig({ baseUrl: BASE_URL, auth: () => TOKEN });
declare const BASE_URL: string;
declare const TOKEN: string;
declare const ACCOUNT: string;

export async function balances(): Promise<string[]> {
  const { data } = await getAssetAccounts({ query: { tradingAccountId: ACCOUNT }, throwOnError: true });
  return data.map(({ assetSymbol, availableQuantity }) => assetSymbol + ' ' + availableQuantity);
}

export async function time(): Promise<number> {
  return (await getTime({ throwOnError: true })).data.timestamp;
}

export async function cancelAll(): Promise<string | undefined> {
  const { error } = await sendCommand({ body: { commandType: 'V1CancelAllOrders', tradingAccountId: ACCOUNT } });
  return error === undefined ? undefined : error.detail;
}
`;

test('the generated client compiles under strict settings, with a program that uses it', () => {
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const settings = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'];
  const run = () =>
    execFileSync(
      process.execPath,
      [compiler, '--ignoreConfig', ...settings, '--moduleResolution', 'bundler', join(folder, 'program.ts')],
      { encoding: 'utf8' },
    );
  try {
    expect(run()).toBe('');
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout ?? String(error));
  }
});

test('the generated client reads and cancels on a running bridge, and has problems as typed errors', async () => {
  const { client } = await import(join(folder, 'client/client.gen.ts'));
  const sdk = await import(join(folder, 'client/sdk.gen.ts'));
  client.setConfig({ baseUrl: desk.bridge.url, auth: () => FULL_TOKEN });
  const { data } = await sdk.getAssetAccounts({ query: { tradingAccountId: ACCOUNT } });
  expect(data).toContainEqual(expect.objectContaining({ assetSymbol: 'BTC', tradingAccountId: ACCOUNT }));
  const body = { commandType: 'V1CancelAllOrders', tradingAccountId: ACCOUNT };
  expect((await sdk.sendCommand({ body })).data).toMatchObject({ message: 'Command acknowledged - CancelAllOrders' });
  const { error } = await sdk.sendCommand({ body: { ...body, tradingAccountId: '999' } });
  expect(error).toMatchObject({ code: 'account-forbidden' });
});
