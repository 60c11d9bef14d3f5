// The bridge keeps the promises of BusinessMessageReject(j).

import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/bridge/commands/commands.ts';
import { openApiDocument } from '../../src/bridge/description/openapi.ts';
import { ENDPOINTS } from '../../src/bridge/reads/endpoints.ts';
import { BRIDGE_CALLS } from '../../src/gateway/reports/unsupported-message.ts';

const promised = Object.entries(BRIDGE_CALLS).filter(([, text]) => text.includes('on the bridge'));

test.each(promised)('the call named in the answer to MsgType(35)=%s exists: %s', (_, text) => {
  const [, method, path] = /(GET|POST) (\/\S+)/.exec(text) ?? [];
  const paths = openApiDocument().paths as Record<string, Record<string, unknown>>;
  expect(Object.keys(paths[path!] ?? {})).toContain(method!.toLowerCase());
  const commandType = /\bV\d[A-Z]\w+/.exec(text)?.[0];
  if (commandType !== undefined) {
    expect(COMMANDS.filter((command) => command.path === path).map((command) => command.commandType)).toContain(
      commandType,
    );
  }
});

test('every call has a place of its own', () => {
  const calls = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(calls).size).toBe(calls.length);
  expect(promised.length).toBeGreaterThan(8);
});
