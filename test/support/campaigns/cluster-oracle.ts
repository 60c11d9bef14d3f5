// The oracle of a campaign over a cluster: nothing lost, nothing doubled, no MsgSeqNum(34) used twice, and no two owners that
// transmit. It compares the bytes that OMSs captured with the journals and with the exchange, and leaves collecting them to others.

import { Decimal } from '../../../src/base/decimal.ts';
import { type MessageView, Tag, toPrintable } from '../../../src/wire/mod.ts';

/** An outbound message in a journal. */
export interface RecordedMessage {
  readonly msgType: string;
  readonly raw: Uint8Array;
  /** Of the lease under which it was committed: each owner of a partition has its own, later owners a higher one. */
  readonly epoch: number;
}

/** One session, from the side of its OMS. */
export interface SessionEvidence {
  readonly name: string;
  /** Messages of each of its connections in the order of arrival, also those that came over one that it had left. */
  readonly connections: readonly (readonly MessageView[])[];
  /** ClOrdIDs that it sent, and those of them that it withdrew with a gap fill, as the gateway had not received them. */
  readonly sent: readonly string[];
  readonly neverArrived: ReadonlySet<string>;
  /** By MsgSeqNum(34), in the series of numbers that the campaign began. */
  readonly recorded: ReadonlyMap<number, readonly RecordedMessage[]>;
  /** OrderIDs of its account that are open at the exchange. */
  readonly openOrders: readonly string[];
}

export interface ClusterEvidence {
  readonly sessions: readonly SessionEvidence[];
  /** Quantity that the exchange filled. */
  readonly traded: Decimal;
}

/** Each sentence is a fault; none if all agrees. */
export function disagreements({ sessions, traded }: ClusterEvidence): string[] {
  const faults = sessions.flatMap((session) =>
    [...numberFaults(session), ...ownerFaults(session), ...reportFaults(session), ...orderFaults(session)].map(
      (fault) => `${session.name}: ${fault}`,
    ),
  );
  let filled = Decimal.ZERO;
  for (const { connections } of sessions)
    for (const quantity of fillsIn(connections.flat()).values()) filled = filled.add(quantity);
  if (filled.compare(traded) !== 0) faults.push(`fills of ${filled} were reported, ${traded} were traded`);
  return faults;
}

/** Fills by ExecID(17): one that is resent counts once. */
export function fillsIn(views: readonly MessageView[]): ReadonlyMap<string, Decimal> {
  const fills = new Map<string, Decimal>();
  for (const view of views) {
    if (view.msgType !== '8' || view.string(Tag.ExecType) !== 'F') continue;
    fills.set(view.string(Tag.ExecID)!, view.decimal(Tag.LastQty)!);
  }
  return fills;
}

/** ClOrdIDs that were answered with New or Rejected. */
export function answeredIn(views: readonly MessageView[]): ReadonlySet<string> {
  const answers = views.filter((view) => view.msgType === '8' && '08'.includes(view.string(Tag.ExecType) ?? '-'));
  return new Set(answers.map((view) => view.string(Tag.ClOrdID)!));
}

/** Messages that were transmitted for the first time: a resend has PossDupFlag(43). */
function firstTransmissions({ connections }: SessionEvidence): MessageView[] {
  return connections.flat().filter((view) => view.boolean(Tag.PossDupFlag) !== true);
}

/** A number is one message, transmitted once, and every number up to the highest came. */
function* numberFaults(session: SessionEvidence): Generator<string> {
  const byNumber = new Map<number, string>();
  for (const view of firstTransmissions(session)) {
    const [number, text] = [view.int(Tag.MsgSeqNum)!, toPrintable(view.bytes())];
    const other = byNumber.get(number);
    if (other === text) yield `MsgSeqNum ${number} was transmitted twice: ${text}`;
    else if (other !== undefined) yield `MsgSeqNum ${number} was used twice: ${other} and ${text}`;
    byNumber.set(number, text);
  }
  for (const [number, records] of session.recorded)
    if (records.length > 1) yield `MsgSeqNum ${number} was used twice in the journal`;
  const covered = new Set<number>();
  for (const view of session.connections.flat()) {
    const number = view.int(Tag.MsgSeqNum)!;
    const end = view.msgType === '4' ? view.int(Tag.NewSeqNo)! : number + 1;
    for (let n = number; n < end; n++) covered.add(n);
  }
  const highest = Math.max(0, ...covered);
  for (let n = 1; n <= highest; n++) if (!covered.has(n)) yield `MsgSeqNum ${n} never came`;
}

