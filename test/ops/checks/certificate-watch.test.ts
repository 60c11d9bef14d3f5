// Certificates that end: an alarm in time, a warning of check, and nothing of those that the next start makes anew.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { certificateWarnings, watchCertificates } from '../../../src/ops/checks/certificate-watch.ts';
import type { LoadedConfiguration } from '../../../src/ops/mod.ts';
import { loadConfiguration } from '../../../src/ops/whole-ops.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { configurationFolder, type Folder, GATEWAY, SESSION } from '../configuration-folder.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LISTENER = `fix:
  listen:
    - name: plain
      port: 9876
    - name: tls
      port: 9877
      tls: { certificate: "file:tls.crt", key: "file:tls.key" }
`;

async function folderWith(validDays: number, more = ''): Promise<Folder> {
  const gateway = GATEWAY.replace(/fix:[\s\S]*?(?=exchange:)/, `${LISTENER}${more}`);
  const hub = `${SESSION.replace('OMS', 'HUB')}role: initiator
connect:
  addresses: ["127.0.0.1:1"]
  tls: { certificate: "file:ours.crt", key: "file:ours.key" }
`;
  const folder = configurationFolder({ 'gateway.yaml': gateway, 'HUB.yaml': hub });
  const soon = await createSelfSignedCertificate({ commonName: 'localhost', validDays });
  const late = await createSelfSignedCertificate({ commonName: 'localhost', validDays: 400 });
  // The first certificate of a chain is not the first to end.
  folder.write('state/tls.crt', `${late.certificatePem}${soon.certificatePem}`);
  folder.write('state/tls.key', late.keyPem);
  folder.write('state/ours.crt', late.certificatePem);
  folder.write('state/ours.key', late.keyPem);
  folder.write('state/oms.password', 'x');
  const { problems } = folder.load();
  expect(problems).toEqual([]);
  return folder;
}

test('warns of a certificate in time, with subject, place and remaining time', async () => {
  const folder = await folderWith(40);
  const now = Date.now();
  expect(certificateWarnings(folder.load(), now)).toEqual([]);
  const found = certificateWarnings(folder.load(), now + 30 * DAY_MS);
  expect(found.map(({ file, problem }) => [file, problem])).toEqual([
    [
      'listener tls',
      expect.stringMatching(/^the certificate file:tls\.crt of listener tls ends in 9 days, on 20\d\d-/),
    ],
  ]);
  expect(certificateWarnings(folder.load(), now + 41 * DAY_MS)[0]?.problem).toMatch(/of listener tls ended on 20/);
  const both = certificateWarnings(folder.load(), now + 390 * DAY_MS);
  expect(both.map(({ file }) => file)).toEqual(['listener tls', 'sessions/HUB.yaml']);
});

test('one that a first start makes is left out; so is every one with certificateAlarmDays: 0', async () => {
  const never = await folderWith(1, '  certificateAlarmDays: 0\n');
  expect(certificateWarnings(never.load(), Date.now())).toEqual([]);
  const folder = configurationFolder();
  const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'localhost', validDays: 1 });
  folder.write('state/tls.crt', certificatePem);
  folder.write('state/tls.key', keyPem);
  expect(certificateWarnings(folder.load(), Date.now())).toEqual([]);
});

/** Alarms of a gateway started with a folder, a day later. */
function watched(
  folder: Folder,
  now: () => number = Date.now,
): {
  readonly raised: string[];
  readonly day: () => Promise<string[]>;
  readonly renewed: () => void;
} {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const raised: string[] = [];
  const administration = { alarm: (name: string, text: string): void => void raised.push(`${name}: ${text}`) };
  const load = async (): Promise<LoadedConfiguration> => folder.load();
  const watch = watchCertificates({ started: folder.load(), load, administration, now });
  onTestFinished(watch.end);
  const day = async (): Promise<string[]> => {
    raised.length = 0;
    await vi.advanceTimersByTimeAsync(DAY_MS);
    return raised;
  };
  return { raised, day, renewed: watch.renewed };
}

test('a running gateway raises the alarm at its start and once a day, until it shows another certificate', async () => {
  const folder = await folderWith(5);
  const { raised, day, renewed } = watched(folder);
  const ends = /^certificate-expires: the certificate file:tls\.crt of listener tls ends in [45] days, .*: put its/;
  expect(raised).toEqual([expect.stringMatching(ends)]);
  expect(await day()).toEqual([expect.stringMatching(ends)]);
  // Renewed in its file, and not taken over, as where its key is not there yet.
  folder.write('state/tls.crt', readFileSync(join(folder.path, 'state', 'ours.crt'), 'utf8'));
  expect(await day()).toEqual([
    expect.stringMatching(/ends in [45] days, .*: its successor is there and is not shown: `crossgate config apply`/),
  ]);
  renewed();
  expect(await day()).toEqual([]);
  expect(watched(folder).raised).toEqual([]);
});

test('reads our client certificate per connection: the alarm ends with a new file', async () => {
  const folder = await folderWith(40);
  const late = readFileSync(join(folder.path, 'state', 'ours.crt'), 'utf8');
  const { certificatePem } = await createSelfSignedCertificate({ commonName: 'localhost', validDays: 3 });
  folder.write('state/ours.crt', certificatePem);
  const { raised, day } = watched(folder);
  expect(raised).toEqual([expect.stringContaining('file:ours.crt of sessions/HUB.yaml ends in')]);
  // A configuration that cannot be used hides nothing.
  const gateway = readFileSync(join(folder.path, 'sessions', 'gateway.yaml'), 'utf8');
  folder.write('sessions/gateway.yaml', `${gateway}nonsense: 1\n`);
  expect(await day()).toEqual([expect.stringContaining('file:ours.crt of sessions/HUB.yaml ends in')]);
  folder.write('state/ours.crt', late);
  expect(await day()).toEqual([]);
});

