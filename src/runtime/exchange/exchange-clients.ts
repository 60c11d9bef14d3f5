// Makes one exchange client per credential and joins it to the engine: its key, its nonce ceiling, its alarms.

import { CrossgateError } from '../../base/errors.ts';
import type { FeedName } from '../../bridge/mod.ts';
import { AddressBudget, createExchangeClient, DEFAULT_RATES, type ExchangeClient } from '../../exchange-client/mod.ts';
import { isListenedTo } from '../bridge.ts';
import type { EngineObserver } from '../gateway-observer.ts';
import type { RunningEngine } from '../running-engine.ts';
import { exchangeTls, readCredential } from './exchange-key.ts';
import { ExchangeLink, type ExchangeLinkOptions } from './exchange-link.ts';
import { OpenLoginFiles } from './open-logins.ts';

const FEEDS: readonly FeedName[] = ['private', 'auction'];

/** One link per configured credential; the first also carries the public feeds (auction phases, reference prices). */
export function createLinks(engine: RunningEngine): Map<string, ExchangeLink> {
  const { config, journal, log, now } = engine;
  const { exchange } = config;
  const baseUrl = exchange.baseUrl ?? engine.simulator?.url;
  if (baseUrl === undefined) {
    throw new CrossgateError('XG_CONFIG_INVALID', 'exchange.baseUrl is missing and no simulator is embedded');
  }
  const links = new Map<string, ExchangeLink>();
  const openLogins = new OpenLoginFiles(config.stateDirectory, log);
  // One address sends for all logins: above its limit the exchange blocks all of them (rule B4).
  const addressBudget = new AddressBudget({ ...DEFAULT_RATES, ...exchange.rates });
  engine.addressBudget = addressBudget;
  addressBudget.shareWith(config.addressParts ?? 1);
  for (const credential of exchange.credentials) {
    const { name } = credential;
    const alarm = (kind: string, text: string, fields: Readonly<Record<string, string>>): void =>
      engine.alarm(kind, text, { credential: name, ...fields });
    const port = createExchangeClient({
      name,
      baseUrl,
      tls: exchangeTls(exchange),
      credential: readCredential(credential),
      dialect: exchange.dialect,
      prehash: exchange.prehash,
      tradingAccountIds: [...credential.tradingAccountIds],
      auctionSymbols: links.size === 0 ? 'all' : [],
      ...(links.size === 0 ? {} : { referenceSymbols: [] }),
      neededSymbols: () => engine.gateway.openSymbols(),
      nonceMode: exchange.nonceMode,
      nonceCeiling: journal.recovered.nonces.get(name) ?? null,
      onNonceCeiling: (ceiling) => engine.dispatcher.record({ kind: 'nonce', credential: name, nonce: ceiling }),
      rates: exchange.rates,
      addressBudget,
      timeouts: { ...exchange.timeouts, requestMs: exchange.requestTimeoutMs },
      settings: exchange.settings,
      openLogins: openLogins.of(name, baseUrl),
      onSent: (commandId) => engine.orderWatch.sent(commandId),
      now,
      log: (level, text, fields) => log(level, text, { credential: name, ...fields, ...traceOf(engine, fields) }),
      onAlarm: (kind, text, fields) =>
        alarm(kind, text, {
          ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)])),
          ...traceOf(engine, fields),
        }),
    });
    const input = engine.dispatcher.applicationInput.bind(engine.dispatcher);
    const onOutcome: EngineObserver['outcome'] = (kind, ms) => engine.observer.outcome(kind, ms);
    if (links.size === 0) port.onMarketData = (event) => input({ kind: 'marketData', event });
    if (links.size === 0) joinPublicFeeds(engine, name, port);
    joinPrivateFeeds(engine, name, port);
    engine.exchangeClients.set(name, port);
    const onFeed: ExchangeLinkOptions['onFeed'] = (feed, live) => engine.feeds.setLive(name, feed, live);
    const onReconciled = (): void => engine.letIn();
    const isLookupWanted = engine.gateway.isLookupWanted.bind(engine.gateway);
    const told = { isLookupWanted, onOutcome, onFeed, onReconciled };
    links.set(name, new ExchangeLink({ credential, port, input, alarm, log, ...told }));
  }
  return links;
}

/** One connection per public feed serves the gateway's market data and the bridge's listeners. */
function joinPublicFeeds(engine: RunningEngine, name: string, port: ExchangeClient): void {
  if (!isListenedTo(engine, name, 'tick')) return;
  port.marketListener = {
    frame: (topic, subject, frame) => engine.publicFeeds.take(topic, subject, frame),
    lost: (topics) => engine.publicFeeds.lost(topics),
    refused: (topic, subject) => engine.publicFeeds.refused(topic, subject),
  };
}

/** The bridge's listeners hear what the login hears. */
function joinPrivateFeeds(engine: RunningEngine, name: string, port: ExchangeClient): void {
  const kept = FEEDS.filter((feed) => isListenedTo(engine, name, feed));
  if (kept.length === 0) return;
  port.onFrame = (feed, frame) => {
    if (kept.includes(feed)) engine.feeds.take(name, feed, frame);
  };
  port.onConnect = (feed) => engine.feeds.forget(name, feed);
  port.onTopicRefused = (topic, account) => engine.feeds.refuse(name, topic, account);
}

/** The trace id of the order that a line is about, by the exchange's id of it. */
function traceOf({ gateway }: RunningEngine, { orderId }: Readonly<Record<string, unknown>>): { trace?: string } {
  const order = typeof orderId === 'string' ? gateway.findByOrderID(orderId) : null;
  return order === null ? {} : { trace: order.traceId };
}
