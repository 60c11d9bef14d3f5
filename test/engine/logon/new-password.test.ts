// NewPassword(925): the valid password at each time, the kept data, and the fate of a Logon with an impossible change.

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionSetup } from '../../../src/engine/config.ts';
import { bringOver, changedPasswords } from '../../../src/engine/logon/journal-passwords.ts';
import { PasswordFiles } from '../../../src/engine/logon/password-files.ts';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { Passwords } from '../../../src/engine/logon/passwords.ts';
import { isBrokenHash, replacedPasswordText } from '../../../src/engine/logon/replaced-password.ts';
import { type MessageView, MsgType, Tag } from '../../../src/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';
import { EngineHost } from '../../support/session/engine-host.ts';

const OMS = { senderCompID: 'OMS', targetCompID: 'GATE' };
const PASSWORD = 'correct horse battery staple';
let hash = '';

beforeAll(async () => {
  hash = await hashPassword(PASSWORD, 10);
});

describe('NewPassword(925)', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-passwords-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const setup = (passwordOverlapMs: number | null) =>
    ({
      session: { sessionId: 'FIX.4.4:GATE->OMS', username: null },
      password: { reference: 'file:x', read: () => hash },
      access: { passwordOverlapMs },
    }) as unknown as SessionSetup;

  test('both passwords are good until the overlap ends, also after a restart; files hold hashes only', async () => {
    let now = 1_000_000;
    const passwords = new Passwords(new PasswordFiles(folder), () => now);
    expect(await passwords.change(setup(60_000), PASSWORD, 'a new and long one')).toBeNull();
    const [file] = await readdir(folder);
    const text = await readFile(join(folder, file!), 'utf8');
    expect(text).not.toContain('a new and long one');
    expect(text).toContain('$scrypt$');
    for (const one of [passwords, new Passwords(new PasswordFiles(folder), () => now)]) {
      now = 1_000_000;
      expect(await one.verify(setup(60_000), PASSWORD)).toBe(true);
      expect(await one.verify(setup(60_000), 'a new and long one')).toBe(true);
      now += 60_000;
      expect(await one.verify(setup(60_000), PASSWORD)).toBe(false);
      expect(await one.verify(setup(60_000), 'a new and long one')).toBe(true);
    }
  });

  test('a replaced password is good until its time ends, also one that NewPassword(925) made of it', async () => {
    let now = 1_000_000;
    const until = now + 60_000;
    const replaced = replacedPasswordText(await hashPassword('the one after it', 10), hash, until);
    expect(isBrokenHash(replaced)).toBe(false);
    expect(isBrokenHash(`${replaced}x`)).toBe(true);
    const after = { ...setup(60_000), password: { reference: 'file:x', read: () => replaced } } as SessionSetup;
    const files = new PasswordFiles(folder);
    const passwords = new Passwords(files, () => now);
    expect(await passwords.verify(after, PASSWORD)).toBe(true);
    expect(await passwords.verify(after, 'the one after it')).toBe(true);
    // The counterparty changed it itself before the operator replaced it.
    expect(await passwords.change(setup(60_000), PASSWORD, 'a new and long one')).toBeNull();
    expect(await passwords.verify(after, 'a new and long one')).toBe(true);
    expect(await passwords.verify(after, PASSWORD)).toBe(false);
    now = until;
    expect(await passwords.verify(after, 'a new and long one')).toBe(false);
    expect(await passwords.verify(after, 'the one after it')).toBe(true);
  });

  test('a session with four names of 64 characters logs on and changes its password', async () => {
    const ids = ['A', 'B', 'C', 'D'].map((letter) => letter.repeat(64));
    const session = { sessionId: `FIX.4.4:${ids[0]}/${ids[1]}->${ids[2]}/${ids[3]}`, username: null };
    const long = { ...setup(60_000), session } as SessionSetup;
    const passwords = new Passwords(new PasswordFiles(folder), () => 0);
    expect(await passwords.verify(long, PASSWORD)).toBe(true);
    expect(await passwords.change(long, PASSWORD, 'a new and long one')).toBeNull();
    expect(await new Passwords(new PasswordFiles(folder), () => 0).verify(long, 'a new and long one')).toBe(true);
  });

  test('stores new passwords with a shared journal for other nodes, old files included', async () => {
    const texts = new Map<string, string>();
    const kept = {
      read: (name: string) => texts.get(name) ?? null,
      write: async (name: string, text: string) => void texts.set(name, text),
    };
    const node = (name: string) => changedPasswords(join(folder, name), { kept });
    await new Passwords(new PasswordFiles(join(folder, 'one', 'passwords')), () => 0).change(
      setup(60_000),
      PASSWORD,
      'one new and long one',
    );
    const one = new Passwords(node('one'), () => 0);
    expect(await one.verify(setup(60_000), 'one new and long one')).toBe(true);
    await bringOver(node('one'), ['FIX.4.4:GATE->OMS', 'FIX.4.4:GATE->OTHER']);
    expect([...texts.keys()]).toEqual(['password FIX.4.4:GATE->OMS']);
    const two = new Passwords(node('two'), () => 0);
    expect(await two.verify(setup(60_000), 'one new and long one')).toBe(true);
    expect(await two.change(setup(60_000), 'one new and long one', 'two new and long ones')).toBeNull();
    // The file of the first is older than what the second said.
    await bringOver(node('one'), ['FIX.4.4:GATE->OMS']);
    const again = new Passwords(node('one'), () => 60_000);
    expect(await again.verify(setup(60_000), 'two new and long ones')).toBe(true);
    expect(await again.verify(setup(60_000), 'one new and long one')).toBe(false);
    expect([...texts.values()].join()).not.toContain('long one');
  });

  test('accepts non-ASCII passwords in UTF-8 and ISO 8859-1, as text, hash and new one', async () => {
    const asUtf8 = (text: string): string => Buffer.from(text).toString('latin1');
    const chosen = 'Zürich im Mai';
    for (const secret of [chosen, await hashPassword(chosen, 10)]) {
      const passwords = new Passwords(new PasswordFiles(folder), () => 0);
      const one = { ...setup(60_000), password: { reference: 'a test', read: () => secret } };
      for (const right of [chosen, asUtf8(chosen)]) expect(await passwords.verify(one, right)).toBe(true);
      for (const wrong of ['Zurich im Mai', 'Z?rich im Mai', asUtf8(asUtf8(chosen))]) {
        expect(await passwords.verify(one, wrong)).toBe(false);
      }
      if (secret === chosen) continue;
      expect(await passwords.change(one, asUtf8(chosen), asUtf8('Größe 46 €'.padEnd(12)))).toBeNull();
      expect(await passwords.verify(one, asUtf8('Größe 46 €'.padEnd(12)))).toBe(true);
    }
  });

  test('a second change leaves the first one good, not the one before', async () => {
    const told: unknown[] = [];
    const passwords = new Passwords(
      new PasswordFiles(folder),
      () => 0,
      (...change) => told.push(change),
    );
    await passwords.change(setup(60_000), PASSWORD, 'one new and long one');
    await passwords.change(setup(60_000), 'one new and long one', 'two new and long ones');
    await passwords.change(setup(60_000), 'two new and long ones', 'short');
    // For the log: the session, and the end of the earlier password.
    expect(told).toEqual(Array(2).fill(['FIX.4.4:GATE->OMS', 60_000]));
    expect(await passwords.verify(setup(60_000), 'one new and long one')).toBe(true);
    expect(await passwords.verify(setup(60_000), 'two new and long ones')).toBe(true);
    expect(await passwords.verify(setup(60_000), PASSWORD)).toBe(false);
  });

  test('S1 sets no other password beside the old; a repeat is confirmed without more time', async () => {
    let now = 1_000_000;
    const passwords = new Passwords(new PasswordFiles(folder), () => now);
    await passwords.change(setup(60_000), PASSWORD, 'a new and long one');
    now += 40_000;
    expect(await passwords.change(setup(60_000), PASSWORD, 'one of a stranger')).toContain('the present Password(554)');
    expect(await passwords.verify(setup(60_000), 'one of a stranger')).toBe(false);
    expect(await passwords.change(setup(60_000), PASSWORD, 'a new and long one')).toBeNull();
    expect(await passwords.verify(setup(60_000), 'a new and long one')).toBe(true);
    now += 20_000;
    expect(await passwords.verify(setup(60_000), PASSWORD)).toBe(false);
  });

  test('the old one is good no longer than the overlap, though it was the last that proved right', async () => {
    let now = 1_000_000;
    const passwords = new Passwords(new PasswordFiles(folder), () => now);
    await passwords.change(setup(60_000), PASSWORD, 'a new and long one');
    expect(await passwords.verify(setup(60_000), PASSWORD)).toBe(true);
    now += 60_000;
    expect(await passwords.verify(setup(60_000), PASSWORD)).toBe(false);
  });

  test('S1 an unreadable changed-password file admits none by the old one; files are owner-only', async () => {
    await new Passwords(new PasswordFiles(folder), () => 0).change(setup(60_000), PASSWORD, 'a new and long one');
    const path = join(folder, (await readdir(folder))[0]!);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const text of ['{"replaces":', 'null', '{}', '']) {
      await writeFile(path, text);
      const kept = { read: () => text, write: async () => {} };
      for (const store of [new PasswordFiles(folder), changedPasswords(folder, { kept })]) {
        const passwords = new Passwords(store, () => 0);
        await expect(passwords.verify(setup(60_000), PASSWORD)).rejects.toThrow('cannot be read');
      }
    }
  });

  test('a reconnect costs no hash, and only with the password that was right', async () => {
    const passwords = new Passwords(null, () => 0);
    expect(passwords.recognize(setup(null), PASSWORD)).toBeNull();
    await passwords.verify(setup(null), PASSWORD);
    expect([PASSWORD, `${PASSWORD}!`].map((one) => passwords.recognize(setup(null), one))).toEqual([true, null]);
  });

  test('one that is short, or the old one again, or not wanted here is refused in words', async () => {
    const passwords = new Passwords(new PasswordFiles(folder), () => 0);
    expect(await passwords.change(setup(1), PASSWORD, 'short')).toContain('12 to 64 characters');
    const named = { ...setup(1), session: { sessionId: 'S', username: 'a new and long one' } } as SessionSetup;
    expect(await passwords.change(named, PASSWORD, 'a new and long one')).toContain('differ from Username(553)');
    expect(await passwords.change(setup(1), PASSWORD, 'x'.repeat(65))).toContain('12 to 64 characters');
    expect(await passwords.change(setup(1), PASSWORD, PASSWORD)).toContain('must differ');
    expect(await new Passwords(null, () => 0).change(setup(1), PASSWORD, 'a new and long one')).toContain('not taken');
    expect(await passwords.change(setup(null), PASSWORD, 'a new and long one')).toContain('not taken');
    const inPlain = { ...setup(1), password: { reference: 'file:x', read: () => PASSWORD } };
    expect(await passwords.change(inPlain, PASSWORD, 'a new and long one')).toContain('not taken');
    expect(await readdir(folder)).toEqual([]);
  });

  test('refuses a hash with a cost that blocks every Logon, or protects nothing', () => {
    const hash = (ln: number, r: number, p: number): string =>
      `$scrypt$ln=${ln},r=${r},p=${p}$${'a'.repeat(22)}$${'b'.repeat(43)}`;
    for (const good of [hash(8, 8, 1), hash(17, 1, 4), hash(10, 16, 1)])
      expect([good, isBrokenHash(good)]).toEqual([good, false]);
    for (const bad of [
      hash(7, 8, 1),
      hash(18, 8, 1),
      hash(10, 0, 1),
      hash(10, 17, 1),
      hash(10, 8, 0),
      hash(10, 8, 5),
    ]) {
      expect([bad, isBrokenHash(bad)]).toEqual([bad, true]);
    }
    expect(isBrokenHash('a password')).toBe(false);
  });

  test('with a broken hash no Logon succeeds, and the log says why', async () => {
    const password = { reference: 'file:x', read: () => '$scrypt$ln=10,r=8,p=1$short' };
    const verified = new Passwords(null, () => 0).verify({ ...setup(null), password }, PASSWORD);
    await expect(verified).rejects.toThrow('the hash of a password is not');
  });

  test('the dearest hash that is taken can be compared, whatever memory it takes', async () => {
    const dearest = `$scrypt$ln=17,r=16,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`;
    const password = { reference: 'file:x', read: () => dearest };
    expect(await new Passwords(null, () => 0).verify({ ...setup(null), password }, PASSWORD)).toBe(false);
  });

  test('S1 a Logon that loses its connection while the new password is hashed changes nothing', async () => {
    const passwords = new Passwords(new PasswordFiles(folder), () => 0);
    let isThere = true;
    const changed = passwords.change(setup(60_000), PASSWORD, 'a new and long one', () => isThere);
    isThere = false;
    await changed;
    expect(await readdir(folder)).toEqual([]);
  });

  test('of two changes at once both are written, one after the other', async () => {
    const files = new PasswordFiles(folder);
    const write = (previousUntil: number) =>
      files.write('FIX.4.4:GATE->OMS', { replaces: '', hash, previous: hash, previousUntil });
    await Promise.all([write(1), write(2), write(3)]);
    for (const one of [files, new PasswordFiles(folder)]) expect(one.read('FIX.4.4:GATE->OMS')?.previousUntil).toBe(3);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('a hash configured anew counts again', async () => {
    const files = new PasswordFiles(folder);
    const passwords = new Passwords(files, () => 0);
    await passwords.change(setup(1000), PASSWORD, 'a new and long one');
    const configured = await hashPassword('set by the operator', 10);
    const anew = { ...setup(1000), password: { reference: 'file:x', read: () => configured } } as SessionSetup;
    expect(await passwords.verify(anew, 'a new and long one')).toBe(false);
    expect(await passwords.verify(anew, 'set by the operator')).toBe(true);
  });
});

