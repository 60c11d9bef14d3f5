// What a gateway rehearses with (rehearsal.ts, idle-rehearsal.ts): sessions as those that are configured, an account and a login
// that nobody has. Leaves what is done with them to these files.

import { versionOf } from './dictionaries.ts';
import { readCredential } from './exchange-key.ts';
import type { EngineConfig, EngineSessionConfig } from './gateway-config.ts';

export const REHEARSAL_ACCOUNT = '111000000000001';
export const REHEARSAL_CREDENTIAL = 'rehearsal';
const SENDER_COMP_ID = 'REHEARSAL';
/** Versions of FIX rehearsed, of those configured. */
const VERSIONS_MAX = 3;

/** One session for each version and dialect that is configured, as its first session is. */
export function rehearsedSessions({ sessions }: EngineConfig): EngineSessionConfig[] {
  const found = new Map<string, EngineSessionConfig>();
  for (const one of sessions) {
    const key = `${versionOf(one.session)} ${one.gateway.dialect}`;
    if (one.enabled && one.gateway.kind !== 'dropCopy' && !found.has(key)) found.set(key, one);
  }
  return [...found.values()].slice(0, VERSIONS_MAX).map(rehearsed);
}

function rehearsed(configured: EngineSessionConfig, i: number): EngineSessionConfig {
  const targetCompID = `OMS${i}`;
  const { beginString } = configured.session;
  const sessionId = `${beginString}:${SENDER_COMP_ID}->${targetCompID}`;
  const { dropCopy: _, marketData: __, ...gateway } = configured.gateway;
  const { messageRate: ___, ...session } = configured.session;
  return {
    source: 'rehearsal',
    session: {
      ...session,
      sessionId,
      role: 'acceptor',
      senderCompID: SENDER_COMP_ID,
      targetCompID,
      senderSubID: null,
      senderLocationID: null,
      targetSubID: null,
      targetLocationID: null,
      username: null,
      environment: 'any',
      schedule: null,
    },
    gateway: {
      ...gateway,
      sessionId,
      kind: 'order',
      accounts: [{ account: REHEARSAL_ACCOUNT, tradingAccountId: REHEARSAL_ACCOUNT, credential: REHEARSAL_CREDENTIAL }],
      symbols: null,
      symbolAliases: {},
      limits: {
        orderQtyMax: '1000000',
        notionalMax: '1000000000000',
        openOrdersMax: 1_000_000,
        priceBandPercent: null,
        referencePriceAgeMaxMs: 60_000,
      },
      cancelOnDisconnect: { on: 'off', graceMs: 0 },
    },
    password: null,
    access: { passwordOverlapMs: null, signature: null, certificate: null, allowFrom: [], onRefusal: 'logout' },
    connect: null,
    durability: configured.durability,
    listeners: [],
    enabled: true,
  };
}

/** Commands are signed in the way that the first login signs them, if its key is there already. */
export function kindOfKey({ exchange }: EngineConfig): 'hmac' | 'ecdsa' {
  try {
    return readCredential(exchange.credentials[0]!).kind;
  } catch {
    return 'hmac';
  }
}
