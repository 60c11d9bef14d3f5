// A campaign of exchange faults with kills: OMSes of four kinds trade through a real gateway process. The simulated
// exchange loses, delays, cuts and garbles answers, repeats, swallows and reorders frames, ends logins and cuts
// streams, and the gateway is killed and restarted. Afterwards no OMS may have a false report (fault-audit.ts).

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCOUNT, type ExchangeHouse, exchangeHouse, PASSWORD } from '../processes/exchange-house.ts';
import type { GatewayProcess } from '../processes/gateway-process.ts';
import { type Random, randomNumbers } from '../random/random-message.ts';
import { type Audit, audit } from './fault-audit.ts';
import { FaultTrader, type TraderSpec } from './fault-trader.ts';

export interface FaultCampaignOptions {
  readonly seed: number;
  /** How long orders and faults come. */
  readonly seconds: number;
  /** Kills of the gateway, evenly over that time. */
  readonly kills: number;
  readonly onKill?: (kill: number) => void;
}

export interface FaultCampaignResult extends Audit {
  /** Messages that the OMSes sent, and received. */
  readonly sent: number;
  readonly received: number;
  /** Alarms of all gateway processes, by name. */
  readonly alarms: Readonly<Record<string, number>>;
  /** The last lines of the gateway. */
  readonly lines: readonly string[];
}

const TRADERS: readonly TraderSpec[] = [
  { senderCompID: 'ACME_OMS', beginString: 'FIX.4.4', swaps: false, isVenue: false },
  { senderCompID: 'OMS_42', beginString: 'FIX.4.2', swaps: false, isVenue: false },
  { senderCompID: 'OMS_50', beginString: 'FIXT.1.1', swaps: true, isVenue: false },
  { senderCompID: 'VENUE_44', beginString: 'FIX.4.4', swaps: false, isVenue: true },
];

const MARKET = 'BTCUSDC';
/** Time between two steps, about. */
const STEP_MS = 10;
/** All agree, and nothing has come for so long: nothing contradicts it later. */
const QUIET_MS = 10_000;
/** The gateway asks for an order of unknown outcome less and less often (rule U2), on a busy machine more than once in vain. */
const SETTLE_MS = 180_000;
const LOOK_MS = 500;
const LINES_KEPT = 30;

const COMMANDS = ['create', 'cancel', 'amend'] as const;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Settings of a session of the campaign beside those of the sample configuration. */
function sessionFile({ senderCompID, beginString, swaps, isVenue }: TraderSpec): string {
  return [
    `targetCompID: ${senderCompID}`,
    `beginString: ${beginString}`,
    `password: file:secrets/${senderCompID}.password`,
    `dialect: ${isVenue ? 'venue' : 'standard'}`,
    `replaceByCancelAndNew: ${swaps}`,
    'cancelOnDisconnect: { on: "off" }',
    `accounts: [{ account: "${ACCOUNT}", credential: primary }]`,
    'limits: { orderQtyMax: "100", notionalMax: "50000000", openOrdersMax: 5000, priceBandPercent: "off" }',
    '',
  ].join('\n');
}

async function faultHouse(): Promise<ExchangeHouse> {
  const house = await exchangeHouse({
    'gateway.yaml': { 'exchange.requestTimeoutMs': 1_500 },
    'ACME_OMS.yaml': {
      cancelOnDisconnect: { on: 'off' },
      'limits.openOrdersMax': 5_000,
      'limits.priceBandPercent': 'off',
    },
  });
  for (const trader of TRADERS.slice(1)) {
    const { senderCompID } = trader;
    await writeFile(join(house.home.secrets, `${senderCompID}.password`), `${PASSWORD}\n`, { mode: 0o600 });
    await writeFile(join(house.home.sessions, `${senderCompID}.yaml`), sessionFile(trader));
  }
  return house;
}

class FaultCampaign {
  readonly #options: FaultCampaignOptions;
  readonly #house: ExchangeHouse;
  readonly #traders = TRADERS.map((spec) => new FaultTrader(spec));
  readonly #lines: string[] = [];
  #gateway!: GatewayProcess;
  readonly #below: Random;
  #sent = 0;

  constructor(options: FaultCampaignOptions, house: ExchangeHouse) {
    this.#options = options;
    this.#house = house;
    this.#below = randomNumbers(options.seed);
  }

  async run(): Promise<FaultCampaignResult> {
    const { seconds, kills, onKill } = this.#options;
    this.#gateway = await this.#house.start();
    try {
      await this.#connect();
      for (let kill = 0; kill <= kills; kill++) {
        if (kill > 0) {
          await this.#kill();
          onKill?.(kill);
        }
        await this.#trade((seconds * 1_000) / (kills + 1));
      }
      return await this.#settled();
    } finally {
      for (const trader of this.#traders) trader.close();
      this.#lines.push(...this.#gateway.process.lines);
    }
  }

  /** The last lines that any gateway process said. */
  get lastLines(): string[] {
    return this.#lines.slice(-LINES_KEPT);
  }

  async #connect(): Promise<void> {
    for (const trader of this.#traders) await trader.connect(this.#gateway.fixPort);
  }

  async #kill(): Promise<void> {
    await this.#gateway.kill();
    this.#lines.push(...this.#gateway.process.lines);
    this.#gateway = await this.#house.home.start(this.#house.simulator.url);
    await this.#connect();
  }

