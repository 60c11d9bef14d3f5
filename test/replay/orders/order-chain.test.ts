// Messages of a log grouped by the orders that they name: ClOrdID(11) within its session and trading day, and OrderID(37).

import { expect, test } from 'vitest';
import { LogSessions } from '../../../src/replay/log-sessions.ts';
import { type LoggedMessage, loggedMessage } from '../../../src/replay/logged-message.ts';
import { OrderChains } from '../../../src/replay/orders/order-chain.ts';
import { fromPrintable } from '../../../src/wire/mod.ts';

const message = (body: string): LoggedMessage =>
  loggedMessage(fromPrintable(body), { at: null, session: null, counted: true, note: '' });

/**
 * Messages of `A` to venue `X` and back, or of the parties named in front: `D 11=o1` or `B>Y D 11=o1`, each with the day of November
 * behind `@`, else the one before. Numbered per direction, unless they say their own.
 */
function logOf(...lines: readonly string[]): LoggedMessage[] {
  const numbers = new Map<string, number>();
  let day = '20';
  return lines.map((line) => {
    const [, parties = '', msgType = '', fields = '', on = day] =
      /^(?:(\w+>\w+) )?(\w+) ?(.*?)(?: @(\d\d(?:-\d\d:\d\d:\d\d)?))?$/.exec(line) ?? [];
    day = on;
    const isReport = ['8', '9', 'r', 'N', 'j', '3', 'BZ'].includes(msgType);
    const [from, to] = parties === '' ? (isReport ? ['X', 'A'] : ['A', 'X']) : parties.split('>');
    const msgSeqNum = (numbers.get(`${from}>${to}`) ?? 0) + 1;
    numbers.set(`${from}>${to}`, msgSeqNum);
    const time = on.includes('-') ? on : `${on}-12:00:00`;
    const body = fields === '' ? '' : `${fields.replaceAll(' ', '|')}|`;
    return message(`35=${msgType}|49=${from}|56=${to}|34=${msgSeqNum}|52=202611${time}.000|${body}`);
  });
}

/** The messages of each order, by their lines counted from 1. */
function linesOf(messages: readonly LoggedMessage[], dayBeginsMs = 0): number[][] {
  const [chains, sessions] = [new OrderChains(messages.length, dayBeginsMs), new LogSessions()];
  for (const each of messages) chains.add(each, sessions.directionOf(each));
  const places = new Map(messages.map(({ raw }, i) => [raw.toString('latin1'), i + 1]));
  return [...chains.all()].map((chain) => chain.messages.map(({ raw }) => places.get(raw.toString('latin1'))!));
}

/** ClOrdIDs, OrderIDs and the number of messages of each order. */
function chainsOf(messages: readonly LoggedMessage[]): unknown[] {
  const [chains, sessions] = [new OrderChains(messages.length), new LogSessions()];
  for (const each of messages) chains.add(each, sessions.directionOf(each));
  return [...chains.all()].map(({ clOrdIDs, orderIDs, messages: own }) => [clOrdIDs, orderIDs, own.length]);
}

test('of messages that are grouped by order the bytes are held, and not the index over each', () => {
  const [chains, sessions] = [new OrderChains(1), new LogSessions()];
  const order = message('35=D|49=A|56=X|34=1|11=o1|');
  chains.add(order, sessions.directionOf(order));
  const [chain] = [...chains.all()];
  const [shown] = chain!.messages;
  const { view, ...beside } = shown!;
  const { view: added, ...wanted } = order;
  expect(beside).toEqual(wanted);
  expect(view!.string(11)).toBe('o1');
  expect(view).not.toBe(added);
});

test('only so many messages of orders are grouped; how many others a log has does not count', () => {
  const [chains, sessions] = [new OrderChains(2), new LogSessions()];
  const add = (body: string): void => {
    const each = message(body);
    chains.add(each, sessions.directionOf(each));
  };
  for (const n of [1, 2, 3]) add(`35=0|49=A|56=X|34=${n}|`);
  for (const n of [4, 5]) add(`35=D|49=A|56=X|34=${n}|11=o${n}|`);
  expect(() => add('35=D|49=A|56=X|34=6|11=o6|')).toThrow(
    'more than 2 messages of orders: choose by --session, --from or --to',
  );
});

