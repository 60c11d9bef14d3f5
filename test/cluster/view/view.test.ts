// The admin server of a node over two real gateways: lists are merged, actions find their partition, and a partition that does not
// answer is named.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { peerUrl } from '../../../src/cluster/view/passage.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, eventually } from '../../ops/running-gateway.ts';
import type { FixConnection } from '../../support/network/fix-connection.ts';
import { OTHER_ACCOUNT, TOKENS, type TwoPartitions, twoPartitions, viewOf, withoutAnswer } from './two-partitions.ts';

type Row = Readonly<Record<string, string>>;

async function order(fix: FixConnection, clOrdID: string, account: string): Promise<void> {
  fix.send(`35=D|11=${clOrdID}|1=${account}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
  await fix.expect('New', (view) => view.string(Tag.ClOrdID) === clOrdID && view.string(Tag.ExecType) === '0');
}

async function ready({ ask }: TwoPartitions): Promise<void> {
  await eventually('both partitions to be ready', async () => (await ask('/readyz')).status === 200);
}

/** Actions in the audit trail of all partitions, the latest first. */
async function actions({ ask }: Pick<TwoPartitions, 'ask'>): Promise<string[]> {
  const { body } = await ask('/api/history/actions?limit=200');
  return body.found.map(({ partition, who, action }: Row) => `${partition} ${who} ${action}`);
}

test('lists of all partitions are one, with the partition of each row; a silent one is named', async () => {
  const view = await twoPartitions();
  const { ask, places } = view;
  await ready(view);
  const [oms, desk] = [await view.alpha.logOn('OMS'), await view.beta.logOn('DESK')];
  for (const [nth, fix] of [oms, desk, oms, desk].entries())
    await order(fix, `c-${nth}`, fix === oms ? ACCOUNT : OTHER_ACCOUNT);
  const { body: sessions } = await ask('/api/sessions');
  expect(sessions.sessions.map(({ name, partition }: Row) => `${partition} ${name}`)).toEqual([
    'beta DESK',
    'alpha OMS',
  ]);
  const { body: found } = await ask('/api/orders?limit=3');
  expect(found.orders.map(({ clOrdID, partition }: Row) => `${partition} ${clOrdID}`)).toEqual([
    'beta c-3',
    'alpha c-2',
    'beta c-1',
  ]);
  expect(found.more).toBe(true);
  const { body: overview } = await ask('/api/overview');
  expect(overview.orderCounts.new).toBe(4);
  expect(overview.partitions).toMatchObject([
    { name: 'alpha', node: 'here', state: 'running', sessions: 1, loggedOn: 1, openOrders: 2 },
    { name: 'beta', node: 'here', state: 'running', sessions: 1, loggedOn: 1, openOrders: 2 },
  ]);
  const { body: ofBeta } = await ask('/api/orders?partition=beta&symbol=BTCUSDC');
  expect(ofBeta.orders.map(({ clOrdID }: Row) => clOrdID)).toEqual(['c-3', 'c-1']);
  expect((await ask('/api/orders?partition=delta')).body.detail).toBe(
    'There is no partition "delta"; there are alpha, beta.',
  );
  // A refusal of all is passed on in their words.
  expect((await ask('/api/orders?status=lost')).body.detail).toContain('There is no OrdStatus(39) "lost"');
  places.push(withoutAnswer('gamma'));
  const { body: partly } = await ask('/api/sessions');
  expect(partly.sessions).toHaveLength(2);
  expect(partly.partitions[2]).toEqual({
    name: 'gamma',
    node: 'there',
    answered: false,
    state: 'does not answer (ECONNREFUSED)',
  });
  expect((await ask('/api/sessions/NONE')).body.detail).toContain('gamma on there does not answer');
  // It lives on another node: this one is ready without it.
  expect((await ask('/readyz')).status).toBe(200);
  places[2] = { ...withoutAnswer('gamma'), node: 'here' };
  const { status, body: health } = await ask('/readyz');
  expect([status, health.status]).toEqual([503, 'partly ready']);
  expect(health.reasons).toEqual(['gamma on here: the partition does not answer (ECONNREFUSED)']);
});

test('an action on a session, an order or an alarm goes to its partition, in the name of its caller', async () => {
  const view = await twoPartitions();
  const { ask } = view;
  await ready(view);
  await order(await view.beta.logOn('DESK'), 'c-1', OTHER_ACCOUNT);
  const cancel = { session: 'DESK', clOrdID: 'c-1', why: 'a test' };
  expect((await ask('/api/orders/cancel', cancel, TOKENS.ann)).body).toMatchObject({ done: true, partition: 'beta' });
  expect((await ask('/api/sessions/DESK/logout', { why: 'a test' }, TOKENS.ben)).body).toMatchObject({
    done: true,
    partition: 'beta',
  });
  expect((await ask('/api/sessions/OMS/disable', { why: 'a test' })).body).toMatchObject({ partition: 'alpha' });
  expect((await ask('/api/sessions/OMS/disable', { why: 'a test' }, TOKENS.eve)).status).toBe(403);
  expect((await ask('/api/sessions', undefined, TOKENS.pam)).status).toBe(403);
  expect((await ask('/api/sessions', undefined, 'no-token-of-anybody-here')).status).toBe(401);
  const done = await actions(view);
  expect(done).toContain('beta user ann order cancel');
  expect(done).toContain('beta user ben session logout');
  expect(done).toContain('alpha pat (shared token) session disable');
  view.alpha.engine.observer.alarm({ at: Date.now(), alarm: 'slow-consumer', text: 'a test', fields: {} });
  view.beta.engine.observer.alarm({ at: Date.now(), alarm: 'slow-consumer', text: 'a test', fields: {} });
  const { body: open } = await ask('/api/alarms/open');
  const ids = open.alarms.map(({ id }: Row) => id);
  expect(ids.toSorted()).toEqual(['alpha/1', 'beta/1']);
  const acknowledge = (id: string) => ask('/api/alarms/acknowledge', { id, why: 'a test' });
  expect((await acknowledge('1')).body.detail).toContain('Several partitions have 1');
  expect((await acknowledge('beta/1')).body).toMatchObject({ done: true, partition: 'beta' });
});

test('O12 throws a kill switch for everything in all partitions, and names one that is not reached', async () => {
  const view = await twoPartitions();
  const { ask, places } = view;
  const all = { scope: 'all', name: '', why: 'a test' };
  places.push(withoutAnswer('gamma'));
  const thrown = await ask('/api/kill-switches/throw', all, TOKENS.eve);
  expect(thrown.status).toBe(207);
  expect(thrown.body).toMatchObject({ done: false, partial: true });
  expect(thrown.body.text).toBe(
    `PARTLY DONE. alpha, beta: Thrown: 0 open orders are being cancelled, new ones are refused.
gamma: The partition does not answer (ECONNREFUSED): nothing was done there.`,
  );
  places.pop();
  const { body } = await ask('/api/kill-switches');
  expect(body.killSwitches).toMatchObject([{ scope: 'all', partition: 'alpha, beta', thrownBy: 'user eve' }]);
  expect((await ask('/api/kill-switches/lift', all)).status).toBe(403);
  expect((await ask('/api/kill-switches/lift', all, TOKENS.ann)).body.text).toContain('a second person has to lift it');
  expect((await ask('/api/kill-switches/lift', all, TOKENS.ann)).status).toBe(409);
  expect((await ask('/api/kill-switches/lift', all, TOKENS.ben)).body.done).toBe(true);
  expect((await ask('/api/kill-switches')).body.killSwitches).toEqual([]);
  // A session that one partition has is stopped there, and the other one has nothing to do.
  const desk = { scope: 'session', name: 'DESK', why: 'a test' };
  const { body: ofDesk } = await ask('/api/kill-switches/throw', desk);
  expect(ofDesk.partitions.map(({ outcome }: Row) => outcome)).toEqual(['nothing', 'done']);
  expect((await ask('/api/kill-switches/throw', { ...desk, name: 'NONE' })).status).toBe(404);
});

test('pages of the past, the latest first, and metrics are those of all partitions', async () => {
  const view = await twoPartitions();
  for (let nth = 0; nth < 5; nth++) {
    for (const session of ['OMS', 'DESK', 'OMS'])
      await view.ask(`/api/sessions/${session}/${nth % 2 === 0 ? 'disable' : 'enable'}`, { why: `${nth} a test` });
  }
  const whole = (await view.ask('/api/history/actions?limit=200')).body.found.map(({ place }: Row) => place);
  const paged: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const before: string = next === '' ? '' : `&before=${encodeURIComponent(next)}`;
    const { body } = await view.ask(`/api/history/actions?limit=3${before}`);
    paged.push(...body.found.map(({ place }: Row) => place));
    next = body.next;
  }
  expect(whole.length).toBeGreaterThanOrEqual(10);
  expect(paged).toEqual(whole);
  const times = whole.map((place: string) => Number(place.split('.').at(-1)));
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
  expect((await view.ask('/api/history/actions?before=nowhere')).status).toBe(400);
  view.places.push(withoutAnswer('gamma'));
  const page = await view.text('/metrics', TOKENS.pam);
  expect(page).toContain('crossgate_partition_up{partition="alpha",node="here"} 1\n');
  expect(page).toContain('crossgate_partition_up{partition="gamma",node="there"} 0\n');
  expect(page).toContain('crossgate_session_up{partition="beta",session="DESK"} 0\n');
  const helps = page.split('\n').filter((line) => line.startsWith('# HELP '));
  expect(new Set(helps).size).toBe(helps.length);
  const samples = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(samples.filter((line) => !line.includes('partition="'))).toEqual([]);
});

test('the live stream shows sessions, orders and messages of the partition that is chosen', async () => {
  const view = await twoPartitions();
  await ready(view);
  await order(await view.beta.logOn('DESK'), 'c-1', OTHER_ACCOUNT);
  const query = 'session=DESK&orders=DESK&orderSession=DESK&order=c-1';
  const control = new AbortController();
  onTestFinished(() => control.abort());
  const headers = { authorization: `Bearer ${TOKENS.ann}` };
  const { body } = await fetch(new URL(`/api/stream?${query}`, view.url), { headers, signal: control.signal });
  let text = '';
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.split('\n\n').length > 2) break;
  }
  const [reader, first] = text.split('\n\n').map((event) => event.replace('data: ', ''));
  expect(JSON.parse(reader!).reader).toEqual({ user: 'ann', mayOperate: true, mayStop: true, mayLift: true });
  const piece = JSON.parse(first!);
  expect(piece.overview.sessions.map(({ partition }: Row) => partition)).toEqual(['beta', 'alpha']);
  expect(piece.found.orders).toMatchObject([{ clOrdID: 'c-1', partition: 'beta' }]);
  expect(piece.order).toMatchObject({ clOrdID: 'c-1', partition: 'beta' });
  expect(piece.hops.reported).toBeGreaterThan(0);
  expect(piece.messages.map(({ msgType }: Row) => msgType).slice(0, 3)).toEqual(['A', 'A', 'D']);
});

test('a partition of another node is reached through that node', async () => {
  const there = await twoPartitions({ node: 'there' });
  // In place of the mutual TLS between nodes.
  const door = createServer((socket) => there.takePeer(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => void door.close());
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo;
  const place = (name: string) => ({
    name,
    node: 'there',
    state: 'running',
    // Reached by no other way than `dial`.
    adminUrl: peerUrl('there.example:1', name),
    token: '',
  });
  const places = [place('beta')];
  const here = await viewOf(places, { dial: () => connect(port, '127.0.0.1') });
  expect((await here.ask('/api/sessions')).body.sessions).toMatchObject([{ name: 'DESK', partition: 'beta' }]);
  expect((await here.ask('/api/sessions/DESK/disable', { why: 'a test' }, TOKENS.ann)).body.done).toBe(true);
  expect((await here.ask('/api/sessions/DESK/enable', { why: 'a test' }, TOKENS.eve)).status).toBe(403);
  expect(await actions(there)).toContain('beta user ann session disable');
  expect(await here.text('/metrics')).toContain('crossgate_session_up{partition="beta",session="DESK"} 0\n');
  places.push(place('gamma'));
  expect((await here.ask('/api/sessions')).body.partitions[1]).toMatchObject({
    answered: false,
    state: 'is not ready: partition gamma is not served here now',
  });
});