  async #trade(ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until; await wait(this.#below(2 * STEP_MS))) {
      this.#step();
      for (const trader of this.#traders) trader.take();
    }
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#below(values.length)]!;
  }

  #step(): void {
    const trader = this.#pick(this.#traders);
    const live = [...trader.live];
    const chance = this.#below(1_000);
    if (chance < 450 || (live.length === 0 && chance < 800)) {
      const price = this.#pick(['60000', '59990', '60010']);
      trader.order(this.#id('o'), price, this.#pick(['0.01', '0.02', '0.05']), this.#pick(['1', '1', '1', '3']));
    } else if (chance < 650) trader.cancel(this.#id('x'), this.#pick(live));
    else if (chance < 800) {
      const price = this.#pick(['60000', '59980', '60020']);
      trader.replace(this.#id('r'), this.#pick(live), price, this.#pick(['0.02', '0.03', '0.06']));
    } else if (chance < 900) this.#sell();
    else if (chance < 990) this.#fault(this.#below(85));
    else if (chance < 993) for (const k of [0, 2]) this.#traders[k]!.cancelAllBids(this.#id('q'));
  }

  #id(kind: string): string {
    return `${kind}${++this.#sent}`;
  }

  /** Somebody else sells into what rests. */
  #sell(): void {
    const quantity = this.#pick(['0.005', '0.02', '0.013']);
    this.#house.simulator.control.counterparty({ symbol: MARKET, side: 'SELL', price: '59980', quantity });
  }

  #fault(kind: number): void {
    const { control } = this.#house.simulator;
    const on = this.#pick(COMMANDS);
    if (kind < 30) {
      const what = this.#pick(['lost', 'hang', 'malformed', 'truncated', 'empty'] as const);
      control.armAnswer({ what, on, executed: this.#below(2) === 0 });
    } else if (kind < 50) {
      control.armAnswer({ what: 'error', on, httpStatus: this.#pick([400, 400, 429, 500, 502, 503]) });
    } else if (kind < 70) {
      control.armStream({ what: this.#pick(['duplicate', 'suppress', 'reorder'] as const), times: 2 });
    } else if (kind < 80) control.cutStreams('private');
    else if (kind === 80) control.expireLogins();
  }

  /** No more faults; compare until all agree and nothing comes any more, or patience ends. */
  async #settled(): Promise<FaultCampaignResult> {
    const { control } = this.#house.simulator;
    control.clearFaults();
    // Swallowed events are read over REST after every connect.
    control.cutStreams('private');
    const count = (): number => this.#traders.reduce((sum, { received }) => sum + reports(received), 0);
    const until = Date.now() + SETTLE_MS;
    let last = count();
    let quietSince = Date.now();
    let found = audit(this.#traders, control);
    while (Date.now() < until && (found.disagreements.length > 0 || Date.now() - quietSince < QUIET_MS)) {
      await wait(LOOK_MS);
      for (const trader of this.#traders) trader.take();
      if (count() !== last) quietSince = Date.now();
      else if (found.disagreements.length === 0) continue;
      last = count();
      found = audit(this.#traders, control);
    }
    const received = this.#traders.reduce((sum, trader) => sum + trader.received.length, 0);
    const lines = [...this.#lines, ...this.#gateway.process.lines];
    return { ...found, sent: this.#sent, received, alarms: alarmsIn(lines), lines: lines.slice(-LINES_KEPT) };
  }
}

function reports(received: FaultTrader['received']): number {
  return received.filter(({ msgType }) => msgType === '8' || msgType === '9').length;
}

function alarmsIn(lines: readonly string[]): Record<string, number> {
  const alarms: Record<string, number> = {};
  for (const line of lines) {
    const alarm = /"alarm":"([^"]+)"/.exec(line)?.[1];
    if (alarm !== undefined) alarms[alarm] = (alarms[alarm] ?? 0) + 1;
  }
  return alarms;
}

/** Run a campaign. @throws Error with the last lines of the gateway if it could not go on */
export async function faultCampaign(options: FaultCampaignOptions): Promise<FaultCampaignResult> {
  const house = await faultHouse();
  const campaign = new FaultCampaign(options, house);
  try {
    return await campaign.run();
  } catch (cause) {
    throw new Error(`${String(cause)}\n${campaign.lastLines.join('\n')}`, { cause });
  } finally {
    await house.close();
  }
}