describe('NewPassword(925) over TCP', () => {
  const CHANGED = 'a new and long one';
  let folder = '';
  let host: EngineHost;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-passwords-'));
    const config = { senderCompID: 'GATE', targetCompID: 'OMS', sendsSessionStatus: true };
    const door = { password: hash, overlapMs: 60_000, changed: new PasswordFiles(folder) };
    host = await EngineHost.open({ config }, door);
  });
  afterEach(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Log on, read the answer, log out. */
  async function answerTo(credentials: string, msgSeqNum: number, terms = '108=30'): Promise<MessageView> {
    const fix = await openFix(host.port, OMS);
    fix.nextSenderMsgSeqNum = msgSeqNum;
    fix.send(`35=A|98=0|${terms}|${credentials}`);
    const answer = await fix.next();
    if (answer.msgType === MsgType.Logon) {
      fix.send('35=5');
      await fix.expect('the Logout', (view) => view.msgType === MsgType.Logout);
    }
    fix.destroy();
    await fix.expectClosed();
    await host.vacated();
    return answer;
  }

  test('1409=1 confirms the change; then the new and for a while the old password log on, another does not', async () => {
    const changed = await answerTo(`554=${PASSWORD}|925=${CHANGED}`, 1);
    expect([changed.msgType, changed.string(Tag.SessionStatus)]).toEqual([MsgType.Logon, '1']);
    expect((await answerTo(`554=${CHANGED}`, 3)).msgType).toBe(MsgType.Logon);
    expect((await answerTo(`554=${PASSWORD}`, 5)).msgType).toBe(MsgType.Logon);
    expect((await answerTo('554=a guess of somebody', 7)).msgType).toBe(MsgType.Logout);
  });

  test('S1 two Logons with different new passwords: one is taken, and answered truly', async () => {
    const wishes = ['the first of two new ones', 'the second of two new ones'];
    const both = await Promise.all(wishes.map(() => openFix(host.port, OMS)));
    for (const [i, fix] of both.entries()) fix.send(`35=A|98=0|108=30|554=${PASSWORD}|925=${wishes[i]}`);
    await Promise.all(both.map((fix) => Promise.race([fix.next(), fix.expectClosed()]).catch(() => {})));
    const taken = both.map((fix) => fix.received.some((view) => view.string(Tag.SessionStatus) === '1'));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const [fix] = both.filter((_, i) => taken[i]);
    fix!.send('35=5');
    await fix!.expect('the Logout', (view) => view.msgType === MsgType.Logout);
    for (const one of both) one.destroy();
    await host.vacated();
    const good = wishes.filter((_, i) => taken[i]);
    const lost = wishes.filter((_, i) => !taken[i]);
    expect((await answerTo(`554=${good[0]}`, 3)).msgType).toBe(MsgType.Logon);
    expect((await answerTo(`554=${lost[0]}`, 5)).msgType).toBe(MsgType.Logout);
  });

  test('S1 drops a Logon with the old password beside one that changes it, which is answered', async () => {
    // An earlier proof is recognized at once: it would be logged on before the new hash is made.
    expect((await answerTo(`554=${PASSWORD}`, 1)).msgType).toBe(MsgType.Logon);
    const changing = await openFix(host.port, OMS);
    changing.nextSenderMsgSeqNum = 3;
    changing.send(`35=A|98=0|108=30|554=${PASSWORD}|925=${CHANGED}`);
    const answered = changing.next();
    let dropped = 0;
    while (changing.received.length === 0) {
      const keeping = await openFix(host.port, OMS);
      keeping.nextSenderMsgSeqNum = 3;
      keeping.send(`35=A|98=0|108=30|554=${PASSWORD}`);
      await Promise.race([keeping.expectClosed(), answered]);
      if (keeping.closed) dropped++;
      expect(keeping.received).toEqual([]);
      keeping.destroy();
    }
    expect(dropped).toBeGreaterThan(0);
    expect((await answered).string(Tag.SessionStatus)).toBe('1');
    changing.destroy();
  });

  test('one that cannot be written is refused like a wrong one, and the old password stays', async () => {
    await mkdir(join(folder, 'FIX.4.4%3AGATE-%3EOMS.json.new'));
    expect((await answerTo(`554=${PASSWORD}|925=${CHANGED}`, 1)).msgType).toBe(MsgType.Logout);
    expect((await answerTo(`554=${PASSWORD}`, 1)).msgType).toBe(MsgType.Logon);
  });

  test('S1 a Logon refused by the schedule changes no password', async () => {
    await host.close();
    const day = (daysAhead: number): string => new Date(Date.now() + 86_400_000 * daysAhead).toISOString().slice(0, 10);
    const schedule = { timeZone: 'UTC', windows: [], holidays: [day(0), day(1)], resets: [] };
    const config = { senderCompID: 'GATE', targetCompID: 'OMS', schedule };
    const door = { password: hash, overlapMs: 0, changed: new PasswordFiles(folder) };
    host = await EngineHost.open({ config }, door);
    const refused = await answerTo(`554=${PASSWORD}|925=${CHANGED}`, 1);
    expect(refused.string(Tag.Text)).toContain('This session is closed until');
    expect(await readdir(folder)).toEqual([]);
    expect((await answerTo('554=a guess of somebody', 1)).string(Tag.Text)).toContain('Invalid user or password');
  });

  test.each([
    ['whose number is too low', 3, '108=30'],
    ['whose HeartBtInt(108) is not taken', 5, '108=99999'],
    ['that asks for a reset behind number 1', 5, '108=30|141=Y'],
  ])('S1 a Logon %s is refused and changes no password, though it proves itself', async (_, msgSeqNum, terms) => {
    expect((await answerTo(`554=${PASSWORD}`, 1)).msgType).toBe(MsgType.Logon);
    expect((await answerTo(`554=${PASSWORD}`, 3)).msgType).toBe(MsgType.Logon);
    const refused = await answerTo(`554=${PASSWORD}|925=${CHANGED}`, msgSeqNum, terms);
    expect(refused.msgType).toBe(MsgType.Logout);
    expect(await readdir(folder)).toEqual([]);
  });

  test('within the session a Logon without reset, or with a refused one, changes no password', async () => {
    const fix = await openFix(host.port, OMS);
    fix.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    await fix.next();
    fix.send(`35=A|98=0|108=30|554=${PASSWORD}|925=${CHANGED}`);
    fix.send('35=1|112=counted');
    expect((await fix.next()).string(Tag.TestReqID)).toBe('counted');
    fix.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}|925=${CHANGED}`);
    expect((await fix.next()).string(Tag.Text)).toContain('needs MsgSeqNum(34)=1');
    expect(await readdir(folder)).toEqual([]);
    fix.destroy();
  });

  test('S1 within the session, a reset behind a Logout(5) is refused and changes no password', async () => {
    const fix = await openFix(host.port, OMS);
    fix.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    fix.send('35=5');
    fix.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}|925=${CHANGED}`, { seqNum: 1 });
    await fix.expectClosed();
    expect(await readdir(folder)).toEqual([]);
  });

  test('within the session, 1409=1 confirms the change in the answer to a reset; 925 alone changes nothing', async () => {
    const fix = await openFix(host.port, OMS);
    fix.send(`35=A|98=0|108=30|554=${PASSWORD}`);
    await fix.next();
    fix.nextSenderMsgSeqNum = 1;
    fix.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}|925=${CHANGED}`);
    const answer = await fix.next();
    expect([answer.msgType, answer.string(Tag.SessionStatus)]).toEqual([MsgType.Logon, '1']);
    fix.nextSenderMsgSeqNum = 1;
    fix.send('35=A|98=0|108=30|141=Y|925=yet another and long one');
    expect((await fix.next()).msgType).toBe(MsgType.Logout);
    fix.destroy();
    await fix.expectClosed();
    // Decided Logons keep none out.
    expect((await answerTo(`554=${CHANGED}`, 1, '108=30|141=Y')).msgType).toBe(MsgType.Logon);
  });

  test('S1 answers a too short one by 1409=3 and its rule, without a number or change', async () => {
    const refused = await answerTo(`554=${PASSWORD}|925=short`, 1);
    expect([refused.msgType, refused.string(Tag.SessionStatus)]).toEqual([MsgType.Logout, '3']);
    expect(refused.string(Tag.Text)).toContain('12 to 64 characters');
    expect((await answerTo(`554=${PASSWORD}`, 1)).msgType).toBe(MsgType.Logon);
  });
});
