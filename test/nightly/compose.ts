// deploy/compose.yaml, up from nothing: the images are made, the gateway is ready on PostgreSQL, Prometheus reads it, an
// alert reaches Alertmanager, and a stop is orderly: `npm run nightly -- compose`.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEPLOY, eventually } from '../deploy/monitoring.ts';
import { freePort } from '../support/network/free-port.ts';

const execute = promisify(execFile);

/** Whether all of it came up and went down. */
export async function run(): Promise<boolean> {
  const names = ['FIX_PORT', 'ADMIN_PORT', 'PROMETHEUS_PORT', 'ALERTMANAGER_PORT'] as const;
  const ports: Record<string, string> = {};
  for (const name of names) ports[name] = `${await freePort()}`;
  const compose = async (...args: readonly string[]): Promise<string> => {
    const files = ['-p', 'crossgate-nightly', '-f', join(DEPLOY, 'compose.yaml')];
    const env = { ...process.env, ...ports };
    const { stdout, stderr } = await execute('docker-compose', [...files, ...args], { env, maxBuffer: 64_000_000 });
    return `${stdout}${stderr}`;
  };
  const at = (name: (typeof names)[number], path: string): string => `http://127.0.0.1:${ports[name]}${path}`;
  const answer = async (url: string): Promise<string> => (await fetch(url).catch(() => null))?.text() ?? '';
  try {
    console.log('making the images and starting them');
    await compose('up', '--build', '-d');
    await eventually(
      'a ready gateway',
      async () => (await answer(at('ADMIN_PORT', '/readyz'))).includes('"ready"'),
      120_000,
    );
    console.log('the gateway is ready');
    const ready = at('PROMETHEUS_PORT', '/api/v1/query?query=crossgate_ready');
    await eventually('its metrics in Prometheus', async () => (await answer(ready)).includes('"1"]'), 60_000);
    console.log('Prometheus reads its metrics');
    const alerts = at('ALERTMANAGER_PORT', '/api/v2/alerts');
    await eventually('an alert', async () => (await answer(alerts)).includes('CrossgateSessionDown'), 180_000);
    console.log('Alertmanager has the alert of a session that is down');
    await compose('stop', 'gateway');
    const log = await compose('logs', '--no-color', 'gateway');
    console.log(log.trimEnd().split('\n').at(-1));
    return log.includes('"text":"stopped"');
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error((await compose('logs', '--no-color', '--tail', '30').catch(() => '')).slice(-6_000));
    return false;
  } finally {
    await compose('down', '-v').catch(() => {});
  }
}
