// Settings of one session for the tests of this room.

import type { GatewaySessionConfig } from '../../src/gateway/mod.ts';
import type { SessionConfig } from '../../src/session/mod.ts';

export const ACCEPTOR_CONFIG: SessionConfig = {
  sessionId: 'FIX.4.4:XG->OMS',
  role: 'acceptor',
  beginString: 'FIX.4.4',
  senderCompID: 'XG',
  targetCompID: 'OMS',
  heartBtIntS: 30,
  heartBtIntMinS: 5,
  heartBtIntMaxS: 120,
  heartBtIntZeroAllowed: false,
  username: null,
  sendingTimeAccuracyS: 0,
  logonTimeoutMs: 10_000,
  logoutTimeoutMs: 5_000,
  testRequestAfter: 1.2,
  lostAfter: 2.4,
  resetOnLogonAllowed: true,
  resendRequestChunk: 0,
  resendLoadChunk: 100,
  gapQueueMax: 100,
  seqNumMax: 1_000_000,
  sendsSessionStatus: false,
  logonText: null,
  environment: 'any',
  repeatUnprovenReports: true,
  validateIncoming: true,
};

export const GATEWAY_SESSION: GatewaySessionConfig = {
  sessionId: ACCEPTOR_CONFIG.sessionId,
  beginString: 'FIX.4.4',
  dialect: 'standard',
  accounts: [],
  symbols: null,
  symbolAliases: {},
  limits: { orderQtyMax: '1', notionalMax: '1', openOrdersMax: 1, priceBandPercent: null, referencePriceAgeMaxMs: 1 },
  cancelOnDisconnect: { on: 'both', graceMs: 0 },
  staleOrderMs: 10_000,
  pendingNewAfterMs: 1_000,
  timeInForceAbsent: 'GTC',
  gtxAliases: [],
  lockdownCxlRejReason: '99',
  clOrdIDPassThrough: false,
};
