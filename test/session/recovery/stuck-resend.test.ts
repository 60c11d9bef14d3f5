// A counterparty that ends each connection at the same message of ours, which may be longer than it takes.

import { expect, test } from 'vitest';
import { StuckResend } from '../../../src/session/recovery/stuck-resend.ts';
import { continueScenario, runScenario } from '../../support/session/session-machine.ts';

const FIRST = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|17=e1|58=a long text|
  < 35=8|34=2|17=e1|58=a long text|
  cut
`;
/** The n-th Logon; each consumes a number of either side, and so does each ResendRequest. */
const again = (n: number): string => `
  connect
  > 35=A|34=${2 * n}|98=0|108=30|
  < 35=A|34=${n + 2}|98=0|108=30|
  > 35=2|34=${2 * n + 1}|7=2|16=0|
  < 35=8|34=2|43=Y|122={0}|17=e1|58=a long text|
  < 35=4|34=3|43=Y|122={0}|123=Y|36=${n + 3}|
  cut
`;

test('alarms once on the fifth connection in a row that ends at the same resent message', () => {
  const driver = runScenario(`${FIRST}${[1, 2, 3, 4].map(again).join('')}`);
  expect(driver.alarms).toEqual([]);
  continueScenario(driver, `${again(5)}${again(6)}`);
  expect(driver.alarms).toEqual([
    expect.stringMatching(
      /^resend-stuck: on 5 connections in a row the counterparty was sent MsgSeqNum\(34\)=2 again, of 94 bytes, and the connection ended: it may be a message that it cannot take$/,
    ),
  ]);
});

/** One connection: what is sent again first, whether it was cut, what was proven, and how long it lasted behind that. */
interface Connection {
  readonly msgSeqNum?: number;
  readonly isCut?: boolean;
  readonly proven?: number;
  readonly ms?: number;
}

test.each<[string, Connection]>([
  ['lasts for ten seconds', { ms: 10_000 }],
  ['ends with a Logout, or is ended by us', { isCut: false }],
  ['proves that the message arrived', { proven: 2 }],
  ['asks for what is behind it', { msgSeqNum: 3 }],
  ['asks for nothing', { msgSeqNum: 0 }],
])('a connection that %s begins the count anew', (_what, other) => {
  const stuck = new StuckResend();
  const told = (connections: readonly Connection[]): (string | null)[] =>
    connections.map(({ msgSeqNum = 2, isCut = true, proven = 0, ms = 0 }) => {
      if (msgSeqNum > 0) stuck.resent(msgSeqNum, 100, 0);
      return stuck.ended(isCut, 1, proven, ms);
    });
  const four = [{}, {}, {}, {}];
  expect(told([...four, other, ...four])).toEqual(Array.from({ length: 9 }, () => null));
  expect(told([{ ms: 9_999 }])).not.toEqual([null]);
});

test('identifies a connection by its lowest resent number, and times it from that one', () => {
  const stuck = new StuckResend();
  const connection = (msgSeqNums: readonly number[], untilMs = 0): string | null => {
    for (const [i, msgSeqNum] of msgSeqNums.entries()) stuck.resent(msgSeqNum, 100, 9_000 * i);
    return stuck.ended(true, 1, 0, 9_000 * (msgSeqNums.length - 1) + untilMs);
  };
  for (const msgSeqNums of [[2], [3, 2], [2], [3, 2]]) expect(connection(msgSeqNums)).toBeNull();
  expect(connection([2])).toContain('MsgSeqNum(34)=2');
  for (let i = 0; i < 4; i++) expect(connection([4])).toBeNull();
  expect(connection([4, 5]), 'another one followed').toContain('MsgSeqNum(34)=4');
  for (let i = 0; i < 4; i++) expect(connection([6])).toBeNull();
  expect(connection([6, 6], 1_000), 'ten seconds behind the first').toBeNull();
});
