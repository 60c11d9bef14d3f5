// The outcome of an action in several partitions, as one answer: done, partly done, refused, or not known. Pure.

import { detailOf, isGood, type Reply } from './fleet.ts';

/** The outcome in one partition. */
export interface PartOfAction {
  readonly name: string;
  readonly node: string;
  /** `unknown`: the partition gave no answer; it may be done, or may still be. `unreached`: it cannot be. */
  readonly outcome: 'done' | 'proposed' | 'nothing' | 'refused' | 'unknown' | 'unreached';
  readonly text: string;
}

export interface CombinedAction {
  readonly status: number;
  readonly body: {
    readonly done: boolean;
    /** Present where some partitions did it, and others did not. */
    readonly partial?: true;
    readonly text: string;
    readonly partitions: readonly PartOfAction[];
    /** The first one, where a second person has to confirm. */
    readonly proposal?: unknown;
  };
}

const PROPOSED = 202;
const MULTI_STATUS = 207;
const NOT_FOUND = 404;
const UNAVAILABLE = 503;

/**
 * Join the answers of all partitions that were asked.
 * @param isNothing whether a refusal says that there was nothing to do in that partition
 */
export function combinedAction(replies: readonly Reply[], isNothing = isNotThere): CombinedAction {
  const parts = replies.map((reply) => partOf(reply, isNothing));
  const [first] = replies;
  const concerned = parts.filter(({ outcome }) => outcome !== 'nothing');
  const shown = concerned.length === 0 ? parts : concerned;
  const has = (outcome: PartOfAction['outcome']): boolean => concerned.some((part) => part.outcome === outcome);
  const body = { text: textOf(shown, parts.length), partitions: parts };
  if (concerned.length === 0) return { status: first?.status ?? UNAVAILABLE, body: { ...body, done: false } };
  if (!has('done') && !has('proposed')) {
    const status = has('unknown') || has('unreached') ? UNAVAILABLE : statusOfRefusal(replies, isNothing);
    return { status, body: { ...body, done: false } };
  }
  if (has('refused') || has('unknown') || has('unreached')) {
    return { status: MULTI_STATUS, body: { ...body, done: false, partial: true, text: `PARTLY DONE. ${body.text}` } };
  }
  const proposal = replies.find(({ json }) => json?.proposal !== undefined)?.json?.proposal;
  if (proposal !== undefined) return { status: PROPOSED, body: { ...body, done: false, proposal } };
  return { status: 200, body: { ...body, done: true } };
}

/** A partition that does not have the session, the account or the order. */
export function isNotThere({ status }: Reply): boolean {
  return status === NOT_FOUND;
}

function partOf(reply: Reply, isNothing: (reply: Reply) => boolean): PartOfAction {
  const { place, status, json, silence } = reply;
  const own = { name: place.name, node: place.node };
  if (silence !== null) {
    const { mayBeDone } = reply;
    const doubt = mayBeDone ? 'it may be done there, or may still be' : 'nothing was done there';
    return { ...own, outcome: mayBeDone ? 'unknown' : 'unreached', text: `The partition ${silence}: ${doubt}.` };
  }
  const text = typeof json?.text === 'string' ? json.text : (detailOf(json) ?? `answered ${status}`);
  if (!isGood(status)) return { ...own, outcome: isNothing(reply) ? 'nothing' : 'refused', text };
  if (json?.proposal !== undefined) return { ...own, outcome: 'proposed', text };
  return { ...own, outcome: json?.done === false ? 'nothing' : 'done', text };
}

function statusOfRefusal(replies: readonly Reply[], isNothing: (reply: Reply) => boolean): number {
  return replies.find((reply) => !isGood(reply.status) && !isNothing(reply))?.status ?? UNAVAILABLE;
}

/** Once what several say, with their names; without names where there is one only. */
function textOf(parts: readonly PartOfAction[], count: number): string {
  if (count === 1) return parts[0]?.text ?? '';
  const sayers = new Map<string, string[]>();
  for (const { name, text } of parts) sayers.set(text, [...(sayers.get(text) ?? []), name]);
  return [...sayers].map(([text, names]) => `${names.join(', ')}: ${text}`).join('\n');
}
