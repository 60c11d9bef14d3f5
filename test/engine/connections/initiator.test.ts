// Sessions that connect from here: several addresses, coming back after a loss, TLS, schedules; with the acceptor of the
// library, and from the gateway itself.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { LogonSignature } from '../../../src/engine/config.ts';
import { FairTurns } from '../../../src/engine/connections/fair-turns.ts';
import { FixInitiator, pauseMs } from '../../../src/engine/connections/initiator.ts';
import { FIX_LIMITS } from '../../../src/engine/library/fix-engine-options.ts';
import {
  type AcceptorOptions,
  type FixEngine,
  fileStore,
  type InitiatorOptions,
  memoryStore,
  newMessage,
  startAcceptor,
  startInitiator,
} from '../../../src/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { DataFields, MessageView, toPrintable } from '../../../src/wire/mod.ts';
import { scriptedAcceptor } from '../../support/network/scripted-acceptor.ts';
import { TestProxy } from '../../support/network/test-proxy.ts';
import { GatewayHome } from '../../support/processes/gateway-process.ts';

const engines: FixEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0).reverse()) await engine.close();
});

/** Lets a test wait for what callbacks say. */
class Said {
  readonly lines: string[] = [];
  #wake: () => void = () => {};

  add(line: string): void {
    this.lines.push(line);
    this.#wake();
  }

