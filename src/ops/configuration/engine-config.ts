// Translates checked settings into the engine's options. Leaves every check to the files before it.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListenerConfig, SecretReference, Steps } from '../../engine/mod.ts';
import type { EngineConfig, EngineSessionConfig, PostgresConfig } from '../../runtime/mod.ts';
import { type CheckedSession, sessionIdOf } from '../checks/cross-checks.ts';
import { venueOf } from '../checks/gateway-checks.ts';
import { scheduleSettings } from '../checks/schedule-check.ts';
import { accountDataSettings } from '../schema/account-data-schema.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import { marketDataSettings } from '../schema/market-data-schema.ts';
import { messageRate } from '../schema/message-rate-schema.ts';
import type { SessionSettings } from '../schema/session-schema.ts';
import { type Environment, secretReference } from '../secrets/secrets.ts';
import { toAlarms } from './alarms-config.ts';
import { toCluster } from './cluster-config.ts';
import { settingsFor } from './session-template.ts';
import { type Secret, toAdminTls, toTls } from './tls-config.ts';

/** Logon answer of a session bound to a simulated exchange (rule S8). */
const SIMULATED_TEXT = 'Simulated exchange: orders on this session are not real';

/** The folder delivered with the program. */
const DICTIONARIES = fileURLToPath(new URL('../../../dictionaries', import.meta.url));

interface Surroundings {
  readonly workingDirectory: string;
  readonly environment: Environment;
}

/** Null for the embedded journal. A missing address was reported by the checks. */
function toPostgres(
  { kind, url, journal, leaseMs, requestTimeoutMs, standby }: GatewaySettings['store'],
  secret: (reference: string) => SecretReference,
): PostgresConfig | null {
  if (kind !== 'postgres' || url === undefined) return null;
  return { url: secret(url), journal, leaseMs, requestTimeoutMs, standsBy: standby === 'wait' };
}

/** Build the engine's configuration. Settings must have passed every check. */
export function* toEngineConfig(
  settings: GatewaySettings,
  sessions: readonly CheckedSession[],
  { workingDirectory, environment }: Surroundings,
): Steps<EngineConfig> {
  const stateDirectory = resolve(workingDirectory, settings.state);
  const secret = (reference: string) => secretReference(reference, stateDirectory, environment);
  const configured: EngineSessionConfig[] = [];
  for (const session of sessions) {
    yield;
    const config = toSession(session, settings, secret, sessions);
    configured.push(session.settings.template ? withTemplate(config, session, settings, secret, sessions) : config);
  }
  return { ...toProcess(settings, stateDirectory, workingDirectory, secret), sessions: configured };
}

/** Settings outside sessions. */
function toProcess(
  settings: GatewaySettings,
  stateDirectory: string,
  workingDirectory: string,
  secret: Secret,
): Omit<EngineConfig, 'sessions'> {
  const { exchange, simulator, orders, fix, bridge } = settings;
  return {
    stateDirectory,
    journalSegmentBytes: settings.journal.segmentBytes,
    journalSnapshotBytes: settings.journal.snapshotBytes,
    journalRetentionYears: settings.journal.retentionYears,
    dailyFolder: settings.journal.dailyFiles === 'on' ? resolve(stateDirectory, settings.journal.dailyFolder) : null,
    postgres: toPostgres(settings.store, secret),
    dictionariesDirectory:
      settings.dictionaries === undefined ? DICTIONARIES : resolve(workingDirectory, settings.dictionaries),
    listeners: fix.listen.map((listener): ListenerConfig => {
      const { tls } = listener;
      return {
        name: listener.name,
        host: listener.host,
        port: listener.port,
        allowFrom: listener.allowFrom,
        proxyFrom: listener.proxyFrom,
        tls: tls === undefined ? null : toTls(tls, secret),
      };
    }),
    exchange: toExchange(exchange, secret),
    simulator: simulator.embedded ? toSimulator(settings, stateDirectory, workingDirectory) : null,
    gateway: {
      referenceRange: { first: orders.referenceFirst, last: orders.referenceLast },
      terminalWaitMs: orders.terminalWaitMs,
      lookup: { firstMs: orders.lookupFirstMs, largestMs: orders.lookupLargestMs, alarmAfter: orders.lookupAlarmAfter },
      pendingAlarmMs: orders.pendingAlarmMs,
      accountLimits: Object.fromEntries(
        orders.accountLimits.map(({ tradingAccount, ...own }) => [tradingAccount, own]),
      ),
      exclusiveAccounts: exchange.credentials.flatMap(({ exclusiveAccounts }) => exclusiveAccounts),
    },
    limits: { ...fix.limits, shutdownWaitMs: settings.shutdownWaitMs },
    bridge: bridge.enabled ? toBridge(settings, secret) : null,
    adminTls: toAdminTls(settings, secret),
    alarms: toAlarms(settings, secret),
    cluster: toCluster(settings, secret),
    busyPollMicros: settings.busyPollMicros,
    workers: settings.workers,
  };
}

