// Session test case 3: the standard trailer of a received message.

import { test } from 'vitest';
import { runScenario } from '../../support/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

test('3-a CheckSum right: accepted', () => {
  runScenario(`${LOGON}
    > 35=0|34=2|
    numbers 2 3
  `);
});

test('3-b CheckSum wrong: ignored, the session goes on', () => {
  runScenario(`${LOGON}
    > 35=0|34=2|10=256|
    numbers 2 2
    > 35=0|34=2|
    numbers 2 3
  `);
});

test('3-c garbled bytes between messages are ignored', () => {
  runScenario(`${LOGON}
    >> 8=FIX.4.4|9=-5|35=0|34=2|
    > 35=0|34=2|
    numbers 2 3
  `);
});