  async count(line: string, wanted = 1): Promise<void> {
    while (this.lines.filter((one) => one === line).length < wanted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function acceptor(port: number, options: Partial<AcceptorOptions> = {}): Promise<FixEngine> {
  const engine = await startAcceptor({
    port,
    sessions: [
      { senderCompID: 'HUB', targetCompID: 'US' },
      { senderCompID: 'HUB', targetCompID: 'LATER' },
    ],
    application: { onMessage: () => {} },
    ...options,
  });
  engines.push(engine);
  return engine;
}

async function initiator(said: Said, options: Partial<InitiatorOptions>): Promise<FixEngine> {
  const engine = await startInitiator({
    addresses: [],
    reconnectFirstMs: 20,
    reconnectLargestMs: 50,
    sessions: [{ senderCompID: 'US', targetCompID: 'HUB' }],
    application: {
      onLogon: ({ senderCompID }) => said.add(`up ${senderCompID}`),
      onLogout: ({ senderCompID }) => said.add(`down ${senderCompID}`),
      onMessage: (message) => said.add(message.string('Headline') ?? ''),
    },
    ...options,
  });
  engines.push(engine);
  return engine;
}

test('tries the next address after a silent one; a lost connection returns with its numbers', async () => {
  const gone = await startAcceptor({ port: 0, sessions: [], application: { onMessage: () => {} } });
  await gone.close();
  const hub = await acceptor(0);
  const said = new Said();
  const us = await initiator(said, {
    addresses: [
      { host: '127.0.0.1', port: gone.port },
      { host: '127.0.0.1', port: hub.port },
    ],
  });
  await said.count('up US');
  hub.sessions.get('FIX.4.4:HUB->US')!.logout('back in a moment');
  await said.count('down US');
  await said.count('up US', 2);
  hub.sessions.get('FIX.4.4:HUB->US')!.send(newMessage('B', { Headline: 'news', NoLinesOfText: 1, Text: 'one' }));
  await said.count('news');
  const { nextTargetMsgSeqNum } = us.sessions.get('FIX.4.4:US->HUB')!.numbers;
  // Logon, Logout, Logon, News.
  expect(nextTargetMsgSeqNum).toBe(5);
});

test('TLS: connects to a counterparty with a trusted certificate, and to no other', async () => {
  const trusted = await createSelfSignedCertificate({ commonName: 'localhost' });
  const other = await createSelfSignedCertificate({ commonName: 'localhost' });
  const hub = await acceptor(0, { tls: { certificate: trusted.certificatePem, key: trusted.keyPem } });
  const addresses = [{ host: 'localhost', port: hub.port }];
  const refusals = new Said();
  await initiator(new Said(), {
    addresses,
    tls: { authority: other.certificatePem },
    log: (level) => refusals.add(level),
  });
  await refusals.count('warn', 2);
  const said = new Said();
  await initiator(said, { addresses, tls: { authority: trusted.certificatePem } });
  await said.count('up US');
});

test('TLS: shows its certificate on request, and is admitted by it', async () => {
  const hubs = await createSelfSignedCertificate({ commonName: 'localhost' });
  const ours = await createSelfSignedCertificate({ commonName: 'us' });
  const hub = await acceptor(0, {
    tls: { certificate: hubs.certificatePem, key: hubs.keyPem, clientAuthority: ours.certificatePem },
    sessions: [
      {
        senderCompID: 'HUB',
        targetCompID: 'US',
        access: { certificate: { commonName: 'us', fingerprints: [] } },
      },
    ],
  });
  const said = new Said();
  await initiator(said, {
    addresses: [{ host: 'localhost', port: hub.port }],
    tls: {
      authority: hubs.certificatePem,
      certificate: ours.certificatePem,
      key: ours.keyPem,
      minVersion: 'TLSv1.3',
    },
  });
  await said.count('up US');
});

test('TLS: encrypted keys of acceptor and initiator are opened by their passphrases, and by no other', async () => {
  const hubs = await createSelfSignedCertificate({ commonName: 'localhost' });
  const ours = await createSelfSignedCertificate({ commonName: 'us' });
  const locked = (keyPem: string, passphrase: string): string =>
    String(createPrivateKey(keyPem).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }));
  const shown = { certificate: hubs.certificatePem, key: locked(hubs.keyPem, 'hub word') };
  const tls = { ...shown, passphrase: 'hub word', clientAuthority: ours.certificatePem };
  const hub = await acceptor(0, { tls, sessions: [{ senderCompID: 'HUB', targetCompID: 'US' }] });
  const own = {
    authority: hubs.certificatePem,
    certificate: ours.certificatePem,
    key: locked(ours.keyPem, 'our word'),
  };
  const said = new Said();
  const addresses = [{ host: 'localhost', port: hub.port }];
  await initiator(said, { addresses, tls: { ...own, passphrase: 'our word' } });
  await said.count('up US');

  const next = await createSelfSignedCertificate({ commonName: 'localhost' });
  const renewed = { certificate: next.certificatePem, key: locked(next.keyPem, 'next word') };
  expect(() => hub.renewTls(renewed)).toThrow('the passphrase in tls.passphrase does not open the private key');
  hub.renewTls({ ...renewed, passphrase: 'next word' });

  const wrong = 'the passphrase in tls.passphrase does not open the private key in tls.key';
  const missing = 'the private key in tls.key is encrypted: add `passphrase` beside it';
  for (const [given, words] of [
    [{ passphrase: 'another' }, wrong],
    [{}, missing],
  ] as const) {
    await expect(acceptor(0, { tls: { ...shown, ...given } })).rejects.toThrow(words);
    await expect(initiator(new Said(), { addresses, tls: { ...own, ...given } })).rejects.toThrow(words);
  }
});

test.each(['socks4', 'socks5', 'http'] as const)(
  '%s: a session logs on through a proxy, over TLS to the host that the certificate names',
  async (kind) => {
    const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'hub.test' });
    const hub = await acceptor(0, { tls: { certificate: certificatePem, key: keyPem } });
    const way = await TestProxy.open({ names: { 'hub.test': '127.0.0.1' }, user: 'us', password: 'hunter22' });
    onTestFinished(() => way.close());
    const proof = kind === 'socks4' ? { user: 'us' } : { user: 'us', password: 'hunter22' };
    const said = new Said();
    await initiator(said, {
      addresses: [{ host: 'hub.test', port: hub.port }],
      tls: { authority: certificatePem },
      proxy: { kind, host: '127.0.0.1', port: way.port, ...proof },
      localAddress: '127.0.0.1',
    });
    await said.count('up US');
    expect(way.asked).toHaveLength(1);
    expect(way.asked[0]).toMatch(new RegExp(`^${kind} us(:hunter22)? hub\\.test:${hub.port}$`));
  },
);

test('ends a connection that comes too late without a Logon', async () => {
  const { certificatePem: cert, keyPem: key } = await createSelfSignedCertificate({ commonName: 'localhost' });
  let us: FixEngine | null = null;
  const said = new Said();
  const secured = createTlsServer({ cert, key }, (socket) => {
    socket.on('data', () => said.add('bytes'));
    socket.on('error', () => {});
  });
  const hub = createServer((socket) => {
    socket.on('close', () => said.add('over'));
    void us?.close();
    secured.emit('connection', socket);
  });
  onTestFinished(() => void hub.close());
  await once(hub.listen(0, '127.0.0.1'), 'listening');
  const { port } = hub.address() as AddressInfo;
  us = await initiator(new Said(), { addresses: [{ host: 'localhost', port }], tls: { authority: cert } });
  await said.count('over');
  expect(said.lines).toEqual(['over']);
});