function toExchange(exchange: GatewaySettings['exchange'], secret: Secret): EngineConfig['exchange'] {
  const secretOrNull = (reference?: string) => (reference === undefined ? null : secret(reference));
  return {
    baseUrl: exchange.baseUrl ?? null,
    tls: {
      cert: secretOrNull(exchange.tls?.certificate),
      key: secretOrNull(exchange.tls?.key),
      passphrase: secretOrNull(exchange.tls?.passphrase),
      ca: secretOrNull(exchange.tls?.authority),
    },
    dialect: exchange.dialect,
    prehash: exchange.prehash,
    nonceMode: exchange.nonceMode,
    requestTimeoutMs: exchange.requestTimeoutMs,
    rates: exchange.rates,
    timeouts: { heartbeatMs: exchange.heartbeatTimeoutMs, clockCheckMs: exchange.clockCheckMs },
    settings: {
      nonceAuthenticated: exchange.nonceAuthenticated,
      loginUserId: exchange.loginUserId,
      v2CancelPath: exchange.cancelPath,
      referrer: exchange.referrer ?? null,
      rateLimitToken: exchange.rateLimitToken,
      clockOffsetMaxMs: exchange.clockOffsetMaxMs,
    },
    credentials: exchange.credentials.map(({ name, key, tradingAccounts }) => ({
      name,
      key: secret(key),
      tradingAccountIds: tradingAccounts,
    })),
  };
}

function onRefusal({ logon, dialect }: SessionSettings): EngineSessionConfig['access']['onRefusal'] {
  return logon.onRefusal ?? (dialect === 'venue' ? 'logout' : 'auto');
}

function toAccess(settings: SessionSettings, secret: Secret): EngineSessionConfig['access'] {
  const { logon } = settings;
  const { signature, certificate } = logon;
  return {
    passwordOverlapMs: logon.newPasswordOverlapMs ?? null,
    signature: signature === undefined ? null : { ...signature, key: secret(signature.key) },
    certificate:
      certificate === undefined
        ? null
        : { commonName: certificate.commonName ?? null, fingerprints: certificate.fingerprints },
    allowFrom: logon.allowFrom,
    onRefusal: onRefusal(settings),
    // The exchange answers a failed Logon by a Logout with 1409=5.
    answersUnproved: logon.answerUnproved ?? settings.dialect === 'venue',
  };
}

function toConnect({ connect }: SessionSettings, secret: Secret): EngineSessionConfig['connect'] {
  if (connect === undefined) return null;
  const { tls, addresses, proxy, ...rest } = connect;
  const optional = (reference: string | undefined): SecretReference | null =>
    reference === undefined ? null : secret(reference);
  return {
    ...rest,
    addresses: addresses.map(hostAndPort),
    proxy:
      proxy === undefined
        ? null
        : {
            kind: proxy.kind,
            ...hostAndPort(proxy.address),
            user: proxy.user ?? null,
            password: optional(proxy.password),
          },
    tls:
      tls === undefined
        ? null
        : {
            authority: optional(tls.authority),
            certificate: optional(tls.certificate),
            key: optional(tls.key),
            passphrase: optional(tls.passphrase),
            serverName: tls.serverName ?? null,
            minVersion: tls.minVersion,
          },
  };
}

