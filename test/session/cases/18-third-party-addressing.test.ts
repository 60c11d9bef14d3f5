// Session test case 18: messages on behalf of a third party. The session carries the addresses; echoing them is the
// application's matter (rule O9).

import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion(
  '18-a OnBehalfOfCompID and DeliverToCompID pass to the application, and back in the header',
  (runScenario) => {
    runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|115=FUND|116=DESK|11=a|
    delivered 35=D|115=FUND|116=DESK|
    app 35=8|128=FUND|129=DESK|17=e1|
    < 35=8|34=2|128=FUND|129=DESK|17=e1|
    > 35=2|34=3|7=2|16=2|
    < 35=8|34=2|128=FUND|129=DESK|43=Y|122={0}|17=e1|
  `);
  },
);

testInEveryVersion(
  '18-b addresses that the application does not know are its to reject: CompID problem, naming the field',
  (runScenario) => {
    runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|115=STRANGER|11=a|
    delivered 35=D|34=2|115=STRANGER|
    app 35=3|45=2|371=115|372=D|373=9|58=OnBehalfOfCompID(115)=STRANGER is not served here|
    < 35=3|34=2|45=2|371=115|372=D|373=9|58=OnBehalfOfCompID(115)=STRANGER is not served here|
    numbers 3 3
  `);
  },
  'FIX.4.2',
);
