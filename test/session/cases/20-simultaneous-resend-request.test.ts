// Session test case 20: both sides ask for a resend at the same time.

import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion(
  '20 a ResendRequest that comes while ours is open is answered at once; ours is not repeated',
  (runScenario) => {
    runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    > 35=D|34=4|11=c|
    < 35=2|34=3|7=2|16=3|
    > 35=2|34=5|7=2|16=0|
    < 35=8|34=2|43=Y|122={0}|17=e1|
    < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
    > 35=D|34=2|43=Y|122={0}|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|43=Y|122={0}|11=b|
    delivered 35=D|34=3|
    delivered 35=D|34=4|
    numbers 4 6
  `);
  },
);