test('messages of one order are grouped through ClOrdID, OrigClOrdID and OrderID', () => {
  const bodies = [
    '35=D|49=A|56=X|34=1|11=o1|',
    '35=D|49=A|56=X|34=2|11=p1|',
    '35=8|49=X|56=A|34=1|37=90|11=o1|150=0|',
    '35=G|49=A|56=X|34=3|11=o2|41=o1|',
    '35=8|49=X|56=A|34=2|37=91|11=p1|150=0|',
    '35=8|49=X|56=A|34=3|37=90|150=F|',
    '35=0|49=X|56=A|34=4|',
    '35=D|49=B|56=X|34=1|11=o1|',
  ];
  expect(chainsOf(bodies.map(message))).toEqual([
    [['o1', 'o2'], ['90'], 4],
    [['p1'], ['91'], 2],
    [['o1'], [], 1],
  ]);
});

test('orders that were refused are not one for the OrderID(37) that all refusals have', () => {
  const bodies = [
    '35=D|49=A|56=X|34=1|11=o1|',
    '35=D|49=A|56=X|34=2|11=o2|',
    '35=8|49=X|56=A|34=1|37=0|11=o1|150=8|39=8|',
    '35=8|49=X|56=A|34=2|37=0|11=o2|150=8|39=8|',
    '35=F|49=A|56=X|34=3|11=c1|41=o0|',
    '35=9|49=X|56=A|34=3|37=0|11=c1|41=o0|39=0|434=1|102=1|',
  ];
  expect(chainsOf(bodies.map(message))).toEqual([
    [['o1'], [], 2],
    [['o2'], [], 2],
    [['o0', 'c1'], [], 2],
  ]);
});

test('O5 the same ClOrdID(11) in two sessions that SubIDs alone tell apart is two orders', () => {
  const bodies = [
    '35=A|49=A|50=EAST|56=X|34=1|98=0|108=30|',
    '35=D|49=A|50=EAST|56=X|34=2|11=o1|',
    '35=A|49=A|50=WEST|56=X|34=1|98=0|108=30|',
    '35=D|49=A|50=WEST|56=X|34=2|11=o1|',
    '35=8|49=X|56=A|57=EAST|34=2|37=90|11=o1|150=0|',
    '35=8|49=X|56=A|57=WEST|34=2|37=91|11=o1|150=0|',
  ];
  const journaled = bodies.map((body) => {
    const session = `FIX.4.4:X->A/${body.includes('EAST') ? 'EAST' : 'WEST'}`;
    return loggedMessage(fromPrintable(body), { at: null, session, counted: true, note: '' });
  });
  for (const messages of [bodies.map(message), journaled]) {
    expect(chainsOf(messages)).toEqual([
      [['o1'], ['90'], 2],
      [['o1'], ['91'], 2],
    ]);
  }
});

test('a NewOrderList(E), requests and statuses of the list belong to each order they name', () => {
  const log = logOf(
    'E 66=L 68=3 73=2 11=a 67=1 11=b 67=2',
    'E 66=L 68=3 73=1 11=c 67=3',
    'D 11=z',
    'L 66=L',
    'N 66=L 73=2 11=a 39=0 11=c 39=0',
    '8 37=1 11=a 66=L 150=0 39=0',
    '8 37=2 11=b 66=L 150=0 39=0',
    'M 66=L',
    'N 66=L 429=5',
    'K 66=L',
    '8 37=1 11=a 66=L 150=4 39=4',
    'M 66=unknown',
  );
  expect(linesOf(log)).toEqual([[1, 4, 5, 6, 8, 9, 10, 11], [1, 4, 7, 8, 9, 10], [2, 4, 5, 8, 9, 10], [3]]);
});

test('a mass cancel belongs to the orders in its report, or with it in theirs', () => {
  const log = logOf(
    'D 11=a',
    '8 37=1 11=a 150=0 39=0',
    'D 11=b',
    '8 37=2 11=b 150=0 39=0',
    'D 11=c',
    '8 37=3 11=c 150=0 39=0',
    'D 11=d',
    'q 11=m 530=7',
    'r 11=m 37=700 1369=77 530=7 531=7 533=2 534=2 41=a 535=1 536=9 535=2 1370=1 1372=NONE 1371=3',
    '8 37=1 11=m 41=a 150=4 39=4',
    '8 37=2 11=m 41=b 150=4 39=4',
    'q 11=n 530=7',
    '8 37=9 11=d 1369=78 150=4 39=4',
    'r 11=n 37=701 1369=78 530=7 531=7 533=1',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 8, 9, 10],
    [3, 4, 8, 9, 11],
    [5, 6, 8, 9],
    [7, 12, 13, 14],
  ]);
});

