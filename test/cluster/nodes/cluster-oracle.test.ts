// The oracle of the campaign over several nodes: it agrees with a take-over that went well, and finds each fault that is put into it.

import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import { fromPrintable, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import {
  type ClusterEvidence,
  disagreements,
  type RecordedMessage,
  type SessionEvidence,
} from '../../support/campaigns/cluster-oracle.ts';

interface Sent {
  readonly epoch: number;
  readonly body: string;
  /** Seconds of the SendingTime. */
  readonly at: number;
}

const REPORT = '8|37=X1|17=E1|11=a|150=0|39=0|';

/** Two owners: the first sends a Logon, New and a fill, and is killed; the second sends a Logon and another New. */
const SENT: readonly Sent[] = [
  { epoch: 1, at: 1, body: 'A|98=0|108=10|' },
  { epoch: 1, at: 2, body: REPORT },
  { epoch: 1, at: 3, body: '8|37=X1|17=E2|11=a|150=F|39=2|32=0.01|' },
  { epoch: 2, at: 9, body: 'A|98=0|108=10|' },
  { epoch: 2, at: 10, body: '8|37=X2|17=E3|11=b|150=0|39=0|' },
];

function bytesOf(number: number, { body, at }: Pick<Sent, 'body' | 'at'>, isResent = false): Uint8Array {
  const [msgType, ...rest] = body.split('|');
  const time = (second: number): string => `20260102-03:04:${String(second).padStart(2, '0')}.000`;
  const header = `49=EXCHANGE_TEST|56=OMS_1|34=${number}|`;
  const possDup = isResent ? `43=Y|122=${time(at)}|` : '';
  return fromPrintable(`35=${msgType}|${header}${possDup}52=${time(isResent ? 11 : at)}|${rest.join('|')}`, 'FIX.4.4');
}

function captured(number: number, sent: Pick<Sent, 'body' | 'at'>, isResent = false): MessageView {
  return viewOf(bytesOf(number, sent, isResent))!;
}

/** The fill did not arrive before the kill: it came as a resend. */
function evidence(change: (session: Writable) => void = () => {}, traded = '0.01'): ClusterEvidence {
  const number = (sent: Sent): number => SENT.indexOf(sent) + 1;
  const views = SENT.map((sent) => captured(number(sent), sent));
  const session: Writable = {
    name: 'OMS_1',
    connections: [
      [views[0]!, views[1]!],
      [views[3]!, captured(3, SENT[2]!, true), views[4]!],
    ],
    sent: ['a', 'b', 'c'],
    neverArrived: new Set(['c']),
    recorded: new Map(
      SENT.map((sent) => [
        number(sent),
        [{ msgType: sent.body[0]!, raw: bytesOf(number(sent), sent), epoch: sent.epoch }],
      ]),
    ),
    openOrders: ['X2'],
  };
  change(session);
  return { sessions: [session], traded: Decimal.of(traded) };
}

type Writable = Omit<SessionEvidence, 'connections' | 'sent' | 'recorded' | 'openOrders' | 'neverArrived'> & {
  connections: MessageView[][];
  sent: string[];
  neverArrived: Set<string>;
  recorded: Map<number, RecordedMessage[]>;
  openOrders: string[];
};

test('agrees with a take-over after which the missing fill is resent', () => {
  expect(disagreements(evidence())).toEqual([]);
});

test('agrees with a message that a frozen node passes on after its resend', () => {
  const late = (session: Writable): void => void session.connections[0]!.push(captured(3, SENT[2]!));
  expect(disagreements(evidence(late))).toEqual([]);
});

describe('finds', () => {
  test.each<[string, (session: Writable) => void, RegExp]>([
    ['a lost message', ({ connections }) => connections[0]!.splice(1, 1), /MsgSeqNum 2 never came/],
    ['a lost last report', ({ connections }) => connections[1]!.pop(), /the report with MsgSeqNum 5 was lost/],
    ['an order without an answer', ({ sent }) => sent.push('d'), /order d was lost/],
    ['an order that is missing at the exchange', ({ openOrders }) => openOrders.pop(), /the exchange does not have it/],
    ['an order that only the exchange has', ({ openOrders }) => openOrders.push('X9'), /X9 is open at the exchange/],
    ['an order that is filled and open', ({ openOrders }) => openOrders.push('X1'), /X1 is open at the exchange/],
    ['a withdrawn order that was sent', ({ neverArrived }) => neverArrived.add('b'), /b is New, though/],
    [
      'a doubled transmission',
      ({ connections }) => connections[1]!.push(captured(2, SENT[1]!)),
      /MsgSeqNum 2 was transmitted twice/,
    ],
    [
      'a doubled report',
      ({ connections, recorded }) => {
        const again = { body: REPORT, at: 12 };
        connections[1]!.push(captured(6, again));
        recorded.set(6, [{ msgType: '8', raw: bytesOf(6, again), epoch: 2 }]);
      },
      /report E1 came as MsgSeqNum 2 and as 6/,
    ],
    [
      'an order that was sent to the exchange twice',
      ({ connections, recorded }) => {
        const again = { body: '8|37=X3|17=E4|11=b|150=0|39=0|', at: 12 };
        connections[1]!.push(captured(6, again));
        recorded.set(6, [{ msgType: '8', raw: bytesOf(6, again), epoch: 2 }]);
      },
      /order b is two orders: X2 and X3/,
    ],
    [
      'a number with two messages on the wire',
      ({ connections }) => connections[0]!.push(captured(4, { body: '0|', at: 4 })),
      /MsgSeqNum 4 was used twice/,
    ],
    [
      'a number with two messages in the journal',
      ({ recorded }) => recorded.get(2)!.push(recorded.get(3)![0]!),
      /MsgSeqNum 2 was used twice in the journal/,
    ],
    [
      'a process without the lease that transmits what no journal has',
      ({ connections }) => connections[0]!.push(captured(6, { body: '0|', at: 12 })),
      /a process without the lease transmitted .*34=6.*the journal has nothing/,
    ],
    [
      'a report that differs from the one in the journal by a byte',
      ({ connections }) => {
        connections[0]![1] = captured(2, { body: REPORT.replace('E1', 'E7'), at: 2 });
      },
      /a process without the lease transmitted .*17=E7/,
    ],
    [
      'an owner that transmits after the next one began',
      ({ connections, recorded }) => {
        const late = { body: '0|', at: 10 };
        connections[0]!.push(captured(6, late));
        recorded.set(6, [{ msgType: '0', raw: bytesOf(6, late), epoch: 1 }]);
      },
      /the owner of epoch 1 transmitted at .*:10.000, after that of epoch 2 began/,
    ],
  ])('%s', (_what, change, fault) => {
    expect(disagreements(evidence(change))).toContainEqual(expect.stringMatching(fault));
  });

  test.each(['0', '0.02'])('fills of 0.01 where the exchange filled %s', (traded) => {
    expect(disagreements(evidence(() => {}, traded))).toEqual([`fills of 0.01 were reported, ${traded} were traded`]);
  });
});
