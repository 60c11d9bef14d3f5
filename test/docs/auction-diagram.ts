// Runs an auction with a GTX order through the real gateway and the simulated exchange, and draws what passed between OMS, gateway and
// exchange as an SVG: docs/connect/auction.svg.

import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { is, ofType, Recording, terms } from './recording.ts';

type Lane = 'OMS' | 'Crossgate' | 'Exchange';

/** One arrow, or with `from` equal to `to` a note over that lane. */
export interface Step {
  readonly from: Lane;
  readonly to: Lane;
  readonly text: string;
}

const SHOWN = [
  Tag.TradingSessionSubID,
  Tag.ClOrdID,
  Tag.ExecType,
  Tag.OrdStatus,
  Tag.LastQty,
  Tag.LastPx,
  Tag.LeavesQty,
  Tag.CumQty,
  Tag.CxlRejReason,
];
const NAMES: Readonly<Record<string, string>> = {
  '8': 'ExecutionReport(8)',
  '9': 'OrderCancelReject(9)',
  h: 'TradingSessionStatus(h)',
};

/** A Text(58) about an auction without its number and times. */
const gist = (text: string): string =>
  text
    .replace(/^Auction \d+ of \w+:? (?:is )?/, '')
    .replace(/in phase \w+: /, '')
    .replace(/; cross at .*/, '')
    .replace(/^its /, '');

const inWords = (view: MessageView): string =>
  [
    NAMES[view.msgType] ?? view.msgType,
    ...SHOWN.filter((tag) => view.string(tag) !== null).map((tag) => `${tag}=${view.string(tag)}`),
    ...(view.msgType === 'h' ? [gist(view.string(Tag.Text) ?? 'subscribed')] : []),
  ].join(' ');

/** The arrows of one auction, in their order. */
export async function recordAuction(): Promise<Step[]> {
  const run = await Recording.start();
  const steps: Step[] = [];
  const { control } = run.house.simulator;
  const oms = (body: string, text: string): void => {
    steps.push({ from: 'OMS', to: 'Crossgate', text });
    run.oms.send(body);
  };
  const status = async (word: string): Promise<void> =>
    await answer(`h: ${word}`, (view) => view.msgType === 'h' && view.string(Tag.Text)?.includes(word) === true);
  const phase = async (to: 'ACCUMULATION' | 'LOCKDOWN' | 'CROSS'): Promise<void> => {
    steps.push({ from: 'Exchange', to: 'Crossgate', text: `auction: ${control.toPhase('BTCUSDC', to).phase}` });
    if (to !== 'CROSS') await status(to);
  };
  const answer = async (what: string, matches: (view: MessageView) => boolean): Promise<void> => {
    const view = await run.next(what, matches);
    takeCommands();
    steps.push({ from: 'Crossgate', to: 'OMS', text: inWords(view) });
  };
  const takeCommands = (): void => {
    for (const { path, body } of run.relay.passed.splice(0)) {
      const { command = {}, commandType = command.commandType } = JSON.parse(body);
      const { side, quantity, price, timeInForce } = command;
      const said = [commandType, side, quantity, price, timeInForce].filter((each) => each !== undefined);
      if (/V2|V3|V1/.test(String(commandType))) steps.push({ from: 'Crossgate', to: 'Exchange', text: said.join(' ') });
      else if (!/login/.test(path)) throw new Error(`an unexpected POST ${path}`);
    }
  };
  try {
    await run.logOn({ reset: true });
    oms('35=g|335=T-1|336=1|263=1', 'TradingSessionStatusRequest(g) 263=1');
    await answer('the status', ofType('h'));
    await phase('ACCUMULATION');
    control.counterparty({ symbol: 'BTCUSDC', side: 'SELL', price: '60000', quantity: '0.2', timeInForce: 'GTX' });
    oms(
      `35=D|50=trader1|11=A-1|${terms()}|38=0.5|40=2|44=60000|59=5`,
      'NewOrderSingle(D) 11=A-1 38=0.5 40=2 44=60000 59=5',
    );
    await answer('New', is('0', '0'));
    await phase('LOCKDOWN');
    oms(`35=F|50=trader1|11=A-2|41=A-1|${terms()}`, 'OrderCancelRequest(F) 11=A-2 41=A-1');
    await answer('the refusal', ofType('9'));
    steps.push({ from: 'Exchange', to: 'Crossgate', text: 'auction: cross postponed' });
    control.postponeAuction('BTCUSDC', 60_000, 'imbalance');
    await answer('the restatement', is('D', '0'));
    await status('postponed');
    await phase('CROSS');
    await answer('the fill', is('F', '1'));
    await answer('the end', is('C', 'C'));
    await status('is over');
  } finally {
    await run.close();
  }
  return steps;
}

const LANES: Readonly<Record<Lane, number>> = { OMS: 70, Crossgate: 590, Exchange: 910 };
const [ROW, TOP, WIDTH] = [44, 70, 980];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draw the steps from top to bottom. */
export function auctionDiagram(steps: readonly Step[]): string {
  const height = TOP + steps.length * ROW + 30;
  const lanes = Object.entries(LANES).flatMap(([name, x]) => [
    `  <rect x="${x - 55}" y="14" width="110" height="30" rx="4" fill="#eef2f7" stroke="#526070"/>`,
    `  <text x="${x}" y="34" text-anchor="middle" font-weight="bold">${name}</text>`,
    `  <line x1="${x}" y1="44" x2="${x}" y2="${height - 12}" stroke="#526070" stroke-dasharray="4 4"/>`,
  ]);
  const arrows = steps.flatMap(({ from, to, text }, i) => {
    const [begin, end, y] = [LANES[from], LANES[to], TOP + i * ROW + 16];
    return [
      `  <text x="${(begin + end) / 2}" y="${y - 6}" text-anchor="middle">${escaped(text)}</text>`,
      `  <line class="step" x1="${begin}" y1="${y}" x2="${begin < end ? end - 2 : end + 2}" y2="${y}" stroke="#1f2933" marker-end="url(#arrow)"/>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" fill="#1f2933">`,
    '  <title>A GTX order in an auction, recorded by test/docs/auction-diagram.ts</title>',
    `  <rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    '  <defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>',
    ...lanes,
    ...arrows,
    '</svg>',
    '',
  ].join('\n');
}

/** The words of a diagram, from top to bottom, without its title. */
export const wordsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);