/**
 * Only the owner of the partition transmits: each message is in the journal, byte for byte, and no owner sent one after the next owner
 * had begun. An owner that lost its lease cannot record, so whatever it sent is another message than the journal's, or missing there.
 */
function* ownerFaults(session: SessionEvidence): Generator<string> {
  const times = new Map<number, string[]>();
  for (const view of firstTransmissions(session)) {
    const number = view.int(Tag.MsgSeqNum)!;
    const [recorded] = session.recorded.get(number) ?? [];
    if (recorded === undefined || Buffer.compare(recorded.raw, view.bytes()) !== 0) {
      const other = recorded === undefined ? 'nothing' : toPrintable(recorded.raw);
      yield `a process without the lease transmitted ${toPrintable(view.bytes())}; the journal has ${other}`;
      continue;
    }
    const known = times.get(recorded.epoch);
    if (known === undefined) times.set(recorded.epoch, [view.string(Tag.SendingTime)!]);
    else known.push(view.string(Tag.SendingTime)!);
  }
  const owners = [...times].sort(([a], [b]) => a - b).map(([epoch, all]) => ({ epoch, all: all.sort() }));
  for (const [k, { epoch, all }] of owners.entries()) {
    const [last, next] = [all.at(-1)!, owners[k + 1]];
    if (next !== undefined && next.all[0]! < last)
      yield `the owner of epoch ${epoch} transmitted at ${last}, after that of epoch ${next.epoch} began`;
  }
}

/** Every ExecutionReport(8) of the journal came, also as a resend, and none came under two numbers. */
function* reportFaults({ connections, recorded }: SessionEvidence): Generator<string> {
  const numbers = new Map<string, number>();
  for (const view of connections.flat()) {
    if (view.msgType !== '8') continue;
    const [number, execID] = [view.int(Tag.MsgSeqNum)!, view.string(Tag.ExecID)!];
    const other = numbers.get(execID);
    if (other !== undefined && other !== number) yield `report ${execID} came as MsgSeqNum ${other} and as ${number}`;
    numbers.set(execID, number);
    const text = toPrintable(recorded.get(number)?.[0]?.raw ?? new Uint8Array());
    if (!text.includes(`|17=${execID}|`)) yield `report ${execID} came as MsgSeqNum ${number}; the journal has ${text}`;
  }
  const came = new Set(numbers.values());
  for (const [number, [message]] of recorded)
    if (message?.msgType === '8' && !came.has(number)) yield `the report with MsgSeqNum ${number} was lost`;
}

/** Each order that arrived was answered, each that is New is at the exchange once, and nothing else is. */
function* orderFaults({ connections, sent, neverArrived, openOrders }: SessionEvidence): Generator<string> {
  const received = connections.flat();
  const answered = answeredIn(received);
  for (const clOrdID of sent)
    if (!neverArrived.has(clOrdID) && !answered.has(clOrdID)) yield `order ${clOrdID} was lost: nothing answered it`;
  const orderIDs = new Map<string, string>();
  const filled = new Set<string>();
  for (const view of received) {
    if (view.msgType !== '8') continue;
    const [clOrdID, orderID] = [view.string(Tag.ClOrdID)!, view.string(Tag.OrderID)!];
    if (view.string(Tag.OrdStatus) === '2') filled.add(orderID);
    if (view.string(Tag.ExecType) !== '0') continue;
    const other = orderIDs.get(clOrdID) ?? orderID;
    if (other !== orderID) yield `order ${clOrdID} is two orders: ${other} and ${orderID}`;
    if (neverArrived.has(clOrdID)) yield `order ${clOrdID} is New, though its message was withdrawn`;
    orderIDs.set(clOrdID, orderID);
  }
  if (new Set(orderIDs.values()).size !== orderIDs.size) yield 'two ClOrdIDs are one order';
  const known = new Set(orderIDs.values());
  const open = new Set(openOrders);
  for (const orderID of known)
    if (!filled.has(orderID) && !open.has(orderID)) yield `order ${orderID} is New, and the exchange does not have it`;
  for (const orderID of open)
    if (!known.has(orderID) || filled.has(orderID)) yield `order ${orderID} is open at the exchange only`;
}
