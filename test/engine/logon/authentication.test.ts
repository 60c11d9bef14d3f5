// Logons over real sockets: passwords by hash, signatures, certificates, networks; and no change of a session before
// (S1). Passwords that are changed are new-password.test.ts's.

import { createHmac, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import type { LogonAccess, SessionSetup } from '../../../src/engine/config.ts';
import { Authenticator, isNetwork, Networks } from '../../../src/engine/logon/authentication.ts';
import { GuessingGuard } from '../../../src/engine/logon/guessing-guard.ts';
import { SignedLogons } from '../../../src/engine/logon/logon-signature.ts';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { Passwords } from '../../../src/engine/logon/passwords.ts';
import {
  type FixEngine,
  type FixSessionOptions,
  fromPrintable,
  MsgType,
  newMessage,
  startAcceptor,
  Tag,
  viewOf,
} from '../../../src/mod.ts';
import { redactText } from '../../../src/ops/secrets/redaction.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { FixConnection, openFix } from '../../support/network/fix-connection.ts';

const OMS = { senderCompID: 'OMS', targetCompID: 'GATE' };
const PASSWORD = 'correct horse battery staple';

let hash = '';
let engine: FixEngine | null = null;
let delivered: string[] = [];
let logged: string[] = [];

beforeAll(async () => {
  hash = await hashPassword(PASSWORD, 10);
});
beforeEach(() => {
  delivered = [];
  logged = [];
});
afterEach(async () => {
  await engine?.close();
  engine = null;
});

async function acceptor(
  { access, ...session }: Partial<FixSessionOptions>,
  tls?: Parameters<typeof startAcceptor>[0]['tls'],
) {
  engine = await startAcceptor({
    port: 0,
    sessions: [
      {
        senderCompID: 'GATE',
        targetCompID: 'OMS',
        durability: 'process',
        access: { onRefusal: 'logout', answersUnproved: true, ...access },
        ...session,
      },
    ],
    limits: { failedLogonsPerMinute: 3 },
    log: (_level, text) => void logged.push(text),
    application: {
      onMessage: (message) => {
        delivered.push(message.string('ClOrdID') ?? '');
      },
      onLogon: (one) => one.send(newMessage(MsgType.News, { Headline: 'welcome', NoLinesOfText: 1, Text: 'one' })),
    },
    ...(tls === undefined ? {} : { tls }),
  });
  return engine;
}

const numbers = () => engine!.sessions.get('FIX.4.4:GATE->OMS')!.numbers;
const ORDER = '35=D|11=o-1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|40=2|44=100';

describe('a password by its hash', () => {
  test('S1 the right one logs on; input after the Logon waits and is taken in order', async () => {
    const { port } = await acceptor({ password: hash });
    const fix = await openFix(port, OMS);
    fix.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    fix.send(ORDER);
    fix.send('35=1|112=after');
    await fix.expect('the answer to the TestRequest', (view) => view.string(Tag.TestReqID) === 'after');
    expect(fix.received.map((view) => view.msgType)).toEqual(['A', 'B', '0']);
    expect(delivered).toEqual(['o-1']);
    fix.destroy();
  });

  test('S1 a wrong one gets the reason and changes nothing, with 141=Y too; the right one starts at 1', async () => {
    const { port } = await acceptor({ password: hash });
    const before = numbers();
    const stranger = await openFix(port, OMS);
    stranger.send('35=A|98=0|108=30|141=Y|554=guess');
    const logout = await stranger.next();
    expect([logout.msgType, logout.int(Tag.MsgSeqNum)]).toEqual([MsgType.Logout, 1]);
    expect(logout.string(Tag.Text)).toContain('Invalid user or password');
    // The log says what did not hold; it hides what looks like a secret, and leaves both sentences as they are.
    const line = logged.find((text) => text.startsWith('Logon(A) not proved'));
    expect(line).toBe('Logon(A) not proved: Password(554) is wrong');
    expect(redactText(line!)).toBe(line);
    expect(redactText(logout.string(Tag.Text)!)).toBe(logout.string(Tag.Text));
    await stranger.expectClosed();
    expect(numbers()).toEqual(before);
    const fix = await openFix(port, OMS);
    fix.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    expect((await fix.next()).int(Tag.MsgSeqNum)).toBe(1);
    fix.destroy();
  });

  test('S1 silence, where it is configured: no byte answers a wrong password', async () => {
    const { port } = await acceptor({ password: hash, access: { onRefusal: 'silence' } });
    const stranger = await openFix(port, OMS);
    stranger.send('35=A|98=0|108=30|554=guess');
    await stranger.expectClosed();
    expect(stranger.received).toEqual([]);
  });

  test('S1 with answersUnproved a refused Logon gets a reason only where it begins the numbers again', async () => {
    const { port } = await acceptor({ password: hash, access: { onRefusal: 'auto' } });
    const counting = await openFix(port, OMS);
    counting.send('35=A|98=0|108=30|554=guess');
    await counting.expectClosed();
    expect(counting.received).toEqual([]);
    const beginning = await openFix(port, OMS);
    beginning.send('35=A|98=0|108=30|141=Y|554=guess');
    expect((await beginning.next()).string(Tag.Text)).toContain('Invalid user or password');
    await beginning.expectClosed();
  });

  test('S1 two Logons checked at once make one session; the other is dropped silently', async () => {
    const { port } = await acceptor({ password: hash });
    const both = await Promise.all([openFix(port, OMS), openFix(port, OMS)]);
    for (const fix of both) fix.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    const first = await Promise.any(
      both.map(async (fix) => ((await fix.next()).msgType === 'A' ? fix : await never())),
    );
    const second = both.find((fix) => fix !== first)!;
    await second.expectClosed();
    expect(second.received).toEqual([]);
    first.destroy();
  });

  test('S1 refuses further passwords of a session unseen while four are checked', async () => {
    const authenticator = new Authenticator(new Passwords(null, Date.now), Date.now);
    const setup = {
      session: { sessionId: 'S', username: null },
      password: { reference: 'x', read: () => hash },
      access: { allowFrom: [], certificate: null, signature: null, passwordOverlapMs: null },
    } as unknown as SessionSetup;
    const logon = viewOf(fromPrintable(`35=A|49=OMS|56=GATE|34=1|554=${PASSWORD}|`, 'FIX.4.4'))!;
    const check = async () => (await authenticator.check(setup, logon, { remoteAddress: '', tls: null })).kind;
    const kinds = await Promise.all(Array.from({ length: 6 }, check));
    expect(kinds).toEqual(['accepted', 'accepted', 'accepted', 'accepted', 'refused', 'refused']);
    expect(await check()).toBe('accepted');
  });

  test('guessing from one address is refused for a minute, the right password too', async () => {
    const { port } = await acceptor({ password: hash });
    for (let i = 0; i < 3; i++) {
      const stranger = await openFix(port, OMS);
      stranger.send(`35=A|98=0|108=30|554=guess-${i}`);
      await stranger.expectClosed();
    }
    const late = await openFix(port, OMS);
    late.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    await late.expectClosed();
    expect(late.received).toEqual([]);
  });
});

function never(): Promise<never> {
  return new Promise(() => {});
}

/** A Logon with RawData(96) as an OMS writes it. */
function signedLogon(signature: (text: string) => string, sendingTime: string, msgSeqNum = 1) {
  const text = ['A', 'OMS', 'GATE', String(msgSeqNum), sendingTime].join('\x01');
  const raw = signature(text);
  const body = `98=0|108=30|95=${raw.length}|96=${raw}|`;
  return fromPrintable(`35=A|49=OMS|56=GATE|34=${msgSeqNum}|52=${sendingTime}|${body}`, 'FIX.4.4');
}

describe('a signature in RawData(96)', () => {
  const NOW = Date.UTC(2026, 0, 5, 12, 0, 0, 250);
  const secret = 'a shared secret of some length';
  const hmac = (text: string) => createHmac('sha256', secret).update(text, 'latin1').digest('base64');
  const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
  const check = (algorithm: NonNullable<LogonAccess['signature']>['algorithm'], key: string) => {
    let now = NOW - 1000;
    const logons = new SignedLogons(() => now);
    now = NOW;
    const rule = { algorithm, key: { reference: 'env:X', read: () => key }, windowMs: 10_000 };
    return (frame: Uint8Array) => logons.refusal('FIX.4.4:GATE->OMS', rule, viewOf(frame)!) === null;
  };
  const at = (offsetMs: number) => formatUtcTimestamp(NOW + offsetMs);

  test('the test vector of the rules of engagement', () => {
    const vector = hmac(['A', 'OMS', 'GATE', '1', '20260105-12:00:00.000'].join('\x01'));
    expect(vector).toBe(VECTOR);
  });

  test('HMAC-SHA256, Ed25519 and ECDSA P-256, in both encodings, are verified; another key is not', () => {
    const ed = generateKeyPairSync('ed25519');
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const ecdsa = (dsaEncoding: 'der' | 'ieee-p1363') => (text: string) =>
      sign('sha256', Buffer.from(text, 'latin1'), { key: ec.privateKey, dsaEncoding }).toString('base64');
    const edSign = (text: string) => sign(null, Buffer.from(text, 'latin1'), ed.privateKey).toString('base64');
    expect(check('hmac-sha256', secret)(signedLogon(hmac, at(0)))).toBe(true);
    expect(check('ed25519', pem(ed.publicKey))(signedLogon(edSign, at(0)))).toBe(true);
    for (const encoding of ['der', 'ieee-p1363'] as const) {
      expect(check('ecdsa-p256', pem(ec.publicKey))(signedLogon(ecdsa(encoding), at(0)))).toBe(true);
    }
    expect(check('hmac-sha256', 'another secret')(signedLogon(hmac, at(0)))).toBe(false);
    expect(check('ed25519', pem(generateKeyPairSync('ed25519').publicKey))(signedLogon(edSign, at(0)))).toBe(false);
    expect(check('ed25519', pem(ec.publicKey))(signedLogon(edSign, at(0)))).toBe(false);
    // Some base64 that is no signature is refused like a wrong one, whatever its length.
    for (const [algorithm, key] of [
      ['hmac-sha256', secret],
      ['ed25519', pem(ed.publicKey)],
      ['ecdsa-p256', pem(ec.publicKey)],
    ] as const)
      for (const bytes of [1, 31, 33, 64])
        expect(check(algorithm, key)(signedLogon(() => Buffer.alloc(bytes, 1).toString('base64'), at(0)))).toBe(false);
  });

  test('one too old, of another number, or sent twice is refused, and so is one signed before the last start', () => {
    const verify = check('hmac-sha256', secret);
    expect(verify(signedLogon(hmac, at(-10_001)))).toBe(false);
    expect(verify(signedLogon(hmac, at(10_001)))).toBe(false);
    expect(verify(signedLogon(hmac, at(-5000)))).toBe(false);
    expect(verify(signedLogon((text) => hmac(text.replace('\x011\x01', '\x012\x01')), at(1)))).toBe(false);
    const once = signedLogon(hmac, at(2));
    expect(verify(once)).toBe(true);
    expect(verify(once)).toBe(false);
    expect(verify(signedLogon(hmac, at(3)))).toBe(true);
  });

  test('reports a wrong signature to our operators, with the difference of the clocks', () => {
    let now = NOW - 1000;
    const logons = new SignedLogons(() => now);
    now = NOW;
    const why = (frame: Uint8Array, key = secret) =>
      logons.refusal(
        'S',
        { algorithm: 'hmac-sha256', key: { reference: 'x', read: () => key }, windowMs: 10_000 },
        viewOf(frame)!,
      );
    expect(why(signedLogon(hmac, at(-20_100)))).toBe(
      'SendingTime(52) is 20.1 s behind our clock, and logon.signature.windowMs allows 10 s',
    );
    expect(why(signedLogon(hmac, at(30_000)))).toContain('30.0 s ahead of our clock');
    expect(why(signedLogon(hmac, at(-5000)))).toContain('before this process started');
    expect(why(signedLogon(hmac, at(1)), 'another secret')).toContain('by the key of the session');
    expect(why(signedLogon(hmac, at(1)))).toBeNull();
    expect(why(signedLogon(hmac, at(1)))).toContain('sent before');
    expect(why(fromPrintable('35=A|49=OMS|56=GATE|34=1|98=0|108=30|'))).toContain('RawData(96)');
  });

  /** By a clock of its own: whether a Logon signed at a time is taken. */
  function signedAt(clock: () => number, windowMs: number): (at: number) => boolean {
    const logons = new SignedLogons(clock);
    const key = { reference: 'x', read: () => secret };
    return (at) => {
      const logon = viewOf(signedLogon(hmac, formatUtcTimestamp(at)))!;
      return logons.refusal('S', { algorithm: 'hmac-sha256', key, windowMs }, logon) === null;
    };
  }

  test('so many signed Logons are taken within one window and no more; those of past windows do not count', () => {
    let now = NOW;
    const verify = signedAt(() => now, 10_000);
    for (let n = 0; n < 1024; n++) expect(verify(now + n)).toBe(true);
    expect(verify(now + 1024)).toBe(false);
    for (let n = 0; n < 1100; n++) {
      now += 20_001;
      expect(verify(now)).toBe(true);
    }
  });

  test('admits an engine with failing signed Logons each second as soon as it may be', () => {
    let now = NOW;
    const verify = signedAt(() => now, 600_000);
    const first = now;
    for (let second = 0; second < 3600; second++) {
      expect(verify(now)).toBe(true);
      now += 1000;
    }
    // One from the past of the window is remembered, one before it is too old.
    expect(verify(now - 600_000)).toBe(false);
    expect(verify(first)).toBe(false);
  });

  test('a clock set back below the start keeps out only signatures of before that moment', () => {
    let now = Date.UTC(2026, 10, 21, 12);
    const verify = signedAt(() => now, 10_000);
    now -= 3_600_000;
    expect(verify(now - 2000)).toBe(false);
    expect(verify(now)).toBe(true);
    expect(verify(now)).toBe(false);
    now += 5000;
    expect(verify(now)).toBe(true);
  });

  test('a clock set back revives no recorded signed Logon', () => {
    let now = NOW;
    const verify = signedAt(() => now, 10_000);
    expect(verify(NOW + 5000)).toBe(true);
    now += 1_800_000;
    expect(verify(now)).toBe(true);
    now = NOW;
    expect(verify(NOW + 5000)).toBe(false);
    expect(verify(NOW)).toBe(true);
    now += 1_800_000;
    expect(verify(now)).toBe(false);
    expect(verify(now + 1)).toBe(true);
  });

  test('over TCP: the signed Logon is taken, the same bytes again are not', async () => {
    const { port } = await acceptor({
      access: {
        signature: { algorithm: 'hmac-sha256', key: { reference: 'x', read: () => secret }, windowMs: 10_000 },
      },
    });
    const logon = signedLogon(hmac, formatUtcTimestamp(Date.now()));
    const fix = await openFix(port, OMS);
    fix.sendBytes(logon);
    expect((await fix.next()).msgType).toBe(MsgType.Logon);
    fix.send('35=5');
    await fix.expect('the Logout', (view) => view.msgType === MsgType.Logout);
    fix.destroy();
    const thief = await openFix(port, OMS);
    thief.sendBytes(logon);
    expect((await thief.next()).msgType).toBe(MsgType.Logout);
    await thief.expectClosed();
  });
});

const VECTOR = 'rLrtICnzQIChvtsst+gTw3a0LZThYvECB4d5siX9lK0=';

describe('where it comes from', () => {
  test('networks of IPv4 and IPv6 in CIDR notation', () => {
    const networks = new Networks(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32']);
    for (const inside of ['10.1.255.3', '192.0.2.7', '2001:db8:1::5']) expect(networks.has(inside)).toBe(true);
    for (const outside of ['10.2.0.1', '192.0.2.8', '2001:db9::1', '']) expect(networks.has(outside)).toBe(false);
    expect(['10.0.0.0/8', '::1', '10.0.0.1'].every(isNetwork)).toBe(true);
    expect(['10.0.0.0/33', '2001:db8::/129', '10.0.0', 'here', '10.0.0.1/x'].some(isNetwork)).toBe(false);
    // Without its length a network would be all addresses.
    for (const wrong of ['10.0.0.0/', '10.0.0.0/ ', '10.0.0.0/8/9', '10.0.0.0/1e1', '/8'])
      expect(isNetwork(wrong)).toBe(false);
  });

  test('a session that may come from elsewhere only is refused', async () => {
    const { port } = await acceptor({ access: { allowFrom: ['192.0.2.0/24'] } });
    const fix = await openFix(port, OMS);
    fix.send('35=A|98=0|108=30');
    expect((await fix.next()).string(Tag.Text)).toContain('may not log on from this address');
  });

  test('addresses of one IPv6 /64 count as one guesser', () => {
    const guard = new GuessingGuard(2);
    guard.failed('2001:db8:0:1::5', 0);
    guard.failed('2001:db8:0:1:aaaa::6', 0);
    expect(guard.allows('2001:db8:0:1::7', 0)).toBe(false);
    expect(guard.allows('2001:db8:0:2::7', 0)).toBe(true);
  });

  test('a minute counts from the last failure on, so that a steady guesser stays out', () => {
    const guard = new GuessingGuard(2);
    for (const at of [0, 30_000, 59_000]) guard.failed('192.0.2.1', at);
    expect(guard.allows('192.0.2.1', 118_999)).toBe(false);
    expect(guard.allows('192.0.2.1', 119_000)).toBe(true);
  });

  test('occasional failures keep no session out, and a minute begins with the excess one', () => {
    const guard = new GuessingGuard(2);
    for (const at of [0, 61_000]) guard.failed('192.0.2.1', at);
    expect(guard.allows('192.0.2.1', 61_001)).toBe(true);
    for (const at of [0, 30_000]) guard.failed('192.0.2.2', at);
    expect([60_000, 89_999, 90_000].map((at) => guard.allows('192.0.2.2', at))).toEqual([false, false, true]);
    const patient = new GuessingGuard(3);
    for (const at of [0, 50_000, 100_000]) patient.failed('192.0.2.1', at);
    expect(patient.allows('192.0.2.1', 100_001)).toBe(true);
  });

  test("counts a session that logged on from an address alone there, apart from others' failures", () => {
    const guard = new GuessingGuard(2);
    guard.proved('192.0.2.1', 'A');
    for (const who of ['B', 'C']) guard.failed('192.0.2.1', 0, who);
    expect([null, 'A', 'B', 'C', 'D'].map((who) => guard.allows('192.0.2.1', 0, who))).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(guard.allows('192.0.2.2', 0, 'B')).toBe(true);
    for (let guess = 0; guess < 2; guess++) guard.failed('192.0.2.1', 0, 'A');
    expect(guard.allows('192.0.2.1', 0, 'A')).toBe(false);
  });

  test("a session has one try a minute beside others' failures, and an unknown name none", () => {
    const guard = new GuessingGuard(2);
    for (let guess = 0; guess < 2; guess++) guard.failed('192.0.2.1', 0, 'A');
    expect(guard.allows('192.0.2.1', 1000, 'B')).toBe(true);
    guard.failed('192.0.2.1', 1000, 'B');
    expect([null, 'A', 'B'].map((who) => guard.allows('192.0.2.1', 2000, who))).toEqual([false, false, false]);
    expect(guard.allows('192.0.2.1', 61_000, 'B')).toBe(true);
  });

  test('an address that tried unknown sessions has no try at known ones', () => {
    const guard = new GuessingGuard(2);
    guard.failed('192.0.2.1', 0);
    guard.failed('192.0.2.1', 0, 'A');
    expect(guard.allows('192.0.2.1', 1000, 'B')).toBe(true);
    guard.proved('192.0.2.1', 'C');
    guard.failed('192.0.2.1', 1000);
    expect(guard.allows('192.0.2.1', 2000, 'B')).toBe(false);
    // A session that has logged on from there is known.
    expect(guard.allows('192.0.2.1', 2000, 'C')).toBe(true);
  });

  test('of ten thousand addresses at most is known that they guess: the oldest is forgotten first', () => {
    const guard = new GuessingGuard(1);
    const address = (n: number) => `10.${n >> 8}.${n & 255}.1`;
    for (let n = 0; n <= 10_000; n++) guard.failed(address(n), 0);
    expect([0, 1, 10_000].map((n) => guard.allows(address(n), 1))).toEqual([true, false, false]);
  });

  test('a wrong password keeps no neighbour out, logged on from its address before or not', async () => {
    const wrong = { ...OMS, senderCompID: 'WRONG' };
    engine = await startAcceptor({
      port: 0,
      sessions: [OMS, wrong, { ...OMS, senderCompID: 'NEW' }].map(({ senderCompID }) => ({
        senderCompID: 'GATE',
        targetCompID: senderCompID,
        durability: 'process',
        password: PASSWORD,
      })),
      limits: { failedLogonsPerMinute: 3 },
      application: { onMessage: () => {} },
    });
    const logOn = async (identity: typeof OMS, seqNum: number, password: string): Promise<boolean> => {
      const fix = await openFix(engine!.port, identity);
      fix.send(`35=A|98=0|108=30|554=${password}`, { seqNum });
      const up = await Promise.any([fix.next().then(() => true), fix.expectClosed().then(() => false)]);
      fix.destroy();
      return up;
    };
    expect(await logOn(OMS, 1, PASSWORD)).toBe(true);
    await expect.poll(() => engine!.sessions.get('FIX.4.4:GATE->OMS')!.loggedOn).toBe(false);
    for (let attempt = 0; attempt < 4; attempt++) expect(await logOn(wrong, 1, 'old')).toBe(false);
    expect(await logOn(OMS, 2, PASSWORD)).toBe(true);
    expect(await logOn({ ...OMS, senderCompID: 'NEW' }, 1, PASSWORD)).toBe(true);
    expect(await logOn({ ...OMS, senderCompID: 'NOBODY' }, 1, PASSWORD)).toBe(false);
  });

  test('a minute is a minute when the clock is set back meanwhile', () => {
    const guard = new GuessingGuard(1);
    guard.failed('192.0.2.1', 3_600_000);
    expect(guard.allows('192.0.2.1', 3_600_001)).toBe(false);
    expect(guard.allows('192.0.2.1', 1)).toBe(true);
  });

  test('a session bound to a certificate takes that of its client only', async () => {
    const server = await createSelfSignedCertificate({ commonName: 'localhost' });
    const client = await createSelfSignedCertificate({ commonName: 'oms.test' });
    const tls = {
      certificate: server.certificatePem,
      key: server.keyPem,
      clientAuthority: client.certificatePem,
    };
    const { fingerprint256 } = new X509Certificate(client.certificatePem);
    const foreign = new X509Certificate(server.certificatePem).fingerprint256;
    for (const [commonName, fingerprints, answer] of [
      ['oms.test', [], MsgType.Logon],
      ['other.test', [], MsgType.Logout],
      [null, [foreign, fingerprint256], MsgType.Logon],
      [null, [foreign], MsgType.Logout],
      ['other.test', [fingerprint256], MsgType.Logout],
    ] as const) {
      const { port } = await acceptor({ access: { certificate: { commonName, fingerprints } } }, tls);
      const socket = connectTls({
        port,
        host: '127.0.0.1',
        ca: server.certificatePem,
        servername: 'localhost',
        cert: client.certificatePem,
        key: client.keyPem,
      });
      const fix = new FixConnection(socket, OMS);
      fix.send('35=A|98=0|108=30');
      expect((await fix.next()).msgType).toBe(answer);
      fix.destroy();
      await engine!.close();
    }
  });
});
