// The configuration of a certification's own gateway: one session, a simulated exchange of its own, a journal of its own, an
// address on this machine only. Nothing of the trading gateway's is in it but what its session file and process settings say.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import { defaultWorld } from '../../simulator/mod.ts';

const TERMINAL_WAIT_MS = 500;
const SEGMENT_BYTES = 4_194_304;
/** Name of its only listener and of its only exchange login. */
/** The risk limits of a production session would keep cases from being played. */
const AMPLE = { orderQtyMax: '100', notionalMax: '6000000', openOrdersMax: 200, priceBandPercent: '20' };
/** Rule S8: a session on a simulated exchange says so. */
const SIMULATED_TEXT = 'Certification on a simulated exchange: orders on this session are not real';
const LOGIN = 'certification';

/** Settings of a gateway for one counterparty's certification, in `folder`. */
export function isolatedConfig(config: EngineConfig, session: EngineSessionConfig, folder: string): EngineConfig {
  const tradingAccountIds = [...new Set(session.gateway.accounts.map(({ tradingAccountId }) => tradingAccountId))];
  const world = defaultWorld();
  const [funded] = world.accounts;
  assert(funded !== undefined, 'the built-in world has a funded account');
  const ofOthers = world.accounts.filter(({ user }) => user !== funded.user);
  const accounts = tradingAccountIds.map((tradingAccountId, at) => ({
    ...funded,
    tradingAccountId,
    isPrimaryAccount: at === 0,
  }));
  return {
    ...config,
    stateDirectory: folder,
    journalSegmentBytes: SEGMENT_BYTES,
    dailyFolder: null,
    postgres: null,
    listeners: [{ name: LOGIN, host: '127.0.0.1', port: 0, tls: null, allowFrom: [], proxyFrom: ['127.0.0.1/32'] }],
    exchange: {
      ...config.exchange,
      baseUrl: null,
      tls: { cert: null, key: null, ca: null },
      dialect: 'v2',
      prehash: 'hexdigest',
      nonceMode: 'window',
      rates: {},
      credentials: [
        { name: LOGIN, key: fileReference(join(folder, 'secrets', `${funded.user}-ecdsa.json`)), tradingAccountIds },
      ],
    },
    simulator: {
      host: '127.0.0.1',
      port: 0,
      world: {
        ...world,
        accounts: [...accounts, ...ofOthers.filter((one) => !tradingAccountIds.includes(one.tradingAccountId))],
      },
      // Every fill is the script's, and every phase.
      liquidity: 'off',
      auctions: { manual: true },
      limits: null,
      memoryDirectory: join(folder, 'exchange'),
    },
    sessions: [isolatedSession(session)],
    gateway: { ...config.gateway, accountLimits: {}, exclusiveAccounts: [], terminalWaitMs: TERMINAL_WAIT_MS },
    bridge: null,
    adminTls: null,
    // It shares the processor with the gateway that trades.
    busyPollMicros: 0,
  };
}

function isolatedSession(session: EngineSessionConfig): EngineSessionConfig {
  const accounts = session.gateway.accounts.map((account) => ({ ...account, credential: LOGIN }));
  const { logonText } = session.session;
  const isSaid = logonText?.includes('imulated exchange') === true;
  const text = [...(isSaid ? [] : [SIMULATED_TEXT]), logonText ?? []].flat().join('. ');
  return {
    ...session,
    enabled: true,
    listeners: [],
    connect: null,
    // The client of a TLS listener is proved before the line, or not at all.
    access: { ...session.access, certificate: null },
    session: { ...session.session, logonText: text },
    gateway: { ...session.gateway, accounts, symbols: null, limits: { ...session.gateway.limits, ...AMPLE } },
  };
}

function fileReference(path: string): EngineConfig['exchange']['credentials'][number]['key'] {
  return { reference: `file:${path}`, read: () => readFileSync(path, 'utf8') };
}
