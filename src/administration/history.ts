// The past for operators, as far back as the journal goes: messages, orders that ended, actions and alarms, the latest first, in pages.
// The search itself is the store's and runs in a thread (store/history); here its records become what people read.

import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import { redactedText } from '../base/redacted-text.ts';
import type { EpochMs } from '../base/time.ts';
import { type Alarm, versionOf } from '../engine/mod.ts';
import type { OrderFilter, OrderSnapshot } from '../gateway/mod.ts';
import { ALARM_ACTION, ALARM_BY, type RunningEngine } from '../runtime/mod.ts';
import type { SessionID } from '../session/mod.ts';
import {
  type HistoryEntry,
  type HistoryPage,
  type HistoryPlace,
  type HistoryQuery,
  HistoryThread,
  isOwedReset,
  type JournalRecord,
} from '../store/mod.ts';
import { isSecretTag } from '../wire/mod.ts';
import { type DecodedMessage, decodeMessage } from './session-view.ts';

/** Search conditions; all that are given must match. */
export interface HistoryFilter {
  /** A session by any name that operators use. */
  readonly session?: string;
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  readonly msgTypes?: readonly string[];
  /** Fields that a message has, with a value or any (null). */
  readonly tags?: readonly { readonly tag: number; readonly value: string | null }[];
  readonly clOrdID?: string;
  readonly orderID?: string;
  readonly symbol?: string;
  /** OrdStatus(39). */
  readonly status?: string;
  readonly text?: string;
  /** `next` of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** One page, the latest first. */
export interface PastPage<T> {
  readonly found: readonly T[];
  /** For the next page; null when there is nothing older. */
  readonly next: string | null;
  /** How far back the search came. */
  readonly reachedAt: EpochMs | null;
  /** Places that could not be read, in words. */
  readonly unread: readonly string[];
}

/** A message with its session, since several may be shown together. `serial` is its place on the page. */
export interface PastMessage extends DecodedMessage {
  /** Unique in the journal, for an address that shows this message. */
  readonly place: string;
  readonly sessionId: SessionID | null;
}

/** An order that ended, with the place of its record. */
type PastOrder = OrderSnapshot & { readonly place: string };

/** An action or an alarm. */
export interface PastAction {
  readonly at: EpochMs;
  readonly place: string;
  readonly who: string;
  readonly action: string;
  readonly detail: string;
}

/** No further segment is begun after so long; the page says how far it came. */
const WITHIN_MS = 1_500;
const PLACE = /^(\d{1,15})\.(\d{1,9})\.(\d{1,15})$/;

/** The part of the administration that history needs. */
interface Names {
  idOf(name: string): SessionID | null;
}

export class HistoryAdministration {
  private readonly engine: RunningEngine;
  private readonly names: Names;
  private readonly thread: HistoryThread;

  constructor(engine: RunningEngine, names: Names) {
    this.engine = engine;
    this.names = names;
    this.thread = new HistoryThread(() => {
      const { postgres, stateDirectory } = engine.config;
      if (postgres === null) return { kind: 'embedded', directory: join(stateDirectory, 'journal') };
      return { kind: 'postgres', url: postgres.url.read(), journal: postgres.journal };
    });
  }

  /** Messages. @throws CrossgateError XG_USAGE, XG_JOURNAL_UNREADABLE */
  async messages(filter: HistoryFilter): Promise<PastPage<PastMessage>> {
    this.mustNotBeSecret(filter);
    return this.pageOf(await this.search('message', filter), (entry) => this.messageOf(entry));
  }

  /** Orders that ended, each as it ended. @throws CrossgateError XG_USAGE, XG_JOURNAL_UNREADABLE */
  async orders(filter: HistoryFilter): Promise<PastPage<PastOrder>> {
    const seen = new Set<string>();
    return this.pageOf(await this.search('order', filter), ({ record, place }) => {
      const order = record.kind === 'order' ? this.engine.gateway.orderOfRecord(record.record) : null;
      // A fill after its end is another record of the same order: the latest one counts.
      if (order === null || seen.has(order.key) || !isWanted(order, filter)) return null;
      seen.add(order.key);
      return { ...order, place: placeText(place) };
    });
  }

  /** Actions of people, and alarms. @throws CrossgateError XG_USAGE, XG_JOURNAL_UNREADABLE */
  async actions(filter: HistoryFilter): Promise<PastPage<PastAction>> {
    return this.pageOf(await this.search('audit', filter), actionOf);
  }

  /** Alarms, from before the start too. @throws CrossgateError XG_USAGE, XG_JOURNAL_UNREADABLE */
  async alarms(filter: HistoryFilter): Promise<PastPage<Alarm & { readonly place: string }>> {
    const text = `${ALARM_BY} ${ALARM_ACTION} ${filter.text ?? ''}`.trim();
    return this.pageOf(await this.search('audit', { ...filter, text }), alarmOf);
  }

  async close(): Promise<void> {
    await this.thread.close();
  }

