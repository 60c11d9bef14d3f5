// A cluster in trouble: OMSs trade over all nodes while nodes are killed, stand still, drain, lose their database and are upgraded, and
// partitions move. In the end the OMSs, the journals and the exchange have to agree: nothing lost, nothing twice, no number used twice,
// and no message that its journal does not have.

import process from 'node:process';
import { Client } from 'pg';
import { Decimal } from '../../../src/base/decimal.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { expectNoGap } from '../oms/fills.ts';
import type { ClusterHouse, NodeProcess } from '../processes/cluster-house.ts';
import { ClusterTrader, FILL_PRICE } from './cluster-trader.ts';

const PATIENCE_MS = Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 60_000);

/** Each is over when every partition is served again. */
export const TROUBLES = ['kill', 'pause', 'stuck', 'drain', 'move', 'blind', 'upgrade'] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface Round {
  readonly trouble: Trouble;
  readonly node: string;
  /** Longest time that an OMS was without a session because of it, milliseconds. */
  readonly downMs: number;
}

export interface CampaignResult {
  readonly rounds: readonly Round[];
  readonly orders: number;
  readonly neverArrived: number;
  readonly fills: number;
  readonly logons: number;
}

export class ClusterCampaign {
  readonly #house: ClusterHouse;
  readonly #traders: readonly ClusterTrader[];
  readonly #rounds: Round[] = [];
  #sold = Decimal.ZERO;
  #selling: NodeJS.Timeout | null = null;
  #nodeOf = 0;

  constructor(house: ClusterHouse) {
    this.#house = house;
    this.#traders = house.sessions.map((session) => new ClusterTrader(session, () => this.#nextPort()));
  }

  /** Nodes in turn: most connections come to one that does not serve the session. */
  #nextPort(): number {
    const { nodes } = this.#house;
    return nodes[this.#nodeOf++ % nodes.length]!.fixPort;
  }

  /** Start all nodes and OMSs. @param everyMs time between two orders of an OMS */
  async begin(everyMs: number): Promise<void> {
    await Promise.all(this.#house.nodes.map((node) => node.start()));
    await this.#house.untilServed();
    for (const trader of this.#traders) trader.begin(everyMs);
    await this.#untilUp(() => true);
    this.#selling = setInterval(() => {
      const filled = this.#house.simulator.control.trade('BTCUSDC', 'SELL', FILL_PRICE, '0.01');
      this.#sold = this.#sold.add(Decimal.of(filled));
    }, 40);
  }