/** That of an authority from 2026-01-01 to 01-09, and another's until 2051: times beyond 2049 are written in another way. */
const LIST = `-----BEGIN X509 CRL-----
MH8wMzAFBgMrZXAwDDEKMAgGA1UEAwwBQRcNMjYwMTAxMDAwMDAwWhcNMjYwMTA5
MDAwMDAwWjAFBgMrZXADQQA37e5QsQG3y3bfMqwq5j2Vjg/gfkUHjz5uPGN0ZMHw
BIAFyD2pJ9Cjt0zCdi+ZWnclx65WpW4QmmUQvv2umRcO
-----END X509 CRL-----
`;
const LATE_LIST = `-----BEGIN X509 CRL-----
MIGBMDUwBQYDK2VwMAwxCjAIBgNVBAMMAUEXDTI2MDEwMTAwMDAwMFoYDzIwNTEw
MTA5MDAwMDAwWjAFBgMrZXADQQD8CJtfRQ1UnWzQIPBduqPnlYpyiu6alebv3VYd
9i/VnrKl4KoTl72hoqd9Cy6dvnYPYM0w+61LIt95FgQrvxsN
-----END X509 CRL-----
`;

async function folderWithLists(lists: string): Promise<Folder> {
  const folder = await folderWith(4000);
  const gateway = readFileSync(join(folder.path, 'sessions', 'gateway.yaml'), 'utf8');
  const trust = ', clientAuthority: "file:ca.crt", clientRevocations: "file:ca.crl" }';
  folder.write('sessions/gateway.yaml', gateway.replace('"file:tls.key" }', `"file:tls.key"${trust}`));
  folder.write(
    'state/ca.crt',
    (await createSelfSignedCertificate({ commonName: 'ca', validDays: 4000 })).certificatePem,
  );
  folder.write('state/ca.crl', lists);
  return folder;
}

test('warns of a revocation list with a quarter of its time left: clients are refused after it', async () => {
  const folder = await folderWithLists(`${LATE_LIST}${LIST}`);
  const told = (now: string) =>
    certificateWarnings(folder.load(), Date.parse(now))
      .filter(({ problem }) => problem.includes('ca.crl'))
      .map(({ file, problem, remedy }) => `${file}: ${problem}; ${remedy}`);
  expect(told('2026-01-06T23:59:00Z')).toEqual([]);
  expect(told('2026-01-07T00:01:00Z')).toEqual([
    expect.stringMatching(
      /^listener tls, for clients: the list of revoked certificates file:ca\.crl of .* ends in 1 day, on 2026-01-09T00:00:00.*; put the next list/,
    ),
  ]);
  expect(told('2026-01-09T00:01:00Z')).toEqual([expect.stringContaining('ended on 2026-01-09')]);
  folder.write('state/ca.crl', LATE_LIST);
  expect(told('2026-01-09T00:01:00Z')).toEqual([]);
  expect(told('2051-01-09T00:01:00Z')).toEqual([expect.stringContaining('ended on 2051-01-09')]);
  // An unreadable one keeps a gateway from starting: there is nothing to warn of.
  for (const text of ['nonsense', LIST.slice(0, 60), LIST.replace(/\nMH8/, '\nMP8'), LIST.replace(/^MH8.*\n/m, '')]) {
    folder.write('state/ca.crl', text);
    expect(told('2026-01-10T00:00:00Z')).toEqual([]);
  }
});

test('alarms for a one-day list in its last hours once, and again at its end', async () => {
  const [, base64 = ''] = /-----\n([^-]*)-----/.exec(LIST) ?? [];
  const ofOneDay = Buffer.from(base64, 'base64').toString('latin1').replace('260109', '260102');
  const list = LIST.replace(base64, `${Buffer.from(ofOneDay, 'latin1').toString('base64')}\n`);
  const folder = await folderWithLists(list);
  const startedAt = Date.parse('2026-01-01T10:00:00Z');
  let looked = 0;
  const times: string[] = [];
  const now = (): number => startedAt + looked * HOUR_MS;
  const { raised } = watched(folder, now);
  expect(raised).toEqual([]);
  while (looked < 17) {
    looked++;
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    for (const text of raised.splice(0))
      times.push(`${looked + 10}:00 ${text.replace(/.*ca\.crl of listener tls, for clients|, on .*/g, '')}`);
  }
  expect(times).toEqual(['19:00  ends in 0 days', expect.stringMatching(/^24:00 {2}ended on 2026-01-02T00:00:00/)]);
});

test('examines no certificate of a missing configuration, or one without `fix`, and reports it', () => {
  const none = configurationFolder();
  none.write('sessions/gateway.yaml', 'state: state\n');
  const loaded = none.load();
  expect(loaded.problems.map(({ key }) => key)).toContain('fix');
  expect(certificateWarnings(loaded, Date.now())).toEqual([]);
  const nowhere = loadConfiguration({ directory: 'nowhere', environment: {}, workingDirectory: none.path });
  expect(nowhere.problems).toHaveLength(2);
  expect(certificateWarnings(nowhere, Date.now())).toEqual([]);
});
