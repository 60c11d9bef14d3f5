// The commands at a gateway of another version, which answers less than they look for.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../store/journal-place.ts';
import { LineProcess } from '../support/line-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const server = createServer((request, response) => {
  const sessions = [{ name: 'OMS', sessionId: 'FIX.4.4:GATE->OMS', status: { state: 'loggedOn' } }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.url === '/api/sessions' ? { sessions } : {}));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

test.each(['sessions list', 'sessions show OMS', 'orders find', 'kill-switch status', 'config apply'])(
  '%s says that the answer is not understood, not that the command is broken',
  async (command) => {
    const state = temporaryDirectory();
    mkdirSync(join(state, 'secrets'));
    writeFileSync(join(state, 'secrets', 'admin.token'), 'x'.repeat(43), { mode: 0o600 });
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(state, 'admin.json'), JSON.stringify({ url: `http://127.0.0.1:${port}` }));
    const args = ['src/cli/main.ts', ...command.split(' '), '--state', state];
    const child = new LineProcess(process.execPath, args, { cwd: ROOT });
    expect(await child.ended()).toBe(1);
    expect(child.lines.join('\n')).toMatch(/answer is not understood .* of another version.*\[XG_ADMIN_REFUSED\]$/);
  },
);
