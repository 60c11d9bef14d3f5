// SubIDs and LocationIDs as part of a session's identity: sent, checked, and used to choose at Logon.

import { describe, expect, test } from 'vitest';
import { sessionIDOf, sessionIDsOf } from '../../src/session/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { testInEveryVersion } from '../support/session/every-version.ts';

const IDENTITY = {
  senderSubID: 'GW',
  senderLocationID: 'LD',
  targetSubID: 'DESK1',
  targetLocationID: 'NY',
};
const OTHERS = '50=DESK1|142=NY|57=GW|143=LD|';
const OURS = '50=GW|142=LD|57=DESK1|143=NY|';
const LOGON = `
  connect
  > 35=A|34=1|${OTHERS}98=0|108=30|
  < 35=A|34=1|${OURS}98=0|108=30|
  up
`;

testInEveryVersion(
  'SubIDs and LocationIDs of the identity are in every message that is sent, resent or filled',
  (run) => {
    run(
      `${LOGON}
      > 35=1|34=2|${OTHERS}112=a|
      < 35=0|34=2|${OURS}112=a|
      app 35=8|37=1|
      < 35=8|34=3|${OURS}37=1|
      > 35=2|34=3|${OTHERS}7=1|16=0|
      < 35=4|34=1|${OURS}43=Y|122={0}|123=Y|36=3|
      < 35=8|34=3|${OURS}43=Y|122={0}|37=1|
      `,
      { config: IDENTITY },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'D11 TargetSubID(57) of a report is what the application says, not the identity',
  (run) => {
    run(
      `${LOGON}
      app 35=8|57=TRADER7|37=1|
      < 35=8|34=2|50=GW|142=LD|57=TRADER7|143=NY|37=1|
      `,
      { config: IDENTITY },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an order may name its trader in SenderSubID(50); session messages and LocationIDs must fit',
  (run) => {
    run(
      `${LOGON}
      > 35=D|34=2|50=TRADER7|142=NY|57=ADMIN|143=LD|11=a|
      delivered 35=D|34=2|50=TRADER7|11=a|
      > 35=D|34=3|50=TRADER7|142=TK|57=ADMIN|143=LD|11=b|
      < 35=3|34=2|${OURS}45=3|371=142|372=D|373=9|58=CompID problem: SenderLocationID(142)|
      < 35=5|34=3|${OURS}58=CompID problem: SenderLocationID(142)|
      closed
      `,
      { config: IDENTITY },
    );
    run(
      `${LOGON}
      > 35=0|34=2|50=DESK2|142=NY|57=GW|143=LD|
      < 35=3|34=2|${OURS}45=2|371=50|372=0|373=9|58=CompID problem: SenderSubID(50)|
      < 35=5|34=3|${OURS}58=CompID problem: SenderSubID(50)|
      closed
      `,
      { config: IDENTITY },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an acceptor that does not give back the SubIDs and LocationIDs of an initiator is taken; one that gives others is not',
  (run) => {
    const config = { ...IDENTITY, role: 'initiator' } as const;
    run(
      `
      connect
      < 35=A|34=1|${OURS}98=0|108=30|
      > 35=A|34=1|98=0|108=30|
      up
      > 35=1|34=2|50=DESK1|112=a|
      < 35=0|34=2|${OURS}112=a|
      > 35=8|34=3|37=1|
      delivered 35=8|34=3|37=1|
      > 35=0|34=4|57=GW2|
      < 35=3|34=3|${OURS}45=4|371=57|372=0|373=9|58=CompID problem: TargetSubID(57)|
      < 35=5|34=4|${OURS}58=CompID problem: TargetSubID(57)|
      closed
      `,
      { config },
    );
    run(
      `
      connect
      < 35=A|34=1|${OURS}98=0|108=30|
      > 35=A|34=1|142=TK|98=0|108=30|
      < 35=5|34=2|${OURS}58=CompID problem: SenderLocationID(142)|
      closed
      `,
      { config },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an acceptor demands SubIDs and LocationIDs of its identity',
  (run) => {
    run(
      `${LOGON}
    > 35=0|34=2|50=DESK1|142=NY|143=LD|
    < 35=3|34=2|${OURS}45=2|371=57|372=0|373=9|58=CompID problem: TargetSubID(57)|
    < 35=5|34=3|${OURS}58=CompID problem: TargetSubID(57)|
    closed
    `,
      { config: IDENTITY },
    );
  },
  'FIX.4.1',
);

testInEveryVersion('a session without SubIDs in its identity takes whatever comes, and sends none', (run) => {
  run(`
    connect
    > 35=A|34=1|50=ANY|57=BODY|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    > 35=0|34=2|50=OTHER|
  `);
});

describe('which session a Logon means', () => {
  const logon = (fields: string) => viewOf(fromPrintable(`35=A|49=OMS|56=XGATE|34=1|${fields}`, 'FIX.4.4'))!;

  test('names of sessions are written as QuickFIX writes them', () => {
    const identity = { beginString: 'FIX.4.4', senderCompID: 'XGATE', targetCompID: 'OMS' };
    expect(sessionIDOf(identity)).toBe('FIX.4.4:XGATE->OMS');
    expect(sessionIDOf({ ...identity, ...IDENTITY })).toBe('FIX.4.4:XGATE/GW/LD->OMS/DESK1/NY');
    expect(sessionIDOf({ ...identity, targetLocationID: 'NY' })).toBe('FIX.4.4:XGATE->OMS//NY');
  });

  test('the session that takes most of its parts comes first, the one with CompIDs alone last', () => {
    const ids = sessionIDsOf(logon('50=DESK1|57=GW|'));
    expect(ids[0]).toBe('FIX.4.4:XGATE/GW->OMS/DESK1');
    expect(new Set(ids.slice(1, 3))).toEqual(new Set(['FIX.4.4:XGATE/GW->OMS', 'FIX.4.4:XGATE->OMS/DESK1']));
    expect(ids[3]).toBe('FIX.4.4:XGATE->OMS');
    expect(ids).toHaveLength(4);
  });

  test('a Logon without SubIDs means the session without', () => {
    expect(sessionIDsOf(logon(''))).toEqual(['FIX.4.4:XGATE->OMS']);
  });
});