test('a mass action of FIX.5.0SP2 belongs to the orders that its report names by 535, 1824, 1371 and 1372', () => {
  const log = logOf(
    ...['a', 'b', 'c', 'd'].flatMap((id, i) => [`D 11=${id}`, `8 37=${i + 1} 11=${id} 150=0 39=0`]),
    'CA 11=m 1373=3 1374=7',
    'BZ 11=m 1369=5 1375=1 534=2 1824=a 535=1 1824=b 1370=1 1372=c 1371=3',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 9, 10],
    [3, 4, 9, 10],
    [5, 6, 9, 10],
    [7, 8],
  ]);
});

test('an OrderMassStatusRequest(AF) belongs to the orders of its answers', () => {
  const log = logOf(
    'D 11=a',
    'D 11=b',
    'AF 584=s 585=7',
    '8 37=1 11=a 584=s 150=I 39=0 912=Y',
    'AF 584=t 585=7',
    '8 37=NONE 17=0 584=t 150=I 39=8 911=0 912=Y',
  );
  expect(linesOf(log)).toEqual([[1, 3, 4], [2]]);
});

test('Reject(3) and BusinessMessageReject(j) belong to the orders of the message that they refer to', () => {
  const log = logOf(
    'D 11=a',
    '3 45=1 371=44 373=1',
    'E 66=L 73=2 11=b 11=c',
    'j 45=2 372=E 379=L 380=3',
    '0',
    'j 45=3 372=0 380=3',
    'j 45=77 372=D 379=a 380=2',
    '8 37=5 11=b 150=0 39=0',
    'A>X 3 45=5 373=5',
    'A>X j 45=5 372=8 380=3',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 7],
    [3, 4, 8, 9, 10],
    [3, 4],
  ]);
});

test('a Reject(3) after a reset refers to the number of the new series', () => {
  const log = ['35=D|34=2|11=a|', '35=A|34=1|141=Y|', '35=0|34=2|']
    .map((body) => message(body.replace('34=', '49=A|56=X|34=')))
    .concat(message('35=3|49=X|56=A|34=2|45=2|'));
  expect(linesOf(log)).toEqual([[1]]);
});

test('a DontKnowTrade(Q) belongs to the order of its OrderID(37), else of its ExecID(17)', () => {
  const log = logOf(
    'D 11=a',
    'D 11=b',
    '8 37=1 11=a 17=e1 150=F 39=1',
    '8 37=2 11=b 17=e2 150=F 39=1',
    'Q 37=2 17=x 127=D',
    'Q 37=NONE 17=e1 127=D',
    'Q 37=NONE 17=e9 127=D',
  );
  expect(linesOf(log)).toEqual([
    [1, 3, 6],
    [2, 4, 5],
  ]);
});

test('allocations and trade reports belong to every order that their groups name', () => {
  const log = logOf(
    'D 11=a',
    'D 11=b',
    '8 37=1 11=a 150=F 39=2',
    '8 37=2 11=b 150=F 39=2',
    'J 70=1 73=2 11=a 37=1 11=b 37=2',
    'X>A AE 571=1 552=1 54=1 37=2 11=b',
    'X>A W 55=BTCUSDC 268=1 269=0 270=1 37=1',
  );
  expect(linesOf(log)).toEqual([
    [1, 3, 5],
    [2, 4, 5, 6],
  ]);
});

test('a ClOrdID(11) used again on a later day, after the first order ended, is another order', () => {
  const log = logOf(
    'D 11=a 59=1 @20',
    '8 37=1 11=a 150=0 39=0 59=1',
    '8 37=1 11=a 150=4 39=4 59=1',
    'D 11=a 59=1',
    '8 37=1 11=a 150=8 39=4 103=6',
    'D 11=a 59=1 @21',
    '8 37=2 11=a 150=0 39=0 59=1',
    '8 37=1 11=a 150=F 39=4',
    '8 37=2 11=a 150=F 39=2',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 3, 4, 5, 8],
    [6, 7, 9],
  ]);
});