  /** One trouble at one node. @throws Error if the cluster does not recover from it */
  async round(trouble: Trouble, node: NodeProcess): Promise<Round> {
    const { leaseMs } = this.#house.options;
    const began = performance.now();
    const { placements } = await this.#house.register.read();
    const moving = new Set(placements.filter(({ owner }) => owner === node.name).map(({ partition }) => partition));
    const [first] = moving;
    let hit: ReadonlySet<string> = moving;
    let counted: ReadonlySet<string> | null = null;
    let heal = async (): Promise<void> => {};
    switch (trouble) {
      case 'kill':
        await node.kill();
        heal = () => node.start();
        break;
      case 'pause':
        node.signal('SIGSTOP');
        heal = async () => node.signal('SIGCONT');
        break;
      case 'stuck': {
        const [worker] = node.workers;
        hit = new Set();
        counted = moving;
        if (worker !== undefined) process.kill(worker, 'SIGSTOP');
        await pause(leaseMs + 1_500);
        break;
      }
      case 'drain':
        await this.#house.register.drain(node.name, true, 'campaign');
        heal = async () => void (await this.#house.register.drain(node.name, false, 'campaign'));
        break;
      case 'move': {
        const to = this.#house.nodes.find((one) => one !== node)!;
        hit = new Set(first === undefined ? [] : [first]);
        if (first !== undefined) await this.#house.register.move(first, to.name, 'campaign', leaseMs);
        break;
      }
      case 'blind':
        node.database.faults.blackhole = true;
        node.database.reset();
        heal = async () => {
          node.database.faults.blackhole = false;
          node.database.reset();
        };
        break;
      case 'upgrade':
        await node.stop();
        heal = () => node.start();
        break;
    }
    const isAway = (owners: ReadonlyMap<string, string>): boolean =>
      [...hit].every((partition) => owners.get(partition) !== node.name);
    await this.#house.untilServed(isAway);
    const downMs = await this.#untilUp((trader) => hit.has(trader.session.partition), began);
    await heal();
    const healedMs = await this.#untilUp((trader) => (counted ?? hit).has(trader.session.partition), began);
    const round = { trouble, node: node.name, downMs: Math.max(downMs, healedMs) };
    this.#rounds.push(round);
    return round;
  }

  /** All are logged on. The longest time that one of those was not since `began`. */
  async #untilUp(counts: (trader: ClusterTrader) => boolean, began = performance.now()): Promise<number> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const down = this.#traders.filter((trader) => !trader.isUp);
      if (down.length === 0) break;
      if (performance.now() > until) {
        const last = this.#house.nodes.map(({ name, lines }) => `${name}:\n${lines.slice(-25).join('\n')}`);
        throw new Error(`not let in: ${down.map(({ session }) => session.name).join(', ')}\n${last.join('\n')}`);
      }
      await pause(20);
    }
    const back = this.#traders.filter((trader) => counts(trader) && trader.loggedOnAt > began);
    return Math.max(0, ...back.map(({ lastDownMs }) => lastDownMs));
  }

  /** Come to rest, and compare. @throws Error that says what does not agree */
  async end(): Promise<CampaignResult> {
    if (this.#selling !== null) clearInterval(this.#selling);
    for (const trader of this.#traders) trader.rest();
    await this.#house.untilServed();
    await this.#untilUp(() => true);
    for (const trader of this.#traders) await this.#untilAnswered(trader);
    await this.#until('fills', () => this.#filled().compare(this.#sold) >= 0);
    check(
      this.#filled().compare(this.#sold) === 0,
      `fills of ${this.#filled()} were reported, ${this.#sold} were traded`,
    );
    for (const trader of this.#traders) this.#compareOrders(trader);
    await this.#compareJournals();
    const received = this.#traders.map((trader) => trader.received);
    return {
      rounds: this.#rounds,
      orders: this.#traders.reduce((sum, { sent }) => sum + sent.size, 0),
      neverArrived: this.#traders.reduce((sum, { neverArrived }) => sum + neverArrived.size, 0),
      fills: received.reduce((sum, views) => sum + fillsIn(views).size, 0),
      logons: received.flat().filter((view) => view.msgType === 'A').length,
    };
  }

  async close(): Promise<void> {
    if (this.#selling !== null) clearInterval(this.#selling);
    await Promise.all(this.#traders.map((trader) => trader.close()));
  }

  #filled(): Decimal {
    let sum = Decimal.ZERO;
    for (const { received } of this.#traders)
      for (const quantity of fillsIn(received).values()) sum = sum.add(quantity);
    return sum;
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!holds()) {
      check(performance.now() < until, `waited for ${what}: fills of ${this.#filled()}, traded ${this.#sold}`);
      await pause(50);
    }
  }

  async #untilAnswered(trader: ClusterTrader): Promise<void> {
    const { session, sent, neverArrived } = trader;
    const isAnswered = (): string[] => {
      const answered = new Set(
        trader.received.flatMap((view) =>
          view.msgType === '8' && '08'.includes(view.string(Tag.ExecType) ?? '-') ? [view.string(Tag.ClOrdID)] : [],
        ),
      );
      return [...sent.values()].filter((clOrdID) => !neverArrived.has(clOrdID) && !answered.has(clOrdID));
    };
    const until = performance.now() + PATIENCE_MS;
    for (let open = isAnswered(); open.length > 0; open = isAnswered()) {
      check(performance.now() < until, `${session.name}: no answer to ${open.slice(0, 5).join(', ')}`);
      await pause(50);
    }
  }

  /** Each order reported as New is at the exchange once, and nothing else is. */
  #compareOrders({ session, received, neverArrived }: ClusterTrader): void {
    expectNoGap(received);
    const orderIDs = new Map<string, string>();
    const filled = new Set<string>();
    for (const view of received) {
      if (view.msgType !== '8') continue;
      const [clOrdID, orderID] = [view.string(Tag.ClOrdID)!, view.string(Tag.OrderID)!];
      if (view.string(Tag.OrdStatus) === '2') filled.add(orderID);
      if (view.string(Tag.ExecType) !== '0') continue;
      check((orderIDs.get(clOrdID) ?? orderID) === orderID, `${clOrdID} is two orders`);
      orderIDs.set(clOrdID, orderID);
      check(!neverArrived.has(clOrdID), `${clOrdID} is New, though its message was given up`);
    }
    const open = this.#house.simulator.control.openOrders(session.account).map(({ orderId }) => orderId);
    const expected = [...orderIDs.values()].filter((orderID) => !filled.has(orderID));
    check(new Set(orderIDs.values()).size === orderIDs.size, `${session.name}: two ClOrdIDs are one order`);
    const missing = expected.filter((orderID) => !open.includes(orderID));
    const unknown = open.filter((orderID) => !expected.includes(orderID));
    check(missing.length === 0, `${session.name}: the exchange does not have ${missing.slice(0, 5).join(', ')}`);
    check(unknown.length === 0, `${session.name}: the OMS does not know ${unknown.slice(0, 5).join(', ')}`);
  }

  /** Each message that an OMS received is in the journal of its partition under its number, which was used once. */
  async #compareJournals(): Promise<void> {
    const client = new Client({ connectionString: this.#house.url });
    await client.connect();
    try {
      const twice = await client.query(
        `select journal, session, series, msg_seq_num from crossgate_message where direction = 'out' and msg_seq_num is not null
          group by 1, 2, 3, 4 having count(*) > 1`,
      );
      check(twice.rows.length === 0, `numbers used twice: ${JSON.stringify(twice.rows.slice(0, 3))}`);
      for (const { session, received } of this.#traders) {
        const { rows } = await client.query<{ number: string; text: string }>(
          `select msg_seq_num as number, text from crossgate_fix
            where session like '%' || $1 and direction = 'out' and msg_type = '8'`,
          [`->${session.name}`],
        );
        const known = new Map(rows.map(({ number, text }) => [Number(number), text]));
        for (const view of received) {
          if (view.msgType !== '8') continue;
          const number = view.int(Tag.MsgSeqNum)!;
          const isSame = known.get(number)?.includes(`|17=${view.string(Tag.ExecID)}|`) === true;
          check(isSame, `${session.name}: number ${number} is another message in the journal`);
        }
      }
    } finally {
      await client.end();
    }
  }
}

/** Fills by ExecID(17): one that comes again has PossDupFlag(43), which expectNoGap looks at by its number. */
function fillsIn(views: readonly MessageView[]): ReadonlyMap<string, Decimal> {
  const fills = new Map<string, Decimal>();
  for (const view of views) {
    if (view.msgType !== '8' || view.string(Tag.ExecType) !== 'F') continue;
    fills.set(view.string(Tag.ExecID)!, view.decimal(Tag.LastQty)!);
  }
  return fills;
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
