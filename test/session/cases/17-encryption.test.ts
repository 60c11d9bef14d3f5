// Session test case 17, encryption (98 other than 0), does not apply: FIX's own encryption was withdrawn in favour of
// TLS. The rest is that a Logon asking for it is refused.

import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion(
  '17 an acceptor whose Logon has no EncryptMethod, as some venues have it, is taken',
  (runScenario) => {
    runScenario(
      `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|108=30|
    up
  `,
      { config: { role: 'initiator' } },
    );
  },
);

for (const encryptMethod of ['1', '2', '6', '']) {
  testInEveryVersion(`17 EncryptMethod "${encryptMethod}" is refused`, (runScenario) => {
    runScenario(`
      connect
      > 35=A|34=1|98=${encryptMethod}|108=30|
      < 35=5|34=1|58=EncryptMethod(98) must be 0|
      closed
    `);
  });
}
