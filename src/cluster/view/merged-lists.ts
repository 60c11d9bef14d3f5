// Lists of several partitions as one: each row with its partition, sorted and cut as one gateway's list is. Pure.

import type { SessionView } from '../../administration/mod.ts';
import type { Alarm } from '../../engine/mod.ts';
import type { OpenAlarm, ProposalView, Silence } from '../../ops/mod.ts';
import type { KillSwitchView, OrderSnapshot } from '../../runtime/mod.ts';
import { isGood, type Json, type Reply } from './fleet.ts';

/** A row of a partition. */
export type Row<T> = T & { readonly partition: string };

/** The rows below a key of each answer, with their partitions. A partition of another version may lack the list. */
export function rowsIn<T extends object>(replies: readonly Reply[], key: string): Row<T>[] {
  return replies.filter(({ status }) => isGood(status)).flatMap(({ place, json }) => rowsOf<T>(place.name, json, key));
}

export function rowsOf<T extends object>(partition: string, json: Json | null, key: string): Row<T>[] {
  const list = json?.[key];
  return Array.isArray(list) ? list.map((row: T) => ({ ...row, partition })) : [];
}

export function mergedSessions(sessions: readonly Row<SessionView>[]): Row<SessionView>[] {
  return [...sessions].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The latest first. */
export function mergedOrders(
  orders: readonly Row<OrderSnapshot>[],
  limit: number,
): { orders: Row<OrderSnapshot>[]; isCut: boolean } {
  const sorted = [...orders].sort((a, b) => b.receivedAt - a.receivedAt);
  return { orders: sorted.slice(0, limit), isCut: sorted.length > limit };
}

/** The latest first. */
export function mergedAlarms<A extends Alarm>(alarms: readonly Row<A>[], limit: number): Row<A>[] {
  return [...alarms].sort((a, b) => b.at - a.at).slice(0, limit);
}

/** The one that was raised last first; an id says its partition, where it is one of several. */
export function mergedOpenAlarms(alarms: readonly Row<OpenAlarm>[]): Row<OpenAlarm>[] {
  return [...alarms].sort((a, b) => b.lastAt - a.lastAt).map(withPlacedId);
}

export function mergedSilences(silences: readonly Row<Silence>[]): Row<Silence>[] {
  return [...silences].sort((a, b) => a.until - b.until).map(withPlacedId);
}

export function mergedProposals(proposals: readonly Row<ProposalView>[]): Row<ProposalView>[] {
  return [...proposals].sort((a, b) => a.proposedAt - b.proposedAt);
}

/** Numbers of alarms and silences are counted by each partition. */
function withPlacedId<T extends { readonly id: string; readonly partition: string }>(row: T): T {
  return { ...row, id: `${row.partition}/${row.id}` };
}

/** The partition of such an id, and the id there; null for the partition where it names none. */
export function placedId(id: string): { partition: string | null; id: string } {
  const end = id.lastIndexOf('/');
  return end < 0 ? { partition: null, id } : { partition: id.slice(0, end), id: id.slice(end + 1) };
}

/** `partition` names all of them. */
export type MergedKillSwitch = Row<KillSwitchView> & { readonly partitions: readonly string[] };

/** One row for a switch that was thrown in several partitions at once, with the open orders of all. */
export function mergedKillSwitches(switches: readonly Row<KillSwitchView>[]): MergedKillSwitch[] {
  const merged = new Map<string, MergedKillSwitch>();
  for (const one of switches) {
    const { scope, name, thrownBy, why, liftAskedBy } = one;
    const key = JSON.stringify([scope, name, thrownBy, why, liftAskedBy]);
    const known = merged.get(key);
    merged.set(key, known === undefined ? { ...one, partitions: [one.partition] } : bothOf(known, one));
  }
  return [...merged.values()];
}

function bothOf(known: MergedKillSwitch, one: Row<KillSwitchView>): MergedKillSwitch {
  const partitions = [...known.partitions, one.partition];
  return {
    ...known,
    thrownAt: Math.min(known.thrownAt, one.thrownAt),
    liftAskedUntil: earlier(known.liftAskedUntil, one.liftAskedUntil),
    openOrders: known.openOrders + one.openOrders,
    partitions,
    partition: partitions.join(', '),
  };
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** Sentences of all partitions: once what several say, with the names of those that say it unless all do. */
export function mergedSentences(
  parts: readonly { readonly name: string; readonly texts: readonly string[] }[],
): string[] {
  const sayers = new Map<string, string[]>();
  for (const { name, texts } of parts) {
    for (const text of texts) sayers.set(text, [...(sayers.get(text) ?? []), name]);
  }
  return [...sayers].map(([text, names]) => (names.length === parts.length ? text : `${names.join(', ')}: ${text}`));
}
