// Metrics in Prometheus' text format. Most are read from the engine on a scrape; only passing events (times of orders,
// commits and exchange commands) are accumulated. session-metrics.ts has those per session. Labels are configured names
// or fixed words. declarations.ts has their texts.

import process from 'node:process';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { AdministeredEngine, Administration } from '../../administration/mod.ts';
import { inTurns } from '../../engine/mod.ts';
import type { EngineObserver } from '../../runtime/mod.ts';
import type { AlarmDesk } from '../alarms/alarm-desk.ts';
import { ALARM_NAMES, severityOf } from '../alarms/alarm-severity.ts';
import type { Ending } from '../checks/certificate-watch.ts';
import { METRICS, type MetricDeclaration } from './declarations.ts';
import { Tally } from './histogram.ts';
import { observeOrders } from './order-stages.ts';
import { sessionLines } from './session-metrics.ts';

/** Seconds, from a fast disk to a request that timed out. */
const SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const FRAMES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];
/** Gauges of prom-client with the suffix of a counter: the same numbers stand beside them by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export interface Metrics {
  readonly contentType: string;
  /** Adds up passing events. */
  readonly observer: EngineObserver;
  /** The text of one scrape. */
  render(): Promise<string>;
  close(): void;
}

export interface MetricsOptions {
  readonly version: string;
  /** Ends of certificates and revocation lists. */
  readonly endings: () => readonly Pick<Ending, 'of' | 'reference' | 'endsAt'>[];
  readonly desk: Pick<AlarmDesk, 'open' | 'receivers'>;
}

/** Measure an engine. */
export function createMetrics(engine: AdministeredEngine, options: MetricsOptions): Metrics {
  const registry = processMetrics();
  addGauges(registry, engine.administration, engine);
  addDates(registry, engine.administration, options);
  addMessageCounters(registry, engine.administration);
  addDelivery(registry, options.desk);
  const observer = observe(registry, engine);
  return {
    observer,
    contentType: registry.contentType,
    render: async () => {
      const ofAll = await registry.metrics();
      return `${ofAll}${await inTurns(sessionLines(engine.administration.sessions()))}`;
    },
    close: () => registry.clear(),
  };
}

/** Process, memory, garbage collection and the delay of the event loop. */
export function processMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}

/** A gauge that is read when scraped: `read` gives every value with its labels. Those of the same labels are added up. */
function gauge<Label extends string>(
  registry: Registry,
  { name, help, labels: labelNames }: MetricDeclaration & { readonly labels: readonly Label[] },
  read: () => readonly (readonly [labels: Record<Label, string>, value: number])[],
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

function counter<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDeclaration & { readonly labels: readonly Label[] },
): Counter<Label> {
  return new Counter({ name, help, labelNames: [...labels], registers: [registry] });
}

function addGauges(registry: Registry, administration: Administration, engine: AdministeredEngine): void {
  const none = {} as Record<never, string>;
  const one = (metric: MetricDeclaration, read: () => number): void =>
    gauge<never>(registry, { ...metric, labels: [] }, () => [[none, read()]]);
  one(METRICS.ready, () => (administration.health().ready ? 1 : 0));
  one(METRICS.partlyReady, () => (administration.health().partlyReady ? 1 : 0));
  one(METRICS.journalHealthy, () => (engine.journalHealth.healthy ? 1 : 0));
  one(METRICS.journalQueueBytes, () => administration.journalQueueBytes);
  gauge(registry, METRICS.orders, () => {
    const counts = administration.orders.counts();
    return (['pendingNew', 'new', 'partiallyFilled', 'ended'] as const).map((state) => [{ state }, counts[state]]);
  });
  gauge(registry, METRICS.killSwitches, () => {
    const scopes = administration.orders.killSwitches().map(({ scope }) => scope);
    return (['session', 'account', 'all'] as const).map((scope) => [
      { scope },
      scopes.filter((thrown) => thrown === scope).length,
    ]);
  });
  const logins = (): ReturnType<Administration['exchangeLogins']> => administration.exchangeLogins();
  gauge(registry, METRICS.exchangeLoginUp, () => logins().map(({ name, up }) => [{ credential: name }, up ? 1 : 0]));
  gauge(registry, METRICS.exchangeFeedLive, () =>
    logins().map(({ name, privateFeedLive }) => [{ credential: name }, privateFeedLive ? 1 : 0]),
  );
  gauge(registry, METRICS.exchangeInFlight, () =>
    logins().map(({ name, inFlight }) => [{ credential: name }, inFlight]),
  );
}

