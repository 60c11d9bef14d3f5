// Which session of a log a message belongs to, where several have the same CompIDs: they differ in SubIDs(50, 57) or
// LocationIDs(142, 143). A journal says it. In a text, Logons do, as 50 and 57 of an application message may name people (rule
// D11); where these tell nothing, MsgSeqNum(34) does.

import { isAdmin, sessionIDOf } from '../session/mod.ts';
import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import { directionName, type LoggedMessage } from './logged-message.ts';

/** One way of a session: `FIX.4.4:SENDER->TARGET`, with SubIDs and LocationIDs where it has them; and the other one. */
export interface Direction {
  readonly name: string;
  readonly opposite: string;
}

/** SubID and LocationID of a Logon's sender and target; empty if absent. */
type Parts = readonly [senderSubID: string, senderLocationID: string, targetSubID: string, targetLocationID: string];

/** A session of two CompIDs. */
interface Known {
  readonly initiator: string;
  readonly parts: Parts;
  /** By sender: its way, and the number that comes next. */
  readonly directions: Map<string, Direction>;
  readonly next: Map<string, number>;
}

export class LogSessions {
  /** By BeginString and CompIDs; who sent their first Logon is the initiator: others may answer without SubIDs. */
  private readonly pairs = new Map<string, { initiator: string | null; readonly known: Known[] }>();
  /** By the journal's SessionID and sender. */
  private readonly journaled = new Map<string, Direction>();

  /** To be asked of every message, in the order of the log. */
  directionOf(message: LoggedMessage): Direction {
    const { session, sender, target, view } = message;
    if (session !== null) return this.inJournal(session, sender);
    const beginString = view?.beginString ?? '?';
    if (view === null) return plain(beginString, sender, target);
    const pair = directionName(beginString, ...([sender, target].sort() as [string, string]));
    const of = this.pairs.get(pair) ?? { initiator: null, known: [] };
    this.pairs.set(pair, of);
    const isLogon = view.msgType === MsgType.Logon;
    if (isLogon) of.initiator ??= sender;
    const isTelling = isLogon && sender === of.initiator;
    const parts = partsOf(view);
    let found = isTelling
      ? of.known.find((one) => one.initiator === sender && one.parts.every((part, i) => part === parts[i]))
      : likeliest(of.known, parts, sender, view);
    if (found === undefined) {
      const own: Parts = isTelling ? parts : ['', '', '', ''];
      found = { initiator: sender, parts: own, directions: new Map(), next: new Map() };
      of.known.push(found);
    }
    found.next.set(sender, (view.int(Tag.MsgSeqNum) ?? 0) + 1);
    const known = found.directions.get(sender);
    if (known !== undefined) return known;
    const direction = directionIn(beginString, sender, target, seenFrom(sender, found));
    found.directions.set(sender, direction);
    return direction;
  }

  private inJournal(session: string, sender: string): Direction {
    const key = `${sender} ${session}`;
    let direction = this.journaled.get(key);
    if (direction === undefined) {
      const [, beginString = '', ours = '', theirs = ''] = /^([^:]*):(.*?)->(.*)$/.exec(session) ?? [];
      const [there, back] = [directionName(beginString, ours, theirs), directionName(beginString, theirs, ours)];
      const isOurs = ours === sender || ours.startsWith(`${sender}/`);
      direction = isOurs ? { name: there, opposite: back } : { name: back, opposite: there };
      this.journaled.set(key, direction);
    }
    return direction;
  }
}

function partsOf(view: MessageView): Parts {
  const [senderSubID, senderLocationID, targetSubID, targetLocationID] = [50, 142, 57, 143].map(
    (tag) => view.string(tag) ?? '',
  );
  return [senderSubID!, senderLocationID!, targetSubID!, targetLocationID!];
}

function seenFrom(sender: string, { initiator, parts }: Known): Parts {
  return sender === initiator ? parts : [parts[2], parts[3], parts[0], parts[1]];
}

/** The session with parts most like a message's; among equals, the one with the next number. */
function likeliest(known: readonly Known[], parts: Parts, sender: string, view: MessageView): Known | undefined {
  if (known.length < 2) return known[0];
  const msgSeqNum = view.int(Tag.MsgSeqNum);
  const canNamePeople = !isAdmin(view.msgType);
  const scoreOf = (one: Known): number => {
    const next = one.next.get(sender);
    let score = next === msgSeqNum ? 0.5 : next === undefined ? 0.25 : 0;
    for (const [i, part] of seenFrom(sender, one).entries()) {
      const isSubID = i % 2 === 0;
      if (part === parts[i]) score += part === '' ? 0 : 1;
      else if (parts[i] === '') score -= 0.05;
      else if (!(isSubID && canNamePeople)) score -= 1;
    }
    return score;
  };
  return known.reduce((best, one) => (scoreOf(one) > scoreOf(best) ? one : best));
}

function directionIn(beginString: string, sender: string, target: string, parts: Parts): Direction {
  const [senderSubID, senderLocationID, targetSubID, targetLocationID] = parts;
  const from = { senderCompID: sender, senderSubID, senderLocationID };
  const to = { targetCompID: target, targetSubID, targetLocationID };
  const back = {
    senderCompID: target,
    senderSubID: targetSubID,
    senderLocationID: targetLocationID,
    targetCompID: sender,
    targetSubID: senderSubID,
    targetLocationID: senderLocationID,
  };
  return { name: sessionIDOf({ beginString, ...from, ...to }), opposite: sessionIDOf({ beginString, ...back }) };
}

const plain = (beginString: string, sender: string, target: string): Direction =>
  directionIn(beginString, sender, target, ['', '', '', '']);
