// Random days with every kind of order in every version and dialect, and a drop copy in another, under changing
// settings, markets and kill switches. Every message fits its version's dictionary, every report its order's life, and
// every request has one answer. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import type { GatewaySessionConfig } from '../../../../src/gateway/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import { field, SESSION } from '../../desk.ts';
import { COPY, KINDS, type Kind, type KindStep, KindsDay, type Told } from '../../kinds-day.ts';
import { type Check, exchangeFix, faultIn, overFixt, plain, STOCK } from '../../message-faults.ts';

type Style = Pick<GatewaySessionConfig, 'beginString' | 'defaultApplVerID' | 'dialect'>;
interface Version extends Style {
  readonly name: string;
  readonly validator: Check;
}
const fixtOf = (defaultApplVerID: '7' | '8' | '9', dialect: Style['dialect'], path: string): Version => ({
  name: `${path.slice(path.lastIndexOf('/') + 1, -4)} ${dialect}`,
  beginString: 'FIXT.1.1',
  defaultApplVerID,
  dialect,
  validator: overFixt(path),
});
const VERSIONS: readonly Version[] = [
  { name: 'FIX.4.2', beginString: 'FIX.4.2', dialect: 'standard', validator: plain(`${STOCK}/FIX42.xml`) },
  { name: 'FIX.4.2 venue', beginString: 'FIX.4.2', dialect: 'venue', validator: plain('dictionaries/FIX42.xml') },
  { name: 'FIX.4.4', beginString: 'FIX.4.4', dialect: 'standard', validator: plain(`${STOCK}/FIX44.xml`) },
  { name: 'FIX.4.4 venue', beginString: 'FIX.4.4', dialect: 'venue', validator: exchangeFix() },
  fixtOf('7', 'standard', 'dictionaries/FIX50.xml'),
  fixtOf('8', 'standard', 'dictionaries/FIX50SP1.xml'),
  fixtOf('9', 'standard', `${STOCK}/FIX50SP2.xml`),
  fixtOf('9', 'venue', 'dictionaries/FIX50SP2.xml'),
];

const days = fc.array(
  fc.tuple(fc.constantFrom<Kind>(...KINDS), fc.nat(1_000), fc.nat(1_000), fc.boolean()) as fc.Arbitrary<KindStep>,
  { minLength: 30, maxLength: 160, size: 'max' },
);

/** Legal next OrdStatus of a session's reports; 6 and E lie over any open state (FIX 4.4 vol. 4 App. D). */
const NEXT: Readonly<Record<string, string>> = {
  '': 'A086E',
  A: 'A0864CE',
  '0': '01245C6E',
  '1': '124C6E',
  '5': '01245C6E',
  '6': '0124568CEA',
  E: '012456CE',
  '2': '2',
  '4': '4',
  '8': '8',
  C: 'C',
};
const OPEN = 'A0156E';

/** OrdStatus(39) that an ExecType(150) may have beside it, where the two are not the same. */
const BESIDE: Readonly<Record<string, string> & Record<'F', string>> = {
  '0': '06E',
  '7': '016E',
  '5': '0156E',
  '6': '6',
  A: 'A6E',
  // A drop copy gets 150=D with 39=2, too, after the G of a filled order was refused.
  D: '0126E',
  E: 'E',
  F: '126E4C8',
  L: '016E',
};

/** Other possible settings of a session. */
const settings = fc.record({
  pendingNewAfterMs: fc.constantFrom(0, 1_000, 20_000),
  statusFromExchange: fc.boolean(),
  cancelOnDisconnect: fc.record({
    on: fc.constantFrom('off', 'logout', 'disconnect', 'both'),
    graceMs: fc.constantFrom(0, 3_000),
    scope: fc.constantFrom('session', 'account'),
  }),
}) as fc.Arbitrary<Partial<GatewaySessionConfig>>;

interface Life {
  status: string;
  /** It was reported as New (rule D6). */
  isNew: boolean;
  fills: Decimal;
  gross: Decimal;
  orderID: string | null;
}

/** The lives of orders by a session's reports. @throws where a report contradicts those before it */
class Ledger {
  readonly lives = new Map<string, Life>();
  readonly #chains = new Map<string, string>();
  readonly #execIDs = new Set<string>();

  readonly #asked: ReadonlyMap<string, string>;

  /** @param asked requests: in FIX.4.4 `venue` a report does not say which order its F or G was for */
  constructor(told: readonly Told[], sessionId: string, version: Version, asked: ReadonlyMap<string, string>) {
    this.#asked = asked;
    for (const { sessionId: to, text } of told) {
      if (to !== sessionId) continue;
      expect(faultIn(text, version.beginString, version.validator), `${version.name}: ${text}`).toBeNull();
      if (field(text, 35) === '9') this.#reject(text);
      if (field(text, 35) === '8') this.#report(text, version);
    }
  }

