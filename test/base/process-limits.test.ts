import { expect, test } from 'vitest';
import { RAISE_OPEN_FILES, raiseLimit, withRemedy } from '../../src/base/process-limits.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

test('an error of a process limit names the way to raise it; others stay as they are', () => {
  expect(withRemedy('too many', systemError('EMFILE'))).toBe(`too many; ${RAISE_OPEN_FILES}`);
  expect(withRemedy(`too many; ${RAISE_OPEN_FILES}`, systemError('EMFILE'))).toBe(`too many; ${RAISE_OPEN_FILES}`);
  expect(withRemedy('too large', systemError('EFBIG'))).toMatch(/^too large; raise .*`LimitFSIZE=`.*`ulimit -f`$/);
  expect(withRemedy('too many', systemError('ENFILE'))).toContain('fs.file-max');
  expect(withRemedy('no room', systemError('ENOSPC'))).toBe('no room');
  for (const none of [null, undefined, 'a word', new Error('of ours')]) expect(raiseLimit(none)).toBeNull();
});
