// Metrics in Prometheus' text format. Most are read from the engine on a scrape; only passing events (times of commits
// and exchange commands) are accumulated. session-metrics.ts has those per session. Labels are configured names or
// fixed words.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { inTurns } from '../../engine/mod.ts';
import type { Administration, Engine, EngineObserver } from '../../runtime/mod.ts';
import { ALARM_NAMES } from './alarm-names.ts';
import { Tally } from './histogram.ts';
import { sessionLines } from './session-metrics.ts';

/** Seconds, from a fast disk to a request that timed out. */
const SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const FRAMES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];

export interface Metrics {
  readonly contentType: string;
  /** The text of one scrape. */
  render(): Promise<string>;
  close(): void;
}

/** Measure an engine. */
export function createMetrics(engine: Engine): Metrics {
  const registry = new Registry();
  // Process, memory, garbage collection and the delay of the event loop.
  collectDefaultMetrics({ register: registry });
  addGauges(registry, engine.administration, engine);
  addMessageCounters(registry, engine.administration);
  observe(registry, engine);
  return {
    contentType: registry.contentType,
    render: async () => {
      const ofAll = await registry.metrics();
      return `${ofAll}${await inTurns(sessionLines(engine.administration.sessions()))}`;
    },
    close: () => registry.clear(),
  };
}

/** A gauge that is read when scraped: `read` gives every value with its labels. Those of the same labels are added up. */
function gauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  read: () => readonly (readonly [labels: Record<Label, string>, value: number])[],
): void {
  new Gauge({
    name: `crossgate_${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

function addGauges(registry: Registry, administration: Administration, engine: Engine): void {
  const none = {} as Record<never, string>;
  gauge(registry, 'ready', '1 while orders of every session can be taken.', [], () => [
    [none, administration.health().ready ? 1 : 0],
  ]);
  gauge(registry, 'partly_ready', '1 while orders of some can be: an exchange login works.', [], () => [
    [none, administration.health().partlyReady ? 1 : 0],
  ]);
  gauge(registry, 'journal_healthy', '1 while the journal can record.', [], () => [
    [none, engine.journalHealth.healthy ? 1 : 0],
  ]);
  gauge(registry, 'orders', 'Orders known to this process, by state.', ['state'], () => {
    const counts = administration.orders.counts();
    return (['pendingNew', 'new', 'partiallyFilled', 'ended'] as const).map((state) => [{ state }, counts[state]]);
  });
  const logins = (): ReturnType<Administration['exchangeLogins']> => administration.exchangeLogins();
  gauge(registry, 'exchange_login_up', '1 while the exchange login is up.', ['credential'], () =>
    logins().map(({ name, up }) => [{ credential: name }, up ? 1 : 0]),
  );
  gauge(registry, 'exchange_feed_live', '1 while its stream of orders and trades is live.', ['credential'], () =>
    logins().map(({ name, privateFeedLive }) => [{ credential: name }, privateFeedLive ? 1 : 0]),
  );
  gauge(registry, 'exchange_in_flight', 'Commands sent to the exchange without an outcome.', ['credential'], () =>
    logins().map(({ name, inFlight }) => [{ credential: name }, inFlight]),
  );
}

function addMessageCounters(registry: Registry, administration: Administration): void {
  new Counter({
    name: 'crossgate_messages_total',
    help: 'FIX messages counted by sequence numbers since the start, by direction and MsgType(35).',
    labelNames: ['direction', 'msg_type'],
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

function observe(registry: Registry, engine: Engine): void {
  const commits = new Tally(registry, {
    name: 'crossgate_journal_commit_seconds',
    help: 'Time to make a batch of journal frames durable; `disk` survives power loss, `process` the death of the process.',
    label: 'durability',
    bounds: SECONDS,
  });
  const frames = new Tally(registry, {
    name: 'crossgate_journal_batch_frames',
    help: 'Journal frames in one batch.',
    label: null,
    bounds: FRAMES,
  });
  const outcomes = new Tally(registry, {
    name: 'crossgate_exchange_command_seconds',
    help: 'Time from sending a command to its outcome, by outcome.',
    label: 'outcome',
    bounds: SECONDS,
  });
  const alarms = new Counter({
    name: 'crossgate_alarms_total',
    help: 'Alarms since the start, by name.',
    labelNames: ['alarm'],
    registers: [registry],
  });
  const bridge = observeBridge(registry, engine);
  for (const alarm of ALARM_NAMES) alarms.inc({ alarm }, 0);
  for (const { alarm } of engine.alarms) alarms.inc({ alarm });
  engine.observer = {
    committed(count, ms, synced) {
      frames.observe('', count);
      commits.observe(synced ? 'disk' : 'process', ms / 1000);
    },
    outcome: (kind, ms) => outcomes.observe(kind, ms / 1000),
    alarm: (alarm) => alarms.inc({ alarm }),
    ...bridge,
  };
}

/** Requests without a caller's token have the empty name: strangers cannot invent labels. */
function observeBridge(registry: Registry, engine: Engine): Pick<EngineObserver, 'bridgeAnswered' | 'listenerDropped'> {
  const callers = (): readonly { name: string; requests: number; streams: number }[] => engine.bridge?.callers() ?? [];
  gauge(registry, 'bridge_requests_in_flight', 'Requests under way over the bridge.', ['caller'], () =>
    callers().map(({ name, requests }) => [{ caller: name }, requests]),
  );
  gauge(registry, 'bridge_streams', 'Listeners of the streams that the bridge serves.', ['caller'], () =>
    callers().map(({ name, streams }) => [{ caller: name }, streams]),
  );
  const requests = new Counter({
    name: 'crossgate_bridge_requests_total',
    help: 'Requests answered over the bridge since the start, by caller (empty: none that is known) and HTTP status.',
    labelNames: ['caller', 'status'],
    registers: [registry],
  });
  const times = new Tally(registry, {
    name: 'crossgate_bridge_request_seconds',
    help: 'Time from a request over the bridge to its answer.',
    label: 'caller',
    bounds: SECONDS,
  });
  const dropped = new Counter({
    name: 'crossgate_bridge_listeners_dropped_total',
    help: 'Listeners that the bridge dropped since the start.',
    labelNames: ['caller'],
    registers: [registry],
  });
  for (const { name } of callers()) dropped.inc({ caller: name }, 0);
  return {
    bridgeAnswered(caller, status, ms) {
      requests.inc({ caller, status: String(status) });
      times.observe(caller, ms / 1000);
    },
    listenerDropped: (caller) => dropped.inc({ caller }),
  };
}
