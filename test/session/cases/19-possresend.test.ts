// Session test case 19: PossResend(97)=Y. A new message to the session; whether its content is known is the
// application's matter (rule D14).

import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion('19-a, b: a PossResend message is counted and delivered like any other', (runScenario) => {
  runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|97=Y|11=a|
    delivered 35=D|34=2|97=Y|
    > 35=D|34=3|97=Y|11=a|
    delivered 35=D|34=3|97=Y|
    numbers 2 4
  `);
});
