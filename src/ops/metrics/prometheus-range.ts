// The plots of longer ranges than an hour: asks Prometheus for them by `query_range`, with the expressions of this file only, and gives
// the series under the names that the last hour has in memory. Leaves scraping to Prometheus, and its address to the setting.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { METRICS, ORDER_STAGES } from './declarations.ts';
import type { Plots } from './plot-ring.ts';

export interface PrometheusAddress {
  /** Base of its API: `http://127.0.0.1:9090`. */
  readonly url: string;
  /** Label matchers that every query has, such as `instance="gateway-1:8470"`; empty for none. */
  readonly match: string;
}

/** Length and step of each range. A few hundred points fill a plot. */
export const RANGES = {
  '6h': { ms: 21_600_000, stepMs: 60_000 },
  '24h': { ms: 86_400_000, stepMs: 300_000 },
  '7d': { ms: 604_800_000, stepMs: 1_800_000 },
} as const;
export type PlotRange = keyof typeof RANGES;

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 16_777_216;
/** A rate needs several scrapes: four of one a minute. */
const WINDOW_MS_MIN = 240_000;
const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 } as const;

/** Expressions by the name of their series. `labels` are matchers with a comma before each; `window` is a duration. */
type Expressions = ReadonlyMap<string, string>;

interface Writing {
  readonly match: string;
  readonly window: string;
}

/** The expressions of the plots of the gateway. */
function ofGateway({ match, window }: Writing): Expressions {
  const of = (name: string, labels = ''): string => `${name}{${[labels, match].filter((one) => one !== '').join(',')}}`;
  const quantile = (share: number, name: string, labels = ''): string =>
    `1000 * histogram_quantile(${share}, sum by (le) (rate(${of(`${name}_bucket`, labels)}[${window}])))`;
  const expressions = new Map<string, string>();
  for (const direction of ['in', 'out']) {
    expressions.set(
      `messages.${direction}`,
      `sum(rate(${of(METRICS.messages.name, `direction="${direction}"`)}[${window}]))`,
    );
  }
  for (const [percentile, share] of Object.entries(QUANTILES)) {
    expressions.set(`order.${percentile}`, quantile(share, METRICS.orderReport.name, 'by="exchange"'));
    expressions.set(`exchange.${percentile}`, quantile(share, METRICS.exchangeCommand.name));
    expressions.set(`journal.${percentile}`, quantile(share, METRICS.journalCommit.name));
  }
  for (const stage of ORDER_STAGES)
    expressions.set(`stage.${stage}.p99`, quantile(0.99, METRICS.orderStage.name, `stage="${stage}"`));
  for (const state of ['pendingNew', 'new', 'partiallyFilled'])
    expressions.set(`orders.${state}`, `sum(${of(METRICS.orders.name, `state="${state}"`)})`);
  for (const [name, metric] of Object.entries({ mean: 'mean', p99: 'p99', max: 'max' }))
    expressions.set(
      `loop.${name}`,
      `1000 * max(max_over_time(${of(`nodejs_eventloop_lag_${metric}_seconds`)}[${window}]))`,
    );
  return expressions;
}

/** The expressions of the plots of one session, by its name. */
function ofSession(session: string, { match, window }: Writing): Expressions {
  const name = `session=${JSON.stringify(session)}`;
  const of = (metric: string, labels = ''): string =>
    `${metric}{${[name, labels, match].filter((one) => one !== '').join(',')}}`;
  const number = (direction: string): string =>
    `max(${of(METRICS.sessionNextSeqNum.name, `direction="${direction}"`)})`;
  return new Map([
    ['session.out', number('out')],
    ['session.in', number('in')],
    ['session.waiting', `max(max_over_time(${of(METRICS.sessionGapQueued.name)}[${window}]))`],
    ['session.resends', `sum(increase(${of(METRICS.sessionResendRequests.name)}[${window}]))`],
  ]);
}

/**
 * The plots of a range that ends now; of one session, if its name is given.
 * @throws CrossgateError XG_PROMETHEUS_UNAVAILABLE if Prometheus does not answer, or refuses
 */
export async function plotsFrom(
  address: PrometheusAddress,
  { range, session, now }: { readonly range: PlotRange; readonly session?: string | undefined; readonly now: EpochMs },
): Promise<Plots> {
  const { ms, stepMs } = RANGES[range];
  // Not at a whole step: the last point is that of now.
  const end = Math.floor(now);
  const begin = end - ms;
  const writing = { match: address.match, window: `${Math.max(stepMs, WINDOW_MS_MIN) / 1000}s` };
  const expressions = session === undefined ? ofGateway(writing) : ofSession(session, writing);
  const at = Array.from({ length: ms / stepMs + 1 }, (_, index) => begin + index * stepMs);
  const time = { start: begin / 1000, end: end / 1000, step: stepMs / 1000 };
  const series: Record<string, readonly (number | null)[]> = {};
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // One after the other: a small Prometheus serves dashboards too.
  for (const [name, query] of expressions) {
    const values = new Map(await valuesOf(address.url, { query, ...time }, signal));
    series[name] = at.map((moment) => values.get(moment / 1000) ?? null);
  }
  return { stepMs, at, series };
}

interface RangeQuery {
  readonly query: string;
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** Values by their second. */
async function valuesOf(
  url: string,
  wanted: RangeQuery,
  signal: AbortSignal,
): Promise<(readonly [second: number, value: number])[]> {
  const body = new URLSearchParams({
    query: wanted.query,
    start: String(wanted.start),
    end: String(wanted.end),
    step: String(wanted.step),
  });
  let text: string;
  let status: number;
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/api/v1/query_range`, { method: 'POST', body, signal });
    status = response.status;
    text = await boundedText(response);
  } catch (cause) {
    const why = signal.aborted ? `it takes longer than ${TIMEOUT_MS / 1000} s` : reasonOf(cause);
    throw new CrossgateError('XG_PROMETHEUS_UNAVAILABLE', `Prometheus at ${url} does not answer: ${why}`, { cause });
  }
  const answer = parsed(text);
  if (answer?.status !== 'success')
    throw new CrossgateError(
      'XG_PROMETHEUS_UNAVAILABLE',
      `Prometheus at ${url} refuses the query (HTTP ${status}): ${answer?.error?.slice(0, 300) ?? 'its answer is no JSON of its API'}`,
    );
  const [first] = answer.data?.result ?? [];
  return (first?.values ?? []).flatMap(([second, value]) => {
    const number = Number(value);
    return Number.isFinite(number) ? [[second, Number(number.toPrecision(6))] as const] : [];
  });
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface RangeAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result?: readonly { readonly values: readonly (readonly [number, string])[] }[] };
}

function parsed(text: string): RangeAnswer | null {
  try {
    return JSON.parse(text) as RangeAnswer;
  } catch {
    return null;
  }
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : String(inner);
}
