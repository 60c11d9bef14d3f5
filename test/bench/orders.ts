// A gateway machine that knows very many orders: what an open order costs in memory, how long a look-up takes whatever the
// number of orders known, and how long a start takes. `npm run bench -- orders [known] [open]`. Records go where the embedded
// journal keeps them: ended orders are found by key, open ones come back at a start.

import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Gateway, type GatewayEffect, type GatewayInput } from '../../src/gateway/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { ACCOUNT, exchangeOrder, gatewayConfig, market, SESSION } from '../gateway/desk.ts';

const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);
const LOOKUPS = 20_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Records on a stand-in for the disk: bytes per key, outside of the heap that is measured. */
class Records {
  readonly open = new Map<string, Buffer>();
  readonly ended = new Map<string, Buffer>();

  recovered(): Map<string, string> {
    return new Map([...this.open].map(([key, record]) => [key, record.toString()]));
  }

  take(effects: readonly GatewayEffect[]): string | null {
    let submitted: string | null = null;
    for (const effect of effects) {
      if (effect.kind === 'submit' && effect.command.kind === 'createOrder') submitted = effect.command.clientOrderId;
      if (effect.kind !== 'persistOrder') continue;
      const record = Buffer.from(effect.record);
      if (effect.ended === undefined) this.open.set(effect.key, record);
      else {
        this.open.delete(effect.key);
        for (const key of effect.ended) this.ended.set(key, record);
      }
    }
    return submitted;
  }
}

const config = gatewayConfig(
  { limits: { ...gatewayConfig().sessions[0]!.limits, openOrdersMax: 10_000_000 } },
  // Few, so that what is measured is what is open.
  { referenceRange: { first: '1', last: '99999999999999999' }, endedInMemoryMax: 1_000 },
);

function opened(records: Records): Gateway {
  const ended = { find: (key: string) => records.ended.get(key)?.toString() ?? null };
  const gateway = new Gateway(config, { orders: records.recovered(), ended });
  const tell = (input: GatewayInput): void => void records.take(gateway.handle(input, NOW));
  tell({ kind: 'markets', markets: [market('BTCUSDC')] });
  tell({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  tell({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  return gateway;
}

function message(text: string) {
  return viewOf(fromPrintable(text, 'FIX.4.4'))!;
}

/** One order that works, as an OMS and the exchange make it. */
function enter(gateway: Gateway, records: Records, i: number): string {
  const body = `35=D|34=${i}|49=OMS|56=XG|52=20260105-12:00:00|11=order-${i}|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00|38=2|40=2|44=100|59=1|`;
  const view = message(body);
  const input = { kind: 'message', sessionId: SESSION, view, possDup: false } as const;
  const reference = records.take(gateway.handle(input, NOW))!;
  const orderId = `${500_000_000_000_000_000n + BigInt(i)}`;
  const outcome = { kind: 'accepted', orderId, clientOrderId: reference, requestId: null } as const;
  records.take(gateway.handle({ kind: 'outcome', commandId: `${ACCOUNT}/${reference}/0`, outcome }, NOW));
  const order = exchangeOrder({ orderId, clientOrderId: reference }, NOW);
  records.take(gateway.handle({ kind: 'order', order, source: 'update' }, NOW));
  return reference;
}

function end(gateway: Gateway, records: Records, i: number, reference: string): void {
  const orderId = `${500_000_000_000_000_000n + BigInt(i)}`;
  const more = { orderId, clientOrderId: reference, status: 'CANCELLED', statusReasonCode: '6019' } as const;
  records.take(gateway.handle({ kind: 'order', order: exchangeOrder(more, NOW), source: 'update' }, NOW));
}

/** Microseconds per H of an order chosen by `pick`. */
function lookups(gateway: Gateway, pick: (i: number) => number): number {
  const views = Array.from({ length: LOOKUPS }, (_, i) =>
    message(`35=H|34=9|49=OMS|56=XG|52=20260105-12:00:00|11=order-${pick(i)}|55=BTCUSDC|54=1|`),
  );
  const begun = performance.now();
  for (const view of views) gateway.handle({ kind: 'message', sessionId: SESSION, view, possDup: false }, NOW);
  return ((performance.now() - begun) * 1_000) / LOOKUPS;
}

/** Print memory per open order, look-ups at several sizes, and the time of a start. */
export async function run(args: readonly string[]): Promise<void> {
  const known = Number(args[0] ?? 1_000_000);
  const open = Number(args[1] ?? 50_000);
  const records = new Records();
  let gateway: Gateway | null = opened(records);
  const steps = [Math.floor((known - open) / 100), Math.floor((known - open) / 10), known - open];
  let i = 0;
  console.log('orders known   H of an order in memory   H of an order that left it   H of an unknown one (µs)');
  for (const until of steps) {
    for (; i < until; i++) end(gateway, records, i, enter(gateway, records, i));
    const spread = Math.max(1, until - 20_000);
    const figures = [
      lookups(gateway, (k) => until - 1 - (k % 100)),
      lookups(gateway, (k) => (k * 7_919) % spread),
      lookups(gateway, (k) => known + k),
    ];
    console.log(`${String(until).padStart(12)}   ${figures.map((us) => us.toFixed(2).padStart(20)).join('   ')}`);
  }
  for (; i < known; i++) enter(gateway, records, i);
  const live = heapBytes();
  gateway = null;
  console.log(`memory per open order: ${Math.round((live - heapBytes()) / open)} bytes (${open} open; target 1,024)`);
  const begun = performance.now();
  gateway = opened(records);
  console.log(
    `start with ${known} known, ${open} open: ${((performance.now() - begun) / 1_000).toFixed(2)} s (target 5 s)`,
  );
  console.log(`open after the start: ${gateway.openOrderCount(SESSION)}`);
  const recovered = heapBytes();
  gateway = null;
  console.log(`memory per open order then: ${Math.round((recovered - heapBytes()) / open)} bytes`);
}
