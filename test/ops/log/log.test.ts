// The log: levels, formats, and that no secret gets through it.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import type { LogOptions } from '../../../src/ops/mod.ts';
import { createLog } from '../../../src/ops/whole-ops.ts';

const ROOT = join(import.meta.dirname, '../../..');

function capture(options: LogOptions = {}) {
  const lines: string[] = [];
  return { lines, log: createLog({ format: 'json', ...options, stream: { write: (line) => lines.push(line) } }) };
}

describe('the log', () => {
  test('writes one JSON object per line with level, time and text', () => {
    const { log, lines } = capture();
    log('warn', 'late', { session: 'FIX.4.4:A->B', number: 7n });
    expect(lines).toHaveLength(1);
    expect(lines[0]!.endsWith('\n')).toBe(true);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      text: 'late',
      session: 'FIX.4.4:A->B',
      number: '7',
    });
  });

  test('writes an alarm at the level of its severity, whatever level the engine gives', () => {
    const { log, lines } = capture();
    for (const alarm of ['journal-unhealthy', 'certificate-expires', 'outcome-open']) log('error', 'x', { alarm });
    const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(written.map(({ level, severity }) => [level, severity])).toEqual([
      ['error', 'critical'],
      ['warn', 'warning'],
      ['info', 'info'],
    ]);
  });

  test('keeps quiet below its level', () => {
    const { log, lines } = capture({ level: 'warn' });
    log('debug', 'a');
    log('info', 'b');
    log('warn', 'c');
    log('error', 'd');
    expect(lines).toHaveLength(2);
  });

  test('refuses a level or format that it does not know', () => {
    expect(() => createLog({ level: 'loud' })).toThrow(expect.objectContaining({ code: 'XG_USAGE' }));
    expect(() => createLog({ format: 'xml' as 'json' })).toThrow(expect.objectContaining({ code: 'XG_USAGE' }));
  });

  test('on a terminal writes aligned text that cannot steer the terminal', () => {
    const { log, lines } = capture({ format: 'pretty' });
    log('info', 'from the peer: \u001b[2J8=FIX.4.4\u000135=0\u0001', { session: 'A->B', reason: 'no such key' });
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}from the peer: \?\[2J8=FIX\.4\.4\|35=0\| {2}session=A->B {2}reason="no such key"\n$/,
    );
  });

  test('JSON lines contain no terminal control or hidden text, and lose nothing', () => {
    const { log, lines } = capture();
    const text = 'Text(58)=\u009b31m\u009d0;x\u0007 \u202etxet\u2066 \u200b\ufeff\u2028 \u{e0041} ä→😀\u007f';
    log('warn', text, { 'key\u009b': text });
    expect(lines[0]).toMatch(/^[\x20-\x7eä→😀]+\n$/u);
    expect(JSON.parse(lines[0]!)).toMatchObject({ text, 'key\u009b': text });
  });

  test.each(['json', 'pretty'])('J2 on a full disk loses lines, and ends nothing (%s)', (format) => {
    const full = openSync('/dev/full', 'w');
    const script = `import { createLog } from './src/ops/log/log.ts';
      const log = createLog({ format: '${format}' });
      log('info', 'lost');
      setTimeout(() => { log('info', 'lost too'); console.log('alive'); }, 20);`;
    const stdio = ['ignore', 'pipe', full] as const;
    const args = ['--input-type=module', '-e', script];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: [...stdio], encoding: 'utf8' });
    closeSync(full);
    expect([status, stdout]).toEqual([0, 'alive\n']);
  });

  test('J2 where neither stream takes anything, as on a full disk, that ends nothing, and is no bug', () => {
    const full = openSync('/dev/full', 'w');
    const script = `import { writeSync } from 'node:fs';
      import { endOnBug, runToExit } from './src/cli/output/exit.ts';
      endOnBug(() => writeSync(3, 'a bug'), () => null);
      await runToExit(async () => {
        console.log('lost');
        process.stderr.write('lost too');
        setTimeout(() => writeSync(3, 'alive'), 20);
      });`;
    const stdio = ['ignore', full, full, 'pipe'] as const;
    const args = ['--input-type=module', '-e', script];
    const { output } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: [...stdio], encoding: 'utf8' });
    closeSync(full);
    expect(output[3]).toBe('alive');
  });

  test('`auto` is pretty on a terminal and JSON elsewhere', () => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    createLog({ stream: { write, isTTY: true } })('info', 'x');
    createLog({ stream: { write } })('info', 'x');
    expect(lines[0]).toMatch(/INFO {2}x\n$/);
    expect(lines[1]).toMatch(/^\{/);
  });

  test('a field cannot hide the keys of the line itself', () => {
    const { log, lines } = capture();
    log('info', 'said', { text: 'other', level: 9 });
    expect(JSON.parse(lines[0]!)).toMatchObject({ text: 'said', level: 'info', text_: 'other', level_: 9 });
  });

  test('survives circular, deep, large and odd fields', () => {
    const { log, lines } = capture();
    const circular: Record<string, unknown> = { name: 'c' };
    for (let index = 0; index < 50; index++) circular[`self${index}`] = circular;
    log('error', 'x'.repeat(100_000), {
      error: new Error('outer', { cause: new Error('inner') }),
      bytes: new Uint8Array(3),
      many: Array.from({ length: 1000 }, (_, index) => index),
      map: new Map([['a', 1]]),
      nothing: undefined,
      odd: Symbol('s'),
      circular,
    });
    expect(lines[0]!.length).toBeLessThan(100_000);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      error: { message: 'outer', cause: { message: 'inner' } },
      bytes: '(3 bytes)',
      map: { a: 1 },
    });
  });
});