/** Versions, and ends of what ends by a date. */
function addDates(registry: Registry, administration: Administration, { version, endings }: MetricsOptions): void {
  gauge(registry, METRICS.buildInfo, () => [[{ version, node_version: process.versions.node }, 1]]);
  gauge(registry, METRICS.exchangeToken, () =>
    administration
      .exchangeLogins()
      .flatMap(({ name, tokenExpiresAt }) =>
        tokenExpiresAt === null ? [] : [[{ credential: name }, tokenExpiresAt / 1000] as const],
      ),
  );
  gauge(registry, METRICS.certificate, () => {
    // One place may have a certificate and several lists: the first to end counts.
    const first = new Map<string, readonly [{ of: string; reference: string }, number]>();
    for (const { of, reference, endsAt } of endings()) {
      const known = first.get(`${of} ${reference}`);
      if (known === undefined || endsAt / 1000 < known[1])
        first.set(`${of} ${reference}`, [{ of, reference }, endsAt / 1000]);
    }
    return [...first.values()];
  });
}

function addMessageCounters(registry: Registry, administration: Administration): void {
  const { name, help, labels } = METRICS.messages;
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      // Added up first: the library looks the labels up with each addition.
      const sums = { in: new Map<string, number>(), out: new Map<string, number>() };
      for (const counts of administration.messageCounts()) {
        for (const direction of ['in', 'out'] as const) {
          const sum = sums[direction];
          for (const [msgType, count] of counts[direction]) sum.set(msgType, (sum.get(msgType) ?? 0) + count);
        }
      }
      for (const direction of ['in', 'out'] as const) {
        for (const [msgType, count] of sums[direction]) this.inc({ direction, msg_type: msgType }, count);
      }
    },
  });
}

function addDelivery(registry: Registry, desk: MetricsOptions['desk']): void {
  gauge(registry, METRICS.alarmsOpen, () => {
    const open = desk.open().filter(({ acknowledged }) => acknowledged === null);
    return (['critical', 'warning', 'info'] as const).map((severity) => [
      { severity },
      open.filter((alarm) => alarm.severity === severity).length,
    ]);
  });
  gauge(registry, METRICS.notificationsQueued, () =>
    desk.receivers().map(({ name, queued }) => [{ receiver: name }, queued]),
  );
  const { name, help, labels } = METRICS.notifications;
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name: receiver, delivered, failed, dropped } of desk.receivers()) {
        for (const [outcome, count] of Object.entries({ delivered, failed, dropped }))
          this.inc({ receiver, outcome }, count);
      }
    },
  });
}

function observe(registry: Registry, engine: AdministeredEngine): EngineObserver {
  const commits = new Tally(registry, { ...METRICS.journalCommit, bounds: SECONDS });
  const frames = new Tally(registry, { ...METRICS.journalBatch, bounds: FRAMES });
  const outcomes = new Tally(registry, { ...METRICS.exchangeCommand, bounds: SECONDS });
  // There before the first one: a rate needs a beginning.
  for (const durability of ['disk', 'process']) commits.begin(durability);
  for (const outcome of ['accepted', 'refused', 'unknown']) outcomes.begin(outcome);
  const alarms = counter(registry, METRICS.alarms);
  const bridge = observeBridge(registry, engine);
  const orderReported = observeOrders(registry);
  const labelsOf = (alarm: string) => ({ alarm, severity: severityOf(alarm) });
  for (const alarm of ALARM_NAMES) alarms.inc(labelsOf(alarm), 0);
  for (const { alarm } of engine.alarms) alarms.inc(labelsOf(alarm));
  return {
    committed(count, ms, synced) {
      frames.observe('', count);
      commits.observe(synced ? 'disk' : 'process', ms / 1000);
    },
    outcome: (kind, ms) => outcomes.observe(kind, ms / 1000),
    orderReported,
    alarm: ({ alarm }) => alarms.inc(labelsOf(alarm)),
    ...bridge,
  };
}

/** Requests without a caller's token have the empty name: strangers cannot invent labels. */
function observeBridge(
  registry: Registry,
  engine: AdministeredEngine,
): Pick<EngineObserver, 'bridgeAnswered' | 'listenerDropped'> {
  const callers = (): readonly { name: string; requests: number; streams: number }[] => engine.bridge?.callers() ?? [];
  gauge(registry, METRICS.bridgeInFlight, () => callers().map(({ name, requests }) => [{ caller: name }, requests]));
  gauge(registry, METRICS.bridgeStreams, () => callers().map(({ name, streams }) => [{ caller: name }, streams]));
  const requests = counter(registry, METRICS.bridgeRequests);
  const times = new Tally(registry, { ...METRICS.bridgeRequest, bounds: SECONDS });
  const dropped = counter(registry, METRICS.bridgeDropped);
  for (const { name } of callers()) dropped.inc({ caller: name }, 0);
  return {
    bridgeAnswered(caller, status, ms) {
      requests.inc({ caller, status: String(status) });
      times.observe(caller, ms / 1000);
    },
    listenerDropped: (caller) => dropped.inc({ caller }),
  };
}