  byOrderID(orderID: string): Life | null {
    return [...this.lives.values()].find((life) => life.orderID === orderID) ?? null;
  }

  #lifeOf(text: string): Life {
    const [id, orderID] = [field(text, 11), field(text, 37)];
    const request = this.#asked.get(`F ${id}`) ?? this.#asked.get(`G ${id}`);
    const orig = field(text, 41) ?? (request === undefined ? null : field(request, 41));
    const byOrderID = orderID === 'NONE' ? undefined : this.#chains.get(`37=${orderID}`);
    const key =
      byOrderID ??
      (id === null ? undefined : this.#chains.get(id)) ??
      this.#chains.get(orig ?? '') ??
      orig ??
      id ??
      orderID!;
    for (const each of [id, orig]) if (each !== null) this.#chains.set(each, key);
    let life = this.lives.get(key);
    if (life === undefined) {
      life = { status: '', isNew: false, fills: Decimal.ZERO, gross: Decimal.ZERO, orderID: null };
      this.lives.set(key, life);
    }
    if (orderID !== 'NONE') {
      expect(life.orderID ?? orderID, `OrderID changes: ${text}`).toBe(orderID);
      life.orderID = orderID;
      this.#chains.set(`37=${orderID}`, key);
    }
    return life;
  }

  #reject(text: string): void {
    const key = this.#chains.get(field(text, 41) ?? '');
    const life = key === undefined ? undefined : this.lives.get(key);
    const status = field(text, 39)!;
    if (life === undefined || status === '8') return;
    // `venue` has no 39=A: an order without an answer is open.
    if (!life.isNew && status === '0') return;
    expect(NEXT[life.status], `from ${life.status}: ${text}`).toContain(status);
    life.status = status;
  }

  #report(text: string, version: Version): void {
    const [execType, status, execID] = [field(text, 150), field(text, 39)!, field(text, 17)!];
    const isStatus = version.beginString === 'FIX.4.2' ? field(text, 20) === '3' : execType === 'I';
    // Answers to a question about an unknown order.
    if (isStatus && field(text, 37) === 'NONE' && status === '8') return;
    const life = this.#lifeOf(text);
    const lastQty = Decimal.of(field(text, 32) ?? '0');
    const isFill = !isStatus && (version.beginString === 'FIX.4.2' ? /[12]/.test(execType!) : execType === 'F');
    if (field(text, 97) === 'Y') return;
    if (!isStatus) {
      expect(this.#execIDs.has(execID), `ExecID twice: ${text}`).toBe(false);
      this.#execIDs.add(execID);
    }
    expect(isFill, `LastQty(32) in a fill alone: ${text}`).toBe(!lastQty.isZero());
    if (life.status === '' && isStatus) expect('A086E'.includes(status), text).toBe(true);
    expect(NEXT[life.status], `from ${life.status}: ${text}`).toContain(status);
    if (isFill) {
      life.fills = life.fills.add(lastQty);
      life.gross = life.gross.add(lastQty.multiply(Decimal.of(field(text, 31)!)));
    }
    if (!isStatus) this.#kind(text, life, isFill, version);
    life.status = status;
    this.#amounts(text, life, version);
  }

  /** The kind of report fits the earlier ones, and the order's state. */
  #kind(text: string, life: Life, isFill: boolean, { beginString }: Version): void {
    const [execType, status] = [field(text, 150)!, field(text, 39)!];
    const beside = beginString === 'FIX.4.2' && isFill ? BESIDE.F : (BESIDE[execType] ?? execType);
    expect(beside, `39 beside 150=${execType}: ${text}`).toContain(status);
    if (execType === '0') life.isNew = true;
    if (isFill || '57CDL4'.includes(execType)) expect(life.isNew, `before New: ${text}`).toBe(true);
    if (!isFill) expect(OPEN.includes(life.status) || life.status === '', `after the end: ${text}`).toBe(true);
  }

  #amounts(text: string, { fills, gross, status }: Life, version: Version): void {
    const [cum, leaves, avgPx] = [14, 151, 6].map((tag) => Decimal.of(field(text, tag)!)) as [
      Decimal,
      Decimal,
      Decimal,
    ];
    expect(cum.equals(fills), `CumQty is not the sum of fills: ${text}`).toBe(true);
    const orderQty = Decimal.parse(field(text, 38) ?? '');
    const isFull = orderQty !== null && cum.compare(orderQty) >= 0;
    if (status === '0' || status === '5') expect(cum.isZero(), text).toBe(true);
    // `venue` has no Pending Replace to say that more than the filled quantity may be wanted.
    if (status === '1') expect(!cum.isZero() && (!isFull || version.dialect === 'venue'), text).toBe(true);
    if (status === '2') expect(isFull, text).toBe(true);
    if (OPEN.includes(status)) {
      if (orderQty !== null)
        expect(leaves.trimmed().toString(), text).toBe(orderQty.subtract(cum).trimmed().toString());
    } else expect(leaves.isZero(), `LeavesQty of an ended order: ${text}`).toBe(true);
    // Price precision 1 and 4 decimals more (rule D10): half of the last one at most is missing.
    const off = avgPx.multiply(cum).subtract(gross);
    const most = cum.multiply(new Decimal(5n, 6));
    expect((off.isNegative() ? Decimal.ZERO.subtract(off) : off).compare(most) <= 0, `AvgPx: ${text}`).toBe(true);
  }
}

