// Lists as REST answers them: a bare array of one page, or with `_metaData=true` a wrapper with links (exchange reference §1.3).

import { type EpochMs, parseIso } from '../../base/time.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import type { Json } from './rendering.ts';
import type { RouteRequest } from './route.ts';

const PAGE_SIZES: ReadonlySet<string> = new Set(['5', '25', '50', '100']);
const DAY_MS = 86_400_000;

/** Cut one page out of `items`, newest first; `idOf` names an item in cursors. */
export function page<T>(
  request: RouteRequest,
  items: readonly T[],
  idOf: (item: T) => string,
  render: (item: T) => Json,
): unknown {
  const { query } = request;
  const size = query._pageSize ?? '25';
  if (!PAGE_SIZES.has(size)) throw invalidRequest('_pageSize is not one of 5, 25, 50, 100');
  const start = startOf(query, items, idOf, Number(size));
  const shown = items.slice(start, start + Number(size));
  const data = shown.map(render);
  if (query._metaData !== 'true') return data;
  const links: Record<string, string> = {};
  const last = shown.at(-1);
  if (last !== undefined && start + shown.length < items.length) links.next = link(request, '_nextPage', idOf(last));
  if (start > 0 && shown[0] !== undefined) links.previous = link(request, '_previousPage', idOf(shown[0]));
  return { data, links };
}

function startOf<T>(
  query: Readonly<Record<string, string>>,
  items: readonly T[],
  idOf: (item: T) => string,
  size: number,
): number {
  const next = query._nextPage;
  const previous = query._previousPage;
  if (next === undefined && previous === undefined) return 0;
  const id = Buffer.from(next ?? previous ?? '', 'base64').toString('latin1');
  const index = items.findIndex((item) => idOf(item) === id);
  if (index === -1) throw invalidRequest('The page cursor is not valid');
  return next !== undefined ? index + 1 : Math.max(0, index - size);
}

function link(request: RouteRequest, cursor: '_nextPage' | '_previousPage', id: string): string {
  const { _nextPage: _n, _previousPage: _p, ...kept } = request.query;
  const query = new URLSearchParams({ ...kept, [cursor]: Buffer.from(id, 'latin1').toString('base64') });
  return `${request.path}?${query}`;
}

/** A range of time in a query, from `name`Datetime or `name`Timestamp filters; open ends are null. */
export interface TimeRange {
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
}

/** Read `…[gte|gt|lte|lt]` filters of a time field. @throws Refusal if a value is no time */
export function timeRange(query: Readonly<Record<string, string>>, name = 'createdAt'): TimeRange {
  const at = (operator: string): EpochMs | null => {
    const iso = query[`${name}Datetime[${operator}]`];
    const ms = query[`${name}Timestamp[${operator}]`];
    if (iso === undefined && ms === undefined) return null;
    const value = iso !== undefined ? parseIso(iso) : /^\d{1,15}$/.test(ms!) ? Number(ms) : null;
    if (value === null) throw invalidRequest(`${name} filter is not a time`);
    return value;
  };
  const after = at('gt');
  const before = at('lt');
  return {
    from: at('gte') ?? (after === null ? null : after + 1),
    to: at('lte') ?? (before === null ? null : before - 1),
  };
}

export function isWithin(range: TimeRange, at: EpochMs): boolean {
  return (range.from === null || at >= range.from) && (range.to === null || at <= range.to);
}

/**
 * The range of a history query: at most 7 days, at most 90 days back (exchange reference §1.3). `always`: required
 * under any setting, as the catalogue marks it. @throws Refusal
 */
export function historyRange(request: RouteRequest, name = 'createdAt', { always = false } = {}): TimeRange {
  const range = timeRange(request.query, name);
  if (range.from === null || range.to === null) {
    if (always || request.host.settings.historyRangeRequired) throw invalidRequest('A date range is required');
    return range;
  }
  if (range.to < range.from) throw invalidRequest('The date range ends before it begins');
  const { historyDaysMax } = request.host.settings;
  if (range.to - range.from > historyDaysMax * DAY_MS) {
    throw invalidRequest(`The date range is longer than ${historyDaysMax} days`);
  }
  if (range.from < request.now - 91 * DAY_MS) throw invalidRequest('The date range begins more than 90 days ago');
  return range;
}

/** Refuse filters that an endpoint does not have. @throws Refusal 23001 */
export function onlyFilters(request: RouteRequest, allowed: readonly string[]): void {
  for (const name of Object.keys(request.query)) {
    if (name.startsWith('_') || name === 'tradingAccountId') continue;
    const field = name.replace(/\[(gte|gt|lte|lt)\]$/, '');
    if (allowed.includes(field) || field === 'createdAtDatetime' || field === 'createdAtTimestamp') continue;
    throw new Refusal(400, 23001, 'QUERY_FILTER_ERROR', `Field '${field.slice(0, 40)}' cannot be filtered`);
  }
}
