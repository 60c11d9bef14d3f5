// The list of attacks on bridge and admin API against a real gateway; another session sends orders meanwhile.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { House, inWords } from './house.ts';
import { type Door, type HttpOutcome, refusedAttacks, streamFloods, strike } from './http-doors.ts';

/** Attacks at a time. */
const AT_ONCE = 8;
/** Permitted answers to a caller without rights or with a broken request. */
const isRefusal = (status: number): boolean => (status >= 400 && status < 500) || status === 501 || status === 505;
const STREAMS_WITHOUT_TOKEN = 300;

async function strikeAll(door: Door, attacks: ReturnType<typeof refusedAttacks>): Promise<HttpOutcome[]> {
  const left = [...attacks];
  const outcomes: HttpOutcome[] = [];
  const lane = async (): Promise<void> => {
    for (let attack = left.shift(); attack !== undefined; attack = left.shift())
      outcomes.push(await strike(door, attack));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return outcomes;
}

test('bridge and admin API answer no attack of the list with content, and orders go on beside it', async () => {
  const house = await House.open([{ compID: 'VICTIM' }], { 'bridge.enabled': true });
  onTestFinished(() => house.close());
  const portOf = async (line: RegExp): Promise<number> =>
    Number(/:(\d+)/.exec(await house.gateway.process.line(line))?.[1]);
  const secret = (name: string): string => readFileSync(join(house.home.secrets, name), 'utf8').trim();
  const bridge: Door = {
    port: await portOf(/^ {2}bridge/),
    token: secret('bridge-desk.token'),
    path: '/trading-api/v1/accounts/trading-accounts',
    stream: '/trading-api/v1/private-data',
  };
  const admin: Door = {
    port: await portOf(/^ {2}(?:admin|console)/),
    token: secret('admin.token'),
    path: '/api/sessions',
  };
  const probe = house.probe({ senderCompID: 'VICTIM', everyMs: 20, seconds: 6 });
  for (const [name, door] of Object.entries({ bridge, admin })) {
    const isOpen = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${door.port}${door.path}`, { headers: { authorization: `Bearer ${door.token}` } }))
        .status;
    expect(await isOpen()).toBe(200);
    const attacks = refusedAttacks(door);
    const outcomes = await strikeAll(door, attacks);
    const answered = outcomes.filter(({ statuses }) => !statuses.every(isRefusal));
    expect(answered, `${name} answered`).toEqual([]);
    const open = outcomes.filter(({ isClosed, statuses }) => !isClosed && statuses.length === 0);
    console.log(`  ${name}: ${attacks.length} attacks, all refused or closed, ${open.length} left without an answer`);
    expect(await isOpen()).toBe(200);
  }
  const floods = await strikeAll(bridge, streamFloods(bridge));
  for (const { name, statuses, isClosed, megabytesTaken } of floods) {
    console.log(`  ${name}: ${isClosed ? 'closed' : 'open'} after ${megabytesTaken.toFixed(1)} MB, status ${statuses}`);
    expect(statuses[0]).toBe(101);
  }
  const strangers = Array.from({ length: STREAMS_WITHOUT_TOKEN }, () => refusedAttacks(bridge).at(-3)!);
  const refused = await strikeAll(bridge, strangers);
  expect(refused.flatMap(({ statuses }) => statuses).every(isRefusal)).toBe(true);
  const delays = await probe;
  console.log(`  beside the attacks: ${inWords(delays)}, ${delays.unanswered} unanswered`);
  expect(delays.unanswered).toBe(0);
  const bugs = house.gateway.process.lines.filter((line) => /"alarm":"(?:bug|input-put-aside)/.test(line));
  expect(bugs).toEqual([]);
}, 180_000);
