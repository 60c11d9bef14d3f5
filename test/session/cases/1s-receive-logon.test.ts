// Session test case 1S: an acceptor receives Logon(A).

import { test } from 'vitest';
import { runScenario } from '../../support/session-machine.ts';

test('1S-a valid Logon is answered with Logon', () => {
  runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    numbers 2 2
  `);
});
