// Joins the bridge to the engine: the exchange clients that orders use, their streams, the audit trail. The bridge
// decides its functions and refusals.

import { type Bridge, type FeedName, loadBridge, STREAMS, startBridge } from '../bridge/mod.ts';
import { HttpsDoor } from '../engine/mod.ts';
import type { RunningEngine } from './running-engine.ts';

/** Longest wait for an entry of the audit trail to be on disk. */
const AUDIT_WAIT_MS = 5_000;
/** Longest wait of a caller for the outcome of a cancel: the exchange may have to be logged in to first. */
const OUTCOME_WAIT_MS = 20_000;

export { loadBridge };

/** Open the bridge if one is configured. @throws CrossgateError naming what cannot start */
export async function openBridge(engine: RunningEngine): Promise<Bridge | null> {
  const { config, exchangeClients, feeds, publicFeeds, log, now } = engine;
  if (config.bridge === null) return null;
  const { host, port, hosts, origins, tls, frontToken, callers, limits } = config.bridge;
  const door = tls === null ? null : new HttpsDoor({ of: 'bridge', config: tls, refusesInHandshake: true, log });
  const bridge = await startBridge({
    host,
    port,
    hosts,
    origins,
    tls: door,
    ...(frontToken === undefined ? {} : { frontToken }),
    callers,
    limits: { ...limits, closeWaitMs: config.limits.shutdownWaitMs },
    exchanges: exchangeClients,
    feeds,
    publicFeeds,
    killSwitchOf: (tradingAccountId) => engine.gateway.killSwitchOf(tradingAccountId),
    legRefusalOf: (tradingAccountId, leg) =>
      engine.gateway.legRefusal(tradingAccountId, leg, now(), (symbol) =>
        [...exchangeClients.values()][0]?.followPrice(symbol),
      ),
    tradeRefusalOf: (tradingAccountId, legs) => engine.gateway.tradeRefusal(tradingAccountId, legs, now()),
    cancel: (commandId, { name, credential }, command) =>
      engine.callersCommands.outcomeOf(commandId, OUTCOME_WAIT_MS, () =>
        engine.dispatcher.applicationInput({ kind: 'bridgeCancel', commandId, credential, who: name, command }),
      ),
    orders: {
      takes: (tradingAccountId) => engine.restOrders.takes(tradingAccountId),
      enter: ({ name }, command) => engine.restOrders.enter(name, command),
    },
    delayedCancelRefusalOf: (tradingAccountId) => engine.gateway.delayedCancelRefusal(tradingAccountId),
    observer: {
      bridgeAnswered: (caller, status, ms) => engine.observer.bridgeAnswered(caller, status, ms),
      listenerDropped: (caller) => engine.observer.listenerDropped(caller),
    },
    now,
    log: (level, text, fields) => log(level, `bridge: ${text}`, fields),
    audit: (who, action, detail) => auditDurably(engine, who, action, detail),
  });
  if (door === null) return bridge;
  return { ...bridge, renewals: (isNamed) => [...bridge.renewals(isNamed), ...door.renewals(isNamed, now())] };
}

/** Whether a caller of the bridge may listen to a feed of this login; the public one is everybody's. */
export function isListenedTo({ config }: RunningEngine, credential: string, feed: FeedName): boolean {
  const needed = STREAMS.filter((stream) => stream.feed === feed).map(({ needs }) => needs);
  const callers = config.bridge?.callers.filter(({ functions }) => needed.some((one) => functions.includes(one))) ?? [];
  return feed !== 'private' ? callers.length > 0 : callers.some((caller) => caller.credential === credential);
}

/** Put an action into the journal and wait until it survives power loss; false if that cannot be had in time. */
function auditDurably(engine: RunningEngine, who: string, action: string, detail: string): Promise<boolean> {
  engine.log('info', `audit: ${action}`, { who, detail });
  if (!engine.journalHealth.healthy) return Promise.resolve(false);
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), AUDIT_WAIT_MS);
    const recorded = {
      evenIfUnrecorded: false,
      run: () => {
        clearTimeout(late);
        resolve(true);
      },
    };
    const records = [{ kind: 'audit', who, action, detail }] as const;
    engine.commits.commit({ records, consequences: [recorded], durability: 'disk', at: engine.now(), sessions: [] });
  });
}