describe('X5 no secret gets through', () => {
  test.each([
    ['Password(554) in a message', 'in 8=FIX.4.4\u000135=A\u0001554=hunter2\u000110=000\u0001'],
    ['NewPassword(925), SOH shown as |', '35=A|554=hunter2|925=hunter2|10=000|'],
    ['an address with a password', 'postgresql://crossgate:hunter2@db:5432/x cannot be reached'],
    ['an address with a password that is not encoded', 'https://user:hunter2:hunter2@x@host'],
    ['a private key', '-----BEGIN EC PRIVATE KEY-----\nhunter2\n-----END EC PRIVATE KEY-----'],
    ['an unfinished private key', '-----BEGIN PRIVATE KEY-----\nhunter2'],
    ['a JWT', 'token eyJhbGciOi.hunter2.hunter2'],
    ['an Authorization header', 'Authorization: Bearer hunter2'],
    ['a cookie', 'cookie=hunter2; path=/'],
    ['a JSON body', '{"publicKey":"p","secret":"hunter2","password": "hun\\"ter2 hunter2"}'],
    ['an assignment', 'password: hunter2'],
  ])('%s in a text, a field, an error', (_, secret) => {
    const { log, lines } = capture();
    log('info', secret, { note: secret, list: [{ note: secret }], error: new Error(secret) });
    expect(lines[0]).not.toMatch(/hunter2|ter2/);
    expect(lines[0]).toContain('[redacted]');
  });

  test.each([
    'password',
    'newPassword',
    'secret',
    'clientSecret',
    'privateKey',
    'private_key',
    'apiKey',
    'jwtToken',
    'Authorization',
    'Set-Cookie',
    'signature',
  ])('the value of a key named %s, at any depth', (key) => {
    const { log, lines } = capture();
    log('info', 'x', { [key]: 'hunter2', a: [{ b: { [key]: { c: 'hunter2' } } }] });
    expect(lines[0]).not.toContain('hunter2');
  });

  test('keeps harmless text readable', () => {
    const { log, lines } = capture();
    log('info', '35=D|1554=7|44=554|55=BTCUSDC|', { passed: 3, credential: 'primary', price: '554.1' });
    expect(JSON.parse(lines[0]!)).toMatchObject({
      text: '35=D|1554=7|44=554|55=BTCUSDC|',
      passed: 3,
      credential: 'primary',
      price: '554.1',
    });
  });
});