/** `host:port` in its parts, an IPv6 address without its brackets. */
function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}

function toBridge(
  { bridge, exchange }: GatewaySettings,
  secret: (reference: string) => NonNullable<EngineSessionConfig['password']>,
): NonNullable<EngineConfig['bridge']> {
  const { requestsPerCallerMax, streamsPerCallerMax, ...limits } = bridge.limits;
  return {
    host: bridge.host,
    port: bridge.port,
    hosts: bridge.hosts,
    origins: bridge.origins.map((origin) => origin.toLowerCase()),
    tls: bridge.tls === undefined ? null : toTls(bridge.tls, secret),
    callers: bridge.callers.map(({ name, token, credential, tradingAccounts, functions, signedCommands }) => ({
      name,
      token: secret(token),
      credential: credential ?? exchange.credentials[0]!.name,
      tradingAccountIds: tradingAccounts,
      functions,
      signedCommands,
    })),
    orders: bridge.orders.map(({ tradingAccount, priceBandPercent, ...rest }) => ({
      tradingAccountId: tradingAccount,
      credential: exchange.credentials.find(({ tradingAccounts }) => tradingAccounts.includes(tradingAccount))!.name,
      limits: { ...rest, priceBandPercent: priceBandPercent === 'off' ? null : priceBandPercent },
    })),
    limits: { ...limits, requestsPerTokenMax: requestsPerCallerMax, streamsPerTokenMax: streamsPerCallerMax },
  };
}

/** A template makes the configuration that a file of the counterparty's own would. */
function withTemplate(
  config: EngineSessionConfig,
  template: CheckedSession,
  gateway: GatewaySettings,
  secret: Secret,
  sessions: readonly CheckedSession[],
): EngineSessionConfig {
  const { source } = config;
  return {
    ...config,
    template: {
      sessionsMax: template.settings.templateSessionsMax,
      make(counterparty) {
        const settings = settingsFor(template.settings, counterparty);
        const { targetCompID, targetSubID, targetLocationID } = counterparty;
        const name = [targetCompID, targetSubID, targetLocationID].filter((part) => part !== null).join('_');
        const made = toSession({ ...template, settings }, gateway, secret, sessions);
        const ofTemplate = { ...made.gateway, madeFrom: config.session.sessionId };
        return { ...made, gateway: ofTemplate, source: `${source}:${name}`, madeFrom: source };
      },
    },
  };
}

function toSession(
  { name, settings, placeOf }: CheckedSession,
  gateway: GatewaySettings,
  secret: (reference: string) => NonNullable<EngineSessionConfig['password']>,
  sessions: readonly CheckedSession[],
): EngineSessionConfig {
  return {
    source: sourceOf(name, placeOf(['targetCompID']).file),
    session: toFixSession(settings, gateway),
    gateway: toGatewaySession(settings, gateway, sessions),
    password: settings.password === undefined ? null : secret(settings.password),
    access: toAccess(settings, secret),
    connect: settings.role === 'initiator' ? toConnect(settings, secret) : null,
    durability: settings.durability,
    listeners: settings.listeners,
    enabled: settings.enabled,
    certification: settings.certification ?? null,
    certificate: settings.certificate?.file ?? null,
  };
}

