// Whatever stands in the files and the environment: an answer in words or a configuration, never a crash, never a secret.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFindings, formatProblems } from '../../../src/ops/mod.ts';
import { describeConfiguration } from '../../../src/ops/whole-ops.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { damagedBy, SECRET, unruly } from '../../support/random/unruly-files.ts';
import { configurationFolder, GATEWAY, SESSION } from '../configuration-folder.ts';

const GATEWAY_FILE = `${GATEWAY}  auctions: { coolingMs: 1 }
bridge:
  enabled: true
  callers:
    - name: desk
      token: file:desk.token
      tradingAccounts: ["111"]
      functions: [orders, stream]
admin:
  users:
    - name: a
      token: env:A_TOKEN
orders:
  accountLimits:
    - tradingAccount: "111"
      orderQtyMax: "5"
`;
const SESSION_FILE = `${SESSION}schedule:
  timeZone: Europe/London
  windows:
    - { days: [Mon], from: "08:00", to: "17:00" }
  holidays: ["2026-12-25"]
logon:
  signature:
    algorithm: hmac-sha256
    key: file:x.key
symbolAliases:
  BTC: BTCUSDC
cancelOnDisconnect:
  scope: symbols
  symbols: [BTCUSDC]
`;
const DEFAULTS_FILE = 'heartBtIntS: 30\nsymbols: [A]\nlimits:\n  openOrdersMax: 3\nlogon:\n  allowFrom: [10.0.0.0/8]\n';
const CFG_FILE = `[DEFAULT]
ConnectionType=initiator
SenderCompID=GATE
StartTime=08:00:00
EndTime=17:00:00
Crossgate.limits={orderQtyMax: "1", notionalMax: "1", openOrdersMax: 1, priceBandPercent: "1"}
Crossgate.logon.allowFrom=[10.0.0.0/8]
[SESSION]
BeginString=FIX.4.4
TargetCompID=CFG_OMS
SocketConnectHost=a
SocketConnectPort=1
Password=x
Crossgate.limits.orderQtyMax="3"
Crossgate.accounts=[{account: "111"}]
ReconnectInterval=5;3x10
`;

const VARIABLES = [
  'CROSSGATE_STATE',
  'CROSSGATE_FIX_HOST',
  'CROSSGATE_FIX_PORT',
  'CROSSGATE_EXCHANGE_URL',
  'CROSSGATE_EXCHANGE_ENVIRONMENT',
  'CROSSGATE_SIMULATOR_EMBEDDED',
  'CROSSGATE_SIMULATOR_PORT',
  'CROSSGATE_ADMIN_PORT',
  'CROSSGATE_UNKNOWN',
] as const;
const VALUES = [
  'true',
  '-1',
  '1e9',
  '99999',
  '1.5',
  'x',
  'http://',
  'https://a/b',
  'é',
  '__proto__',
  '08',
  '\n',
  '',
  ' ',
];
const environment = fc.dictionary(fc.constantFrom(...VARIABLES), fc.constantFrom(...VALUES), { maxKeys: 3 });

/** Words that only a programmer would understand. */
const NO_WORDS = /undefined|\[object|TypeError|RangeError|call stack|is not a function|Cannot read/;

test('damaged files of any kind give problems or a frozen configuration, never a crash', () => {
  const folder = configurationFolder();
  const property = fc.property(unruly(), unruly(), unruly(), unruly(), environment, (gateway, session, ...rest) => {
    const [defaults, cfg, variables] = rest;
    const files = [
      ['gateway.yaml', damagedBy(gateway, GATEWAY_FILE)],
      ['OMS.yaml', damagedBy(session, SESSION_FILE)],
      ['defaults.yaml', damagedBy(defaults, DEFAULTS_FILE)],
      ['QUICKFIX.cfg', damagedBy(cfg, CFG_FILE)],
    ] as const;
    for (const [name, bytes] of files) writeFileSync(join(folder.path, 'sessions', name), bytes);
    const loaded = folder.load({ environment: variables });
    expect(loaded.config === null).toBe(loaded.problems.length > 0);
    expect(Object.isFrozen(loaded.config ?? Object.freeze({}))).toBe(true);
    for (const { problem, remedy, file } of [...loaded.problems, ...loaded.warnings]) {
      for (const words of [problem, remedy, file]) {
        expect(words).not.toBe('');
        expect(words).not.toMatch(NO_WORDS);
      }
    }
    expect(`${formatProblems(loaded.problems)}${formatFindings(loaded.warnings)}`).not.toMatch(NO_WORDS);
    for (const { key, value } of [...loaded.problems, ...describeConfiguration(loaded)]) {
      // A session of a settings file is called, and its password's file with it, as the file says.
      const shown = (value ?? '').replace(/^file:secrets\/\w+\.password$/, '');
      if (/\b(password|key|certificate)$/.test(key)) expect(shown).not.toContain(SECRET);
    }
    // The files' content changes no member of every object.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Object.keys(Object)).toEqual([]);
  });
  checkProperty(property, 150);
});
