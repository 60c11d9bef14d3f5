// Completion scripts in the shells themselves: commands, options and values at each place of a line.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tableOf } from '../../../src/cli/reference/command-table.ts';
import { completionScript } from '../../../src/cli/reference/completion.ts';
import { commandLine } from '../../support/documents/command-line.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const program = tableOf(await commandLine());
const folder = mkdtempSync(join(tmpdir(), 'crossgate-completion-'));

/** A stand-in for the command that the scripts ask. */
writeFileSync(
  join(folder, 'crossgate'),
  `#!/bin/sh\n[ "$2" = sessions ] && printf 'ACME_OMS\\nNORTH_OMS\\n' || echo 111000000000001\n`,
  { mode: 0o755 },
);
const WITH_NAMES = { ...process.env, PATH: `${folder}:${process.env.PATH}` };

function scriptFor(shell: 'bash' | 'zsh' | 'fish'): string {
  const path = join(folder, `crossgate.${shell}`);
  writeFileSync(path, completionScript(program, shell));
  return path;
}

/** Words that complete the last of these. */
function inBash(...words: string[]): string[] {
  const line = ['crossgate', ...words];
  const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _crossgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const options = { encoding: 'utf8', cwd: folder, env: WITH_NAMES } as const;
  return execFileSync('bash', ['-c', script, scriptFor('bash'), ...line], options)
    .split('\n')
    .filter(Boolean);
}

/** The same, with stand-ins for the functions that zsh has only while a user types. */
function inZsh(...words: string[]): string {
  const stubs = `compdef() { }; _files() { print FILES }; compadd() { print -l -- "$@" }
    _describe() { local name="\${@[-1]}"; print -l -- "\${(P@)name}" }`;
  const script = `${stubs}; source "$1"; words=("\${@[2,-1]}"); CURRENT=\${#words}; _crossgate`;
  const args = ['-f', '-c', script, 'zsh', scriptFor('zsh'), 'crossgate', ...words];
  return execFileSync('zsh', args, { encoding: 'utf8', cwd: folder, env: WITH_NAMES });
}

function inFish(line: string): string[] {
  const script = 'source $argv[1]; complete -C $argv[2]';
  const options = { encoding: 'utf8', cwd: folder, env: { ...WITH_NAMES, HOME: folder } } as const;
  const text = execFileSync('fish', ['--no-config', '-c', script, scriptFor('fish'), line], options);
  return text.split('\n').filter(Boolean);
}

describeWith(await tool('bash', ['--version'], 'bash'), 'bash', () => {
  test('completes commands, commands in a group and options', () => {
    expect(inBash('se')).toEqual(['sessions']);
    expect(inBash('alarms', '')).toEqual(expect.arrayContaining(['list', 'acknowledge', 'silence']));
    expect(inBash('alarms', 'list', '--w')).toEqual(['--watch']);
    expect(inBash('orders', 'find', '--cl')).toEqual(['--client-certificate', '--client-key', '--cl-ord-id']);
  });

  test('completes values from a list and files, and nothing where the value is free', () => {
    expect(inBash('completion', '')).toEqual(['bash', 'zsh', 'fish', 'sessions', 'accounts', '--help']);
    expect(inBash('sessions', 'list', '--state', 'cross')).toContain('crossgate.bash');
    expect(inBash('decode', 'cross')).toContain('crossgate.bash');
    expect(inBash('alarms', 'silence', '--minutes', '')).toEqual([]);
  });

  test('completes sessions and accounts by the names that the command says', () => {
    expect(inBash('sessions', 'show', 'NORTH')).toEqual(['NORTH_OMS']);
    expect(inBash('orders', 'find', '--session', '')).toEqual(['ACME_OMS', 'NORTH_OMS']);
    expect(inBash('kill-switch', 'throw', '--account', '11')).toEqual(['111000000000001']);
    expect(inBash('sessions', 'show', '--mes')).toEqual(['--messages']);
    expect(inBash('sessions', 'new', 'N')).toEqual([]);
  });
});

describeWith(await tool('zsh', ['--version'], 'zsh'), 'zsh', () => {
  test('completes commands and options with their descriptions, and files', () => {
    expect(inZsh('alarms', '')).toContain('acknowledge:send no more of an open alarm unless it escalates\n');
    expect(inZsh('status', '')).toMatch(/^--watch:show it again every/m);
    expect(inZsh('status', '--state', '')).toBe('FILES\n');
    expect(inZsh('alarms', 'silence', '--minutes', '')).toBe('');
    expect(inZsh('orders', 'find', '--session', '')).toBe('--\nACME_OMS\nNORTH_OMS\n');
  });
});

describeWith(await tool('fish', ['--version'], 'fish'), 'fish', () => {
  test('completes commands and options with their descriptions, and files', () => {
    expect(inFish('crossgate alarms ack')).toEqual(['acknowledge\tsend no more of an open alarm unless it escalates']);
    expect(inFish('crossgate orders find --cl-o')).toEqual(['--cl-ord-id\tany ClOrdID(11) of its chain']);
    expect(inFish('crossgate status --state cross').map((line) => line.split('\t')[0])).toContain('crossgate.fish');
    expect(inFish('crossgate alarms silence --minutes ')).toEqual([]);
    expect(inFish('crossgate orders find --session N')).toEqual(['NORTH_OMS\tonly of this session']);
  });
});