test('a refused repetition on a later day is no part of the ended order, for any OrderID(37)', () => {
  const log = logOf('D 11=a @20', '8 37=1 11=a 150=F 39=2', 'D 11=a @21', '8 37=1 11=a 150=8 39=2 103=6');
  expect(linesOf(log)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('a GTC order works over night: its ClOrdID(11) on a later day is its own', () => {
  const log = logOf(
    'D 11=a 59=1 @20',
    '8 37=1 11=a 150=0 39=0',
    'D 11=d 59=0',
    '8 37=2 11=d 150=0 39=0',
    'D 11=g 59=6 432=20261121',
    '8 37=3 11=g 150=0 39=0',
    'D 11=a 59=1 @21',
    '8 37=1 11=a 150=8 39=0 103=6',
    'D 11=d 59=0',
    'D 11=g 59=6 432=20261121',
    'D 11=g 59=6 432=20261122 @22',
    'G 11=a2 41=a',
    '8 37=1 11=a2 41=a 150=5 39=0',
    'F 11=c 41=a2 @25',
    '8 37=1 11=c 41=a2 150=4 39=4',
  );
  expect(linesOf(log)).toEqual([[1, 2, 7, 8, 12, 13, 14, 15], [3, 4], [5, 6, 10], [9], [11]]);
});

test('a chain of OrigClOrdID(41) over days excludes orders with reused ClOrdIDs', () => {
  const log = logOf(
    'D 11=a @20',
    '8 37=1 11=a 150=0 39=0',
    'G 11=b 41=a',
    '8 37=1 11=b 41=a 150=5 39=0',
    'F 11=c 41=b',
    '8 37=1 11=c 41=b 150=4 39=4',
    'D 11=b @21',
    '8 37=2 11=b 150=0 39=0',
    'G 11=c 41=b',
    '8 37=2 11=c 41=b 150=5 39=0',
    'D 11=a',
    '8 37=3 11=a 150=0 39=0',
    'F 11=x 41=a',
    '9 37=3 11=x 41=a 39=0 434=1',
    '8 37=2 11=c 150=F 39=2',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 3, 4, 5, 6],
    [7, 8, 9, 10, 15],
    [11, 12, 13, 14],
  ]);
});

test('a request with a used ClOrdID(11) belongs to the order of its OrigClOrdID(41)', () => {
  const log = logOf(
    '8 37=1 11=a 150=0 39=0',
    '8 37=2 11=b 150=0 39=0',
    'F 11=c 41=a',
    'F 11=c 41=b',
    '9 37=2 11=c 41=b 39=0 434=1',
    '8 37=1 11=c 41=a 150=4 39=4',
    'D 11=c',
    '8 37=1 11=c 150=8 39=4 103=6',
  );
  expect(linesOf(log)).toEqual([
    [1, 3, 6, 7, 8],
    [2, 4, 5],
  ]);
});

test.each(['NONE', 'none', '[N/A]', 'n/a', 'UNKNOWN', 'NULL', '0', '000', '-', '*'])(
  'an id %j identifies no order',
  (none) => {
    const log = logOf(
      'D 11=a',
      'D 11=b',
      `8 37=${none} 11=a 150=0 39=0`,
      `8 37=${none} 11=b 150=0 39=0`,
      `F 11=c 41=${none} 37=${none}`,
      `9 37=${none} 11=c 41=${none} 39=8 434=1 102=1`,
      `F 11=d 41=${none} 37=${none}`,
      `8 37=${none} 11=${none} 150=8 39=8`,
    );
    expect(linesOf(log)).toEqual([[1, 3], [2, 4], [5, 6], [7]]);
  },
);

test('separates orders entered with ClOrdIDs(11) of zeros', () => {
  const log = logOf('D 11=0', '8 37=1 11=0 150=0 39=0', 'D 11=00', '8 37=2 11=00 150=0 39=0', 'F 11=c 41=0');
  expect(linesOf(log)).toEqual([
    [1, 2, 5],
    [3, 4],
  ]);
});

test('SecondaryOrderID(198), SecondaryClOrdID(526) or ClOrdLinkID(583) in common join no orders', () => {
  const shared = '198=9 526=s 583=k';
  const log = logOf(
    `D 11=a ${shared}`,
    `D 11=b ${shared}`,
    `8 37=1 11=a ${shared} 150=0 39=0`,
    `8 37=2 11=b ${shared} 150=0 39=0`,
  );
  expect(linesOf(log)).toEqual([
    [1, 3],
    [2, 4],
  ]);
});

test('OrderID(37) of two venues, accounts, days or entries separates orders', () => {
  const venues = logOf('X>A 8 37=1 11=a 150=0 39=0', 'Y>A 8 37=1 11=b 150=0 39=0', 'Y>A 8 37=1 150=F 39=1');
  expect(linesOf(venues)).toEqual([[1], [2, 3]]);
  const accounts = logOf(
    '8 37=1 11=a 1=P 150=0 39=0',
    '8 37=1 11=b 1=Q 150=0 39=0',
    '8 37=1 1=P 150=F 39=1',
    '8 37=1 1=Q 150=F 39=1',
  );
  expect(linesOf(accounts)).toEqual([
    [1, 3],
    [2, 4],
  ]);
  const days = logOf('8 37=1 11=a 150=0 39=0 @20', '8 37=1 11=b 150=0 39=0 @21', '8 37=1 11=b 150=F 39=2');
  expect(linesOf(days)).toEqual([[1], [2, 3]]);
  const entered = logOf('D 11=a', 'D 11=b', '8 37=SIM 11=a 150=0 39=0', '8 37=SIM 11=b 150=0 39=0');
  expect(linesOf(entered)).toEqual([
    [1, 3],
    [2, 4],
  ]);
});

test('an order of a venue that reuses ClOrdID and OrderID next day is two', () => {
  const log = logOf(
    'D 11=a @20',
    '8 37=a 11=a 150=0 39=0',
    'D 11=a @21',
    '8 37=a 11=a 150=0 39=0',
    '8 37=a 11=a 150=F 39=2',
  );
  expect(linesOf(log)).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  expect(linesOf(log.filter((_, i) => i !== 0 && i !== 2))).toEqual([[1], [2, 3]]);
});

test("a drop copy, and a cancel by OrderID(37) elsewhere, belong to the entering session's order", () => {
  const log = logOf(
    'A>X D 11=a',
    'X>A 8 37=1 11=a 150=0 39=0',
    'X>C 8 37=1 11=a 150=0 39=0 797=Y',
    'B>X F 11=c 41=NONE 37=1',
    'X>B 8 37=1 11=c 150=6 39=6',
    'B>X D 11=a',
    'X>B 8 37=2 11=a 150=0 39=0',
    'X>C 8 37=2 11=a 150=0 39=0 797=Y',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 3, 4, 5],
    [6, 7, 8],
  ]);
  expect(linesOf(logOf('8 37=1 11=a 150=0 797=Y', '8 37=2 11=a 150=0 797=Y', '8 37=2 11=a 150=F 797=Y'))).toEqual([
    [1],
    [2, 3],
  ]);
  // Of venues that number the orders of each session by themselves.
  const own = logOf('A>X D 11=a', 'X>A 8 37=1 11=a 150=0 39=0', 'X>B 8 37=1 11=b 150=0 39=0', 'B>X F 11=c 41=b 37=1');
  expect(linesOf(own)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('the first answer after midnight belongs to its order; PossDup and PossResend add none', () => {
  const log = logOf(
    'D 11=a @20-23:59:59',
    'D 11=b',
    'D 11=e',
    '8 37=NONE 11=e 150=A 39=A',
    '8 37=1 11=a 150=0 39=0 @21-00:00:00',
    '8 37=NONE 11=b 150=8 39=8',
    '8 37=2 11=e 150=0 39=0',
    'D 11=a 97=Y',
    'D 11=b 43=Y',
    '8 37=1 11=a 150=0 39=0 97=Y @22-00:00:00',
  );
  expect(linesOf(log)).toEqual([
    [1, 5, 8, 10],
    [2, 6, 9],
    [3, 4, 7],
  ]);
});

test('a trading day begins at the given time', () => {
  const log = logOf('D 11=a @20-21:00:00', '8 37=1 11=a 150=0 39=0', 'D 11=a @20-23:00:00', 'D 11=a @21-01:00:00');
  expect(linesOf(log)).toEqual([[1, 2, 3], [4]]);
  expect(linesOf(log, 22 * 3_600_000)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('a status on a later day belongs to the order that it is of, refused ones too', () => {
  const log = logOf(
    'D 11=a @20',
    '8 37=1 11=a 150=8 39=8',
    'H 11=a @21',
    '8 37=1 11=a 150=I 39=8 17=0',
    'H 11=z',
    '8 37=NONE 11=z 150=I 39=8 103=5 17=0',
    '8 37=1 11=a 20=3 150=8 39=8 17=0 @22',
  );
  expect(linesOf(log)).toEqual([
    [1, 2, 3, 4, 7],
    [5, 6],
  ]);
});

test('an order that was first spoken of by its OrderID(37) is the one that its report names later', () => {
  const log = logOf('8 37=1 150=F 39=1', 'D 11=a', '8 37=2 11=b 41=a 150=5 39=0', 'F 11=c 41=b', '8 37=2 150=4 39=4');
  expect(linesOf(log)).toEqual([[1], [2, 3, 4, 5]]);
  const late = logOf('8 37=1 150=F 39=1', 'F 11=c 41=a', '8 37=1 11=c 41=a 150=4 39=4', 'j 45=1 372=F 380=0');
  expect(linesOf(late)).toEqual([[1, 2, 3, 4]]);
});
