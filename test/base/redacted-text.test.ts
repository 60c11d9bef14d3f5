// Text hidden by its shape, text that stays readable, and bounded time for any text.

import { describe, expect, test } from 'vitest';
import { redactedText } from '../../src/base/redacted-text.ts';

describe('X5 a secret is hidden in', () => {
  test.each([
    '35=A^A554=hunter2^A10=000',
    '35=A<SOH>554=hunter2<SOH>10=000',
    '35=A\\u0001554=hunter2\\u000110=000',
    '35=A\\x01554=hunter2\\x01',
    '35=A;554=hunter2;10=1',
    '35=A|554=hun|hunter2|10=1|',
    '58=the Logon was refused (554=hunter2)',
    '354=20\u0001355=35=A\u0001925=hunter2\u0001',
    '1402=hunter2',
    'a|96=hunter2|10=',
    '0554=hunter2',
    'Password(554)=hunter2',
    'EncryptedPassword=hunter2',
    '{"554":"hunter2"}',
    '{"tag":554,"name":"Password","value":"hunter2"}',
    '{"tag":"925","value":"hunter2"}',
    "{'password':'hunter2'}",
    '{"password":12hunter2}',
    '{"body":"{\\"password\\":\\"hunter2\\"}"}',
    '{"api_key": "hunter2", "passphrase":"hunter2"}',
    'DB_PASSWORD=hunter2',
    'dbPassword=hunter2',
    'password="hunter2 hunter2"',
    "pwd='hunter2 hunter2'",
    'password="hunter2',
    'client_secret=hunter2&x=1',
    'https://h/p?x=1&access_token=hunter2',
    'https://user:hun/hunter2@host',
    '<newPassword>hunter2</newPassword>',
    '<user password="hunter2"/>',
    'Authorization: Token hunter2 hunter2',
    'Cookie: a=b; JWT_COOKIE=hunter2',
    'X-Api-Key: hunter2',
    '--password hunter2 --url x',
    '$scrypt$ln=15,r=8,p=1$hunter2$hunter2',
    'x eyJhbGciOiJIUzI1NiJ9.hunter2.hunter2 y',
    'x-eyJ-eyJhbGciOi.hunter2.',
    `eyJ${'a'.repeat(5000)}.hunter2.hunter2`,
  ])('%j', (text) => {
    const redacted = redactedText(text);
    expect(redacted).not.toContain('hunter2');
    expect(redacted).toContain('[redacted]');
  });
});

test.each([
  '35=D|1554=7|44=554|55=BTCUSDC|',
  'eyJ.a.b eyJabcdef.ghi eyJabcdef',
  '8=FIX.4.4|35=A|554=*******|10=1|',
  '44=60554=1',
  'BTC at 96=5',
  'http://127.0.0.1:8470/x',
  'Required tag missing: Password(554)',
  'secrets/admin.token',
  'file:secrets/OMS.password cannot be read',
  'env:OMS_PASSWORD is not set',
])('keeps harmless text readable: %s', (text) => {
  expect(redactedText(text)).toBe(text);
});

/** A text that is read again and again from each of its places takes thousands of times as long. */
const TIMES_MAX = 60;

/** The quickest of a few times, in ms: what else the machine does makes none of them shorter. */
function quickest(text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const begun = performance.now();
    redactedText(text);
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}

test('a text made to be hard to read takes no more than some times as long as a plain one of its length', () => {
  const units = [
    '://a:',
    '\\',
    '"',
    '-eyJaaaaa',
    'eyJ-',
    'eyJ.',
    'eyJaaaaa.',
    'password',
    'token  ',
    '<password ',
    '"password"',
    '{"tag":554',
    '554=',
  ];
  const textOf = (unit: string): string => `token ${unit.repeat(65_536 / unit.length)}`;
  /** Taken anew where it is too large: the machine may have been slower for all five times of one of the two. */
  const times = (unit: string, tries = 5): number => {
    const ratio = quickest(textOf(unit)) / quickest(textOf('a word, '));
    return ratio < TIMES_MAX || tries === 1 ? ratio : Math.min(ratio, times(unit, tries - 1));
  };
  for (const unit of units) expect(times(unit), unit).toBeLessThan(TIMES_MAX);
});
