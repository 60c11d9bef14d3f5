// Text of others, as a terminal may be shown it.

import { expect, test } from 'vitest';
import { terminalText } from '../../src/base/terminal-text.ts';

test('separates the fields of a message, and removes all other terminal control and hidden text', () => {
  expect(terminalText('35=D\u000111=a\u0001')).toBe('35=D|11=a|');
  expect(terminalText('a\u001b[2Jb\r\nc\u0085d\u007fe')).toBe('a?[2Jb  c?d?e');
  expect(terminalText('BUY\u202eLLES\u200bx\u2066y')).toBe('BUY?LLES?x?y');
  expect(terminalText('Grüße, 買い — ✓')).toBe('Grüße, 買い — ✓');
});