test('connects a session switched off during its connection once it is on again', async () => {
  const hub = createServer((socket) => socket.on('error', () => {}));
  onTestFinished(() => void hub.close());
  await once(hub.listen(0, '127.0.0.1'), 'listening');
  const { port } = hub.address() as AddressInfo;
  const said = new Said();
  const log = (_level: string, text: string): void => said.add(text);
  const sessionInput = (_slot: unknown, input: { kind: string }): void => said.add(input.kind);
  const initiators = new FixInitiator({
    readSecrets: () => {},
    sessions: { slots: new Map(), sessionInput } as never,
    limits: FIX_LIMITS,
    view: new MessageView(),
    turns: new FairTurns(),
    log,
    alarm: () => {},
    now: Date.now,
  });
  onTestFinished(() => initiators.closeAll('the test is over'));
  let looks = 0;
  const slot = {
    sessionId: 'S',
    machine: { dataFields: DataFields.STANDARD, config: {} },
    durability: 'disk',
    wire: null,
    // Wanted when the connection is begun, and not when it is there.
    get enabled() {
      return looks++ !== 1;
    },
  };
  const addresses = [{ host: '127.0.0.1', port }];
  const pauses = { connectTimeoutMs: 10_000, reconnectFirstMs: 1, reconnectLargestMs: 1 };
  initiators.start(
    slot as never,
    { connect: { addresses, tls: null, ...pauses }, session: { schedule: null } } as never,
  );
  await said.count('connected', 2);
  // It was said for the second connection only, to the log and to the session.
  expect(said.lines).toEqual(['connected', 'connected']);
  expect(looks).toBe(4);
});

test('a session is not connected while its schedule is closed; another one of the same engine is', async () => {
  const hub = await acceptor(0);
  const said = new Said();
  const today = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const schedule = { timeZone: 'UTC', windows: [], holidays: [today, tomorrow], resets: [] };
  await initiator(said, {
    addresses: [{ host: '127.0.0.1', port: hub.port }],
    sessions: [
      { senderCompID: 'LATER', targetCompID: 'HUB', schedule },
      { senderCompID: 'US', targetCompID: 'HUB' },
    ],
    store: memoryStore(),
  });
  await said.count('up US');
  expect(said.lines).toEqual(['up US']);
  expect(hub.sessions.get('FIX.4.4:HUB->LATER')!.numbers.nextTargetMsgSeqNum).toBe(1);
});

test('pauses double up to the largest, each with a quarter of jitter', () => {
  const settings = {
    addresses: [],
    tls: null,
    connectTimeoutMs: 1,
    reconnectFirstMs: 1000,
    reconnectLargestMs: 60_000,
  };
  const seen = new Set<number>();
  for (let failures = 0; failures < 40; failures++) {
    const base = Math.min(60_000, 1000 * 2 ** failures);
    const pause = pauseMs(settings, failures);
    expect(pause).toBeGreaterThanOrEqual(base * 0.75);
    expect(pause).toBeLessThan(base * 1.25);
    if (base === 60_000) seen.add(pause);
  }
  expect(seen.size).toBeGreaterThan(10);
});