  private async search(kind: HistoryQuery['kind'], filter: HistoryFilter): Promise<HistoryPage> {
    const { session, before } = filter;
    const query: HistoryQuery = {
      kind,
      sessionIds: session === undefined ? null : [this.names.idOf(session) ?? session],
      from: filter.from ?? 0,
      to: filter.to ?? Number.MAX_SAFE_INTEGER,
      msgTypes: filter.msgTypes ?? [],
      tags: filter.tags ?? [],
      clOrdID: filter.clOrdID ?? null,
      orderID: filter.orderID ?? null,
      symbol: filter.symbol ?? null,
      ordStatus: filter.status ?? null,
      text: filter.text ?? null,
      before: before === undefined ? null : placeOf(before),
      limit: filter.limit,
      withinMs: WITHIN_MS,
    };
    return await this.thread.search(query);
  }

  private pageOf<T>(page: HistoryPage, show: (entry: HistoryEntry, nth: number) => T | null): PastPage<T> {
    const found = page.entries.flatMap((entry, nth) => show(entry, nth) ?? []);
    const { next, unread } = page;
    return { found, next: next === null ? null : placeText(next), reachedAt: next?.at ?? null, unread };
  }

  private messageOf({ place, record }: HistoryEntry): PastMessage | null {
    if (record.kind !== 'inbound' && record.kind !== 'outbound' && record.kind !== 'unsequenced') return null;
    const { sessionId, raw } = record;
    const isUnsequenced = record.kind === 'unsequenced';
    const direction = isUnsequenced ? record.direction : record.kind === 'inbound' ? 'in' : 'out';
    const msgSeqNum = isUnsequenced ? null : record.msgSeqNum;
    const kept = raw.length > 0 || isUnsequenced ? '' : `MsgType(35)=${record.msgType}: only its number is kept`;
    const note = isUnsequenced ? record.note : kept;
    const serial = place.frame + place.record / 1_000;
    const message = decodeMessage(
      { serial, at: place.at, direction, msgSeqNum, raw, note },
      this.dictionaryOf(sessionId),
    );
    return { ...message, place: placeText(place), sessionId };
  }

  /** That of the session; of one that is gone, any of its version. */
  private dictionaryOf(sessionId: SessionID | null): Parameters<typeof decodeMessage>[1] {
    const config = sessionId === null ? undefined : this.engine.sessionConfigs.get(sessionId);
    const version = config === undefined ? (sessionId?.split(':')[0] ?? '') : versionOf(config.session);
    const { dictionaries } = this.engine;
    const dictionary = dictionaries.get(version) ?? [...dictionaries.values()][0];
    if (dictionary === undefined) throw new CrossgateError('XG_DICTIONARY_INVALID', 'no dictionary is loaded');
    // A session that is gone may have had secret tags of its own: those of all count.
    const secret =
      config?.session.secretTags ??
      [...this.engine.sessionConfigs.values()].flatMap((one) => one.session.secretTags ?? []);
    return { ...dictionary, dataFields: dictionary.dataFields.withSecrets(secret) };
  }

  /** A search for the value of a password would say whether it is right. */
  private mustNotBeSecret({ tags = [] }: HistoryFilter): void {
    const own = new Set([...this.engine.sessionConfigs.values()].flatMap(({ session }) => session.secretTags ?? []));
    const secret = tags.find(({ tag }) => isSecretTag(tag) || own.has(tag));
    if (secret !== undefined)
      throw new CrossgateError('XG_USAGE', `tag ${secret.tag} is secret: it is not searched for`);
  }
}

function placeText({ frame, record, at }: HistoryPlace): string {
  return `${frame}.${record}.${Math.trunc(at)}`;
}

function placeOf(text: string): HistoryPlace {
  const [, frame, record, at] = PLACE.exec(text) ?? [];
  if (frame === undefined) throw new CrossgateError('XG_USAGE', '`before` is no place that a page before gave');
  return { frame: Number(frame), record: Number(record), at: Number(at) };
}

/** The store compares texts; here the order itself is compared. */
function isWanted(order: OrderSnapshot, { clOrdID, orderID, symbol }: Partial<OrderFilter>): boolean {
  if (clOrdID !== undefined && !order.chain.includes(clOrdID)) return false;
  if (orderID !== undefined && order.exchangeOrderId !== orderID) return false;
  return symbol === undefined || order.symbol === symbol;
}

function actionOf({ place, record }: HistoryEntry): PastAction | null {
  const told = inWords(record);
  return told === null ? null : { at: place.at, place: placeText(place), ...told };
}

function inWords(record: JournalRecord): Pick<PastAction, 'who' | 'action' | 'detail'> | null {
  if (record.kind === 'audit') {
    const { who, action, detail } = record;
    return { who, action, detail: redactedText(detail) };
  }
  if (record.kind !== 'numbers' || isOwedReset(record)) return null;
  const { sessionId, from, to, who, why } = record;
  const out = `next out ${from.nextSenderMsgSeqNum} → ${to.nextSenderMsgSeqNum}`;
  const detail = `${sessionId} ${out}, next in ${from.nextTargetMsgSeqNum} → ${to.nextTargetMsgSeqNum}: ${why}`;
  return { who, action: 'numbers changed', detail: redactedText(detail) };
}

function alarmOf({ place, record }: HistoryEntry): (Alarm & { readonly place: string }) | null {
  if (record.kind !== 'audit' || record.action !== ALARM_ACTION || record.who !== ALARM_BY) return null;
  try {
    const { alarm, text, fields } = JSON.parse(record.detail) as Omit<Alarm, 'at'>;
    return { at: place.at, place: placeText(place), alarm, text: redactedText(text), fields };
  } catch {
    return null;
  }
}
