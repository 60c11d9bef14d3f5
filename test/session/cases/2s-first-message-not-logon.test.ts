// Session test case 2S: the first message to an acceptor is something other than Logon(A).

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

for (const message of ['35=0|34=1|', '35=D|34=1|11=o-1|', '35=5|34=1|', '35=2|34=1|7=1|16=0|']) {
  testInEveryVersion(`2S ${message} before Logon: disconnect without sending a message`, (runScenario) => {
    const { events } = runScenario(`
      connect
      > ${message}
      closed
      numbers 1 1
    `);
    expect(events).toEqual([]);
  });
}