/** Settings of the FIX session itself. */
function toFixSession(settings: SessionSettings, gateway: GatewaySettings): EngineSessionConfig['session'] {
  const texts = [...(venueOf(gateway) === 'simulator' ? [SIMULATED_TEXT] : []), settings.logonText ?? []].flat();
  return {
    sessionId: sessionIdOf(settings),
    role: settings.role,
    beginString: settings.beginString,
    defaultApplVerID: settings.defaultApplVerID,
    applVerIDs: settings.applVerIDs,
    senderCompID: settings.senderCompID,
    targetCompID: settings.targetCompID,
    senderSubID: settings.senderSubID ?? null,
    senderLocationID: settings.senderLocationID ?? null,
    targetSubID: settings.targetSubID ?? null,
    targetLocationID: settings.targetLocationID ?? null,
    heartBtIntS: settings.heartBtIntS,
    heartBtIntMinS: settings.heartBtIntMinS,
    heartBtIntMaxS: settings.heartBtIntMaxS,
    heartBtIntZeroAllowed: settings.heartBtIntZeroAllowed,
    heartBtIntFromAcceptor: settings.heartBtIntFromAcceptor,
    username: settings.username ?? null,
    sendingTimeAccuracyS: settings.sendingTimeAccuracyS,
    logonTimeoutMs: settings.logonTimeoutMs,
    logoutTimeoutMs: settings.logoutTimeoutMs,
    testRequestAfter: settings.testRequestAfter,
    lostAfter: settings.lostAfter,
    resetOnLogonAllowed: settings.resetOnLogonAllowed,
    resetOn: settings.resetOn,
    resendRequestChunk: settings.resendRequestChunk,
    closedResendRequests: settings.closedResendRequests,
    resendRequestTooLow: settings.resendRequestTooLow,
    testRequestAhead: settings.testRequestAhead,
    origSendingTimeFault: settings.origSendingTimeFault,
    charset: settings.charset,
    secretTags: settings.secretTags,
    timestampPrecision: settings.timestampPrecision ?? null,
    validateFieldsHaveValues: settings.validateFieldsHaveValues,
    validateUnorderedGroupFields: settings.validateUnorderedGroupFields,
    unknownTagReason: settings.unknownTagReason,
    validateCheckSum: settings.validateCheckSum,
    afterWrongBodyLength: settings.afterWrongBodyLength,
    rejectGarbledMessages: settings.rejectGarbledMessages,
    otherDefaultApplVerIDs: settings.otherDefaultApplVerIDs,
    resendLoadChunk: settings.resendLoadChunk,
    gapQueueMax: settings.gapQueueMax,
    seqNumMax: settings.seqNumMax,
    sendsLastMsgSeqNumProcessed: settings.sendLastMsgSeqNumProcessed,
    sendsNextExpectedMsgSeqNum: settings.sendNextExpectedMsgSeqNum,
    messageRate: messageRate(settings.messageRate, settings.dialect),
    sessionMessagesMax: settings.messageRate.sessionMax,
    logonsPerMinute: settings.logon.perMinute,
    // SessionStatus(1409) is not in stock dictionaries of 4.x, and not in all of FIXT.1.1 (rule D1).
    sendsSessionStatus: settings.dialect === 'venue',
    logonText: texts.length === 0 ? null : texts.join('. '),
    ...logonChoice(settings),
    environment: settings.environment,
    repeatUnprovenReports:
      settings.repeatUnprovenReports ?? (settings.dialect !== 'venue' || settings.kind === 'dropCopy'),
    provesBeforeLogout: settings.proveBeforeLogout,
    repeatsOnRequest: settings.kind === 'dropCopy',
    validateIncoming: settings.validateIncoming,
    schedule: scheduleSettings(settings),
    resetsWithinSession: settings.schedule.resetsWithinSession,
    onRefusal: onRefusal(settings),
  };
}

/** CancelOnDisconnect(9001) in a Logon: what it may do on a session with orders (rule C1). */
function logonChoice({
  kind,
  cancelOnDisconnect,
}: SessionSettings): Pick<EngineSessionConfig['session'], 'cancelOnDisconnect'> {
  if (kind !== 'order') return {};
  const { on, logonMay } = cancelOnDisconnect;
  const isOn = on === 'disconnect' || on === 'both';
  return {
    cancelOnDisconnect: { isOn, mayOn: logonMay !== 'nothing', mayOff: logonMay === 'switchOnAndOff' },
  };
}