/** Two keys of one pair, in PEM: ours signs, theirs verifies. */
function keys(algorithm: 'ed25519' | 'ecdsa-p256') {
  const { privateKey, publicKey } =
    algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    ours: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    theirs: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

test("puts a venue's fields into the Logon, after the usual ones", async () => {
  const venue = await scriptedAcceptor({ script: () => {} });
  const said = new Said();
  const logonFields = [
    [9001, 'Y'],
    [9002, 'desk one'],
  ] as const;
  const us = await initiator(said, {
    addresses: [{ host: '127.0.0.1', port: venue.port }],
    sessions: [{ senderCompID: 'US', targetCompID: 'EXCHANGE_TEST', username: 'u', password: 'p', logonFields }],
    application: { onMessage: () => {}, onLogon: () => said.add('up') },
  });
  await said.count('up');
  const logon = toPrintable(venue.connections[0]!.received[0]!.bytes());
  expect(logon).toMatch(/\|98=0\|108=30\|553=u\|9001=Y\|9002=desk one\|554=p\|10=\d{3}\|$/);
  await us.close();
  await venue.close();
});

const SHARED = { ours: 'a secret that both sides know', theirs: 'a secret that both sides know' };
const STRANGER = 'a secret that nobody shares';

function signature(algorithm: LogonSignature['algorithm'], key: string): LogonSignature {
  return { algorithm, key: { reference: 'a key of the test', read: () => key }, windowMs: 10_000 };
}

test.each([
  ['hmac-sha256', SHARED, STRANGER],
  ['ed25519', keys('ed25519'), keys('ed25519').ours],
  ['ecdsa-p256', keys('ecdsa-p256'), keys('ecdsa-p256').ours],
] as const)(
  'an initiator signs its Logon in RawData(96) by %s; one signed by another key is refused',
  async (algorithm, { ours, theirs }, stranger) => {
    const folder = await mkdtemp(join(tmpdir(), 'crossgate-signed-'));
    try {
      const accepts = (key: string) => ({
        access: { signature: signature(algorithm, key), onRefusal: 'logout' as const, answersUnproved: true },
      });
      const hub = await acceptor(0, {
        sessions: [
          { senderCompID: 'HUB', targetCompID: 'US', ...accepts(theirs) },
          { senderCompID: 'HUB', targetCompID: 'THIEF', ...accepts(theirs) },
        ],
      });
      const said = new Said();
      const sessions = [
        { senderCompID: 'US', targetCompID: 'HUB', access: { signature: signature(algorithm, ours) } },
        {
          senderCompID: 'THIEF',
          targetCompID: 'HUB',
          access: { signature: signature(algorithm, stranger) },
        },
      ];
      const us = await initiator(said, {
        addresses: [{ host: '127.0.0.1', port: hub.port }],
        sessions,
        store: await fileStore(folder),
        application: {
          onLogon: ({ senderCompID }) => said.add(`up ${senderCompID}`),
          onMessage: () => {},
        },
        log: (_level, message) => {
          if (message.includes('Logon(A) refused')) said.add('refused');
        },
      });
      await said.count('up US');
      await said.count('refused');
      expect(said.lines).not.toContain('up THIEF');
      await us.close();
      const journal = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
        .join('');
      expect(journal).toContain(`95=${algorithm === 'hmac-sha256' ? 44 : 88}\x0196=****`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test('a key that does not sign by the algorithm is refused at the start, by its name and without its text', async () => {
  const start = startInitiator({
    addresses: [],
    sessions: [
      { senderCompID: 'US', targetCompID: 'HUB', access: { signature: signature('ed25519', keys('ecdsa-p256').ours) } },
    ],
    application: { onMessage: () => {} },
  });
  await expect(start).rejects.toThrow(/a key of the test is no private key for ed25519/);
  await expect(start).rejects.not.toThrow(/BEGIN/);
});

test('an initiator session of the gateway connects, logs on with its password and logs out', async () => {
  const said = new Said();
  const hub = await acceptor(0, {
    sessions: [{ senderCompID: 'ACME_OMS', targetCompID: 'EXCHANGE_TEST', password: 'a secret of the hub' }],
    application: {
      onMessage: () => {},
      onLogon: () => said.add('up'),
      onLogout: (_session, reason) => said.add(`down ${reason}`),
    },
  });
  const home = await GatewayHome.create();
  try {
    await home.writePasswords('a secret of the hub');
    await home.configure('ACME_OMS.yaml', {
      role: 'initiator',
      connect: { addresses: [`127.0.0.1:${hub.port}`], reconnectFirstMs: 100 },
    });
    const gateway = await home.start(null);
    await said.count('up');
    expect(await gateway.interrupt()).toBe(0);
    await said.count('down Logout(5) received: The gateway is shutting down');
  } finally {
    await home.remove();
  }
});

test('J2 a session that was cut off because its journal took nothing comes back when that does', async () => {
  const said = new Said();
  const hub = await acceptor(0, { limits: { frameBytesMax: 4_000_000 } });
  const store = memoryStore();
  let isFull = false;
  store.write = () => {
    if (isFull) throw new Error('no space left on device');
  };
  const us = await initiator(said, {
    addresses: [{ host: '127.0.0.1', port: hub.port }],
    sessions: [{ senderCompID: 'US', targetCompID: 'HUB', durability: 'process' }],
    store,
  });
  await said.count('up US');
  isFull = true;
  const session = us.sessions.get('FIX.4.4:US->HUB')!;
  const text = 'x'.repeat(1_000_000);
  for (let n = 0; n < 18; n++) session.send(newMessage('B', { Headline: 'a', NoLinesOfText: 1, Text: text }));
  await said.count('down US');
  isFull = false;
  await said.count('up US', 2);
});
