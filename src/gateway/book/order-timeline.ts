// The history of an order for people: one text per order, a line per event, because orders are many and may rest for
// years. order-view.ts reads it.

import type { EpochMs } from '../../base/time.ts';

/** Entries kept of one order, the latest ones. */
export const TIMELINE_MAX = 40;
/** Shorter ones cannot have more entries than are kept: each has a time and a blank, and stands behind a line end. */
const SHORT = 3 * TIMELINE_MAX;
/** Characters kept of one entry, as in Text(58): an OMS's text may be as long as its message. */
const ENTRY_MAX = 500;

export type TimelineEntry = readonly [at: EpochMs, what: string];

interface Remembering {
  readonly receivedAt: EpochMs;
  /** Lines of milliseconds after `receivedAt`, to the base 36, a blank, and the event. */
  timeline: string;
}

const LINE_ENDS = /[\r\n\u2028\u2029]+/g;

/** One entry as it is kept. */
const kept = (what: string): string => what.slice(0, ENTRY_MAX).replace(LINE_ENDS, ' ');

/** Add to the history, dropping the oldest beyond the bound. */
export function remember(order: Remembering, at: EpochMs, what: string): void {
  const line = `${(at - order.receivedAt).toString(36)} ${kept(what)}`;
  order.timeline = order.timeline === '' ? line : `${order.timeline}\n${line}`;
  if (order.timeline.length < SHORT) return;
  let extra = 1 - TIMELINE_MAX;
  for (let i = order.timeline.indexOf('\n'); i !== -1; i = order.timeline.indexOf('\n', i + 1)) extra++;
  if (extra > 0) order.timeline = order.timeline.split('\n').slice(extra).join('\n');
}

/** Events, the oldest first. */
export function timelineOf(order: Remembering): TimelineEntry[] {
  if (order.timeline === '') return [];
  return order.timeline.split('\n').map((line): TimelineEntry => {
    const blank = line.indexOf(' ');
    return [order.receivedAt + Number.parseInt(line.slice(0, blank), 36), line.slice(blank + 1)];
  });
}

/** True if an alarm of this name, and of this text if one is given, is remembered: it need not be raised again. */
export function wasAlarmed(order: Remembering, alarm: string, text = ''): boolean {
  if (!order.timeline.includes(alarm)) return false;
  const entry = kept(`alarm ${alarm}: ${text}`);
  return timelineOf(order).some(([, what]) => what.startsWith(entry));
}