/** Treatment of its orders and subscriptions. */
function toGatewaySession(
  settings: SessionSettings,
  gateway: GatewaySettings,
  sessions: readonly CheckedSession[],
): EngineSessionConfig['gateway'] {
  const { beginString, dialect, kind, limits, cancelOnDisconnect } = settings;
  const marketData = marketDataSettings(settings.marketData);
  return {
    sessionId: sessionIdOf(settings),
    kind,
    ...(kind === 'dropCopy' ? { dropCopy: toDropCopy(settings, sessions) } : {}),
    beginString,
    charset: settings.charset,
    timestampPrecision: settings.timestampPrecision ?? null,
    defaultApplVerID: settings.defaultApplVerID,
    dialect,
    accounts: settings.accounts.map(({ account, tradingAccount, credential }) => ({
      account,
      tradingAccountId: tradingAccount ?? account,
      credential: credential ?? gateway.exchange.credentials[0]!.name,
    })),
    symbols: settings.symbols ?? null,
    symbolAliases: settings.symbolAliases,
    limits: toLimits(limits),
    bridgeCaller: settings.bridgeCaller ?? null,
    negotiatedPerMinute: settings.negotiatedPerMinute,
    cancelOnDisconnect: kind === 'order' ? cancelOnDisconnect : { on: 'off', graceMs: 0 },
    staleOrderMs: settings.staleOrderMs,
    pendingNewAfterMs: settings.pendingNewAfterMs,
    timeInForceAbsent: settings.timeInForceAbsent,
    gtxAliases: settings.gtxAliases,
    exDestinations: settings.exDestinations,
    lockdownCxlRejReason: settings.lockdownCxlRejReason,
    clOrdIDPassThrough: settings.clOrdIDPassThrough,
    replaceByCancelAndNew: settings.replaceByCancelAndNew,
    reach: settings.reach,
    statusFromExchange: settings.statusFrom === 'exchange',
    ...(marketData === null ? {} : { marketData }),
    accountData: accountDataSettings(settings.accountData),
  };
}

/** A session without limits takes no orders: the checks saw to that (rule O12). */
function toLimits(limits: SessionSettings['limits']): EngineSessionConfig['gateway']['limits'] {
  if (limits === undefined) {
    const nothing = { orderQtyMax: '0', notionalMax: '0', openOrdersMax: 0 };
    return { ...nothing, priceBandPercent: null, referencePriceAgeMaxMs: 0 };
  }
  return { ...limits, priceBandPercent: limits.priceBandPercent === 'off' ? null : limits.priceBandPercent };
}

/** The sessions that a drop copy session names, by their ids. */
function toDropCopy(
  { dropCopy }: SessionSettings,
  sessions: readonly CheckedSession[],
): NonNullable<EngineSessionConfig['gateway']['dropCopy']> {
  const named = sessions.filter(({ name }) => dropCopy.sessions.includes(name));
  return {
    sessionIds: dropCopy.sessions.length === 0 ? null : named.map(({ settings }) => sessionIdOf(settings)),
    elsewhere: dropCopy.elsewhere,
    negotiatedAs: dropCopy.negotiatedAs,
  };
}

function toSimulator(
  { simulator, exchange }: GatewaySettings,
  stateDirectory: string,
  workingDirectory: string,
): NonNullable<EngineConfig['simulator']> {
  const { host, port, seed, liquidity, follows, auctions, memory, world, faults } = simulator;
  return {
    host,
    port,
    seed,
    liquidity,
    follows,
    auctions,
    // The client libraries disagree about it: there it takes both.
    ...(follows === 'document' ? { prehashes: [exchange.prehash] } : {}),
    ...(memory ? { memoryDirectory: join(stateDirectory, 'simulator') } : {}),
    ...(world === undefined ? {} : { worldFile: resolve(workingDirectory, world) }),
    ...(faults === undefined ? {} : { faultsFile: resolve(workingDirectory, faults) }),
  };
}

/** The file of a session; of one in a settings file of several, the session's name behind it. */
function sourceOf(name: string, file: string): string {
  return file.endsWith('.cfg') ? `${file}/${name}` : file;
}
