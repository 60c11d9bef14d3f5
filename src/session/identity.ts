// Identity of a session: BeginString(8), CompIDs, SubIDs and LocationIDs. Builds the session's name, and the candidate
// names of a Logon(A). header.ts checks later messages against it.

import { type MessageView, Tag } from '../wire/mod.ts';
import type { SessionID } from './config.ts';

/** Parts of an identity, from our side. Empty or absent SubIDs and LocationIDs are no part of it. */
export interface SessionIdentity {
  readonly beginString: string;
  readonly senderCompID: string;
  readonly senderSubID?: string | null | undefined;
  readonly senderLocationID?: string | null | undefined;
  readonly targetCompID: string;
  readonly targetSubID?: string | null | undefined;
  readonly targetLocationID?: string | null | undefined;
}

function party(compID: string, subID: string | null | undefined, locationID: string | null | undefined): string {
  if (locationID) return `${compID}/${subID ?? ''}/${locationID}`;
  return subID ? `${compID}/${subID}` : compID;
}

/** `FIX.4.4:SENDER->TARGET`, with `/SUB` and `/SUB/LOCATION` behind a CompID where they are part of the identity. */
export function sessionIDOf(identity: SessionIdentity): SessionID {
  const { beginString, senderCompID, senderSubID, senderLocationID } = identity;
  const { targetCompID, targetSubID, targetLocationID } = identity;
  const sender = party(senderCompID, senderSubID, senderLocationID);
  return `${beginString}:${sender}->${party(targetCompID, targetSubID, targetLocationID)}`;
}

/** A counterparty's field and its part of our identity. */
const OPTIONAL_PARTS = [
  [Tag.TargetSubID, 'senderSubID'],
  [Tag.SenderSubID, 'targetSubID'],
  [Tag.TargetLocationID, 'senderLocationID'],
  [Tag.SenderLocationID, 'targetLocationID'],
] as const;

/**
 * Candidate sessions for a counterparty's Logon(A), those that match most SubIDs and LocationIDs first. A session
 * without SubIDs in its identity accepts any. At most 16.
 */
export function sessionIDsOf(logon: MessageView): SessionID[] {
  const identity: Record<string, string | null> = {};
  for (const [tag, part] of OPTIONAL_PARTS) identity[part] = logon.string(tag);
  return sessionIDsFor({
    beginString: logon.beginString,
    senderCompID: logon.string(Tag.TargetCompID) ?? '',
    targetCompID: logon.string(Tag.SenderCompID) ?? '',
    ...identity,
  });
}

/** The same for a Logon(A) between the parties of this identity, seen from our side. */
export function sessionIDsFor(of: SessionIdentity): SessionID[] {
  const { beginString, senderCompID, targetCompID } = of;
  const identity = { beginString, senderCompID, targetCompID };
  let named: { readonly identity: SessionIdentity; readonly parts: number }[] = [{ identity, parts: 0 }];
  for (const [, part] of OPTIONAL_PARTS) {
    const value = of[part];
    if (!value) continue;
    named = named.flatMap((one) => [{ identity: { ...one.identity, [part]: value }, parts: one.parts + 1 }, one]);
  }
  return named.sort((a, b) => b.parts - a.parts).map((one) => sessionIDOf(one.identity));
}
