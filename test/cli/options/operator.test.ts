// The operator is known by name or by number: a container may run under a number without a name.

import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { addStoreCommands } from '../../../src/cli/journal/store.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  },
}));

test('a user without a name has every command and its help', () => {
  const program = new Command('crossgate');
  expect(() => addStoreCommands(program)).not.toThrow();
  const help = program.commands[0]?.commands.find((command) => command.name() === 'import')?.helpInformation();
  expect(help).toContain('who asks for it; default: the user that runs this');
});