/** Every request has one answer that ends it. */
function unanswered(run: KindsDay): string[] {
  const told = run.told.filter(({ sessionId }) => sessionId === SESSION).map(({ text }) => text);
  const ends = (key: string): number => {
    const [kind, id] = key.split(' ');
    const ofId = told.filter((text) => field(text, 11) === id);
    const isStatus = (text: string): boolean => field(text, 20) === '3' || field(text, 150) === 'I';
    if (kind === 'H') return told.filter((text) => field(text, 790) === id).length;
    const about = ofId.filter((text) => !isStatus(text) && field(text, 97) !== 'Y');
    const rejects = about.filter((text) => field(text, 35) === '9').length;
    const is = (...types: string[]) => about.filter((text) => types.includes(field(text, 150) ?? '')).length;
    if (kind === '8') return is('0') + is('8');
    if (kind === 'F') return rejects + is('4');
    // Without its new order it is answered by the order's end (rule O6), which otherwise only bears its name.
    if (kind === 'G') return rejects + is('5') === 0 ? is('4') : rejects + is('5');
    if (kind === 'q') return about.filter((text) => field(text, 35) === 'r').length;
    return told.some((text) => field(text, 584) === id) ? 1 : 0;
  };
  return [...run.asked].flatMap(([key, text]) => (ends(key) === 1 ? [] : [`${ends(key)} answers to ${text}`]));
}

const PAIRS = VERSIONS.flatMap((version, i) =>
  [false, true].map((swaps) => ({ version, copy: VERSIONS[(i + (swaps ? 3 : 1)) % VERSIONS.length]!, swaps })),
);

const NAMED = PAIRS.map((pair) => [pair.version.name, pair.copy.name, pair.swaps ? 'yes' : 'no', pair] as const);

/** Orders open at the end of a day, over all days: without any, the comparison of open orders proves nothing. */
let openAtEnd = 0;

test.each(NAMED)(
  'D1 D2 D5 D6 D10 O3 legal reports and one answer per request in %s, copied in %s (cancel and new: %s)',
  (_, __, ___, { version, copy, swaps }) => {
    checkProperty(
      fc.property(days, settings, fc.boolean(), (steps, more, isLate) => {
        const style = ({ beginString, defaultApplVerID, dialect }: Version) => ({
          beginString,
          dialect,
          ...(defaultApplVerID === undefined ? {} : { defaultApplVerID }),
        });
        const run = new KindsDay({ ...style(version), ...more, replaceByCancelAndNew: swaps }, style(copy), isLate);
        for (const step of steps) run.act(step);
        run.settle();
        expect(unanswered(run)).toEqual([]);
        // Nothing works on under a kill switch (rule O12).
        expect(run.desk.gateway.killSwitches(run.desk.now).filter(({ openOrders }) => openOrders > 0)).toEqual([]);
        const ledgers = [
          new Ledger(run.told, SESSION, version, run.asked),
          new Ledger(run.told, COPY, copy, run.asked),
        ];
        for (const snapshot of run.desk.gateway.orders({ sessionId: SESSION })) {
          const legs = run.exchange.orders.filter(({ reference }) => snapshot.references.includes(reference));
          if (legs.length === 0) continue;
          const isOpen = legs.some(({ status }) => status === 'OPEN');
          const filled = legs.reduce((sum, leg) => sum.add(leg.filled), Decimal.ZERO).trimmed();
          if (isOpen) openAtEnd++;
          for (const ledger of ledgers) {
            const life = ledger.byOrderID(legs[0]!.orderId);
            const inWords = `${snapshot.chain} ${life?.status}`;
            expect(life === null ? null : OPEN.includes(life.status), inWords).toBe(isOpen);
            expect(life?.fills.trimmed().toString(), inWords).toBe(filled.toString());
          }
        }
      }),
      20,
    );
  },
  600_000,
);

test('some orders are open at the end of these days', () => {
  expect(openAtEnd).toBeGreaterThan(2);
});
