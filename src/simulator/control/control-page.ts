// The control page: markets, books, auctions, orders, logins and faults of the running exchange. Plain HTML
// that renews itself; the control endpoint makes changes (rest-control.ts).

import { formatIso } from '../../base/time.ts';
import type { RouteRequest } from '../rest/route.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import { isOpen, type Order, reasonText } from '../venue/order.ts';
import { AMM_ACCOUNT_PREFIX } from '../world/world.ts';
import type { Control } from './control.ts';

const DEPTH = 5;
const ORDERS_MAX = 50;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 13px/1.45 system-ui, sans-serif; margin: 1.2rem auto; max-width: 85rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin: 0 0 .2rem; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { margin: .2rem 0; color: GrayText; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: GrayText; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid color-mix(in srgb, GrayText 30%, transparent); }
td.n, th.n { text-align: right; } td.n, td.id { white-space: nowrap; }
table.wide { font-size: 12px; }
.buy { color: #15803d; } .sell { color: #b91c1c; }
.books { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: .2rem 1.5rem; }
.books h3 { font-size: .95rem; margin: .6rem 0 .2rem; }
.none { color: GrayText; }
`;

/** Text for HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

type Cell = string | { readonly text: string; readonly as: string };

const number = (value: { toString(): string } | null): Cell => ({ text: value?.toString() ?? '–', as: 'n' });

const id = (text: string): Cell => ({ text, as: 'id' });

function table(heads: readonly Cell[], rows: readonly (readonly Cell[])[], none: string, as = ''): string {
  if (rows.length === 0) return `<p class="none">${escaped(none)}</p>`;
  const row = (cells: readonly Cell[], tag: 'th' | 'td'): string =>
    `<tr>${cells
      .map((cell) =>
        typeof cell === 'string'
          ? `<${tag}>${escaped(cell)}</${tag}>`
          : `<${tag} class="${cell.as}">${escaped(cell.text)}</${tag}>`,
      )
      .join('')}</tr>`;
  return `<table class="${as}"><thead>${row(heads, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

const head = (text: string): Cell => ({ text, as: 'n' });

function marketTable(floor: Floor, now: number): string {
  const rows = [...floor.markets.values()].map((state): Cell[] => {
    const { spec, book, lastPrice, flags, expired } = state;
    const status = expired !== null ? 'expired' : flags.marketEnabled ? 'enabled' : 'disabled';
    return [
      spec.symbol,
      spec.marketType,
      status,
      number(book.bestPrice('BUY')),
      number(book.bestPrice('SELL')),
      number(lastPrice),
      number(floor.markPrice(state, now)),
      number(floor.indexPrice(state)),
      number(book.size),
      number(state.stops.length),
    ];
  });
  return table(
    [
      'Market',
      'Kind',
      'State',
      head('Bid'),
      head('Ask'),
      head('Last'),
      head('Mark'),
      head('Index'),
      head('Orders'),
      head('Stops'),
    ],
    rows,
    'No markets.',
  );
}

function bookTable({ spec, book }: MarketState): string {
  const level = (side: 'BUY' | 'SELL') =>
    book
      .levels(side, DEPTH)
      .map(({ price, quantity }): Cell[] => [
        { text: side === 'BUY' ? 'bid' : 'ask', as: side === 'BUY' ? 'buy' : 'sell' },
        number(price),
        number(quantity),
      ]);
  const rows = [...level('SELL').reverse(), ...level('BUY')];
  const body = table(['', head('Price'), head('Quantity')], rows, 'Empty.');
  return `<div><h3>${escaped(spec.symbol)}</h3>${body}</div>`;
}

function auctionTable(floor: Floor): string {
  const rows = [...floor.markets.values()].flatMap((state): Cell[][] => {
    const { auction, auctionOrders, lastNoii, auctionResults } = state;
    if (auction === null) return [];
    const view = auction.view();
    const last = auctionResults.at(-1) ?? null;
    return [
      [
        view.symbol,
        view.phase,
        formatIso(view.scheduledCrossTime),
        number(auctionOrders.length),
        number(lastNoii?.price ?? null),
        number(lastNoii?.pairedQuantity ?? null),
        lastNoii === null ? '–' : `${lastNoii.imbalanceDirection} ${lastNoii.imbalanceQuantity}`,
        number(last?.price ?? null),
        number(last?.pairedQuantity ?? null),
      ],
    ];
  });
  return table(
    [
      'Market',
      'Phase',
      'Cross at',
      head('Orders'),
      head('Far price'),
      head('Paired'),
      'Imbalance',
      head('Last cross'),
      head('Crossed'),
    ],
    rows,
    'No market has auctions.',
  );
}

/** The newest orders of customers: the house's own and those of AMM instructions are in the books. */
function orderTable(floor: Floor): string {
  const shown: Order[] = [];
  const all = [...floor.orders.values()];
  for (let i = all.length - 1; i >= 0 && shown.length < ORDERS_MAX; i--) {
    const order = all[i]!;
    const isHouse = floor.ledger.account(order.tradingAccountId)?.user === '';
    if (!isHouse && !order.tradingAccountId.startsWith(AMM_ACCOUNT_PREFIX)) shown.push(order);
  }
  const rows = shown.map((order): Cell[] => [
    id(formatIso(order.createdAt).slice(11, -1)),
    id(order.orderId),
    id(order.clientOrderId ?? '–'),
    id(order.tradingAccountId),
    id(order.market.symbol),
    { text: order.side, as: order.side === 'BUY' ? 'buy' : 'sell' },
    id(`${order.type} ${order.timeInForce}`),
    number(order.price?.trimmed() ?? null),
    number(order.quantity.trimmed()),
    number(order.quantityFilled.trimmed()),
    isOpen(order) ? 'OPEN' : `${order.status} ${reasonText(order.reason)}`,
  ]);
  return table(
    [
      'Created',
      'Order',
      'Reference',
      'Account',
      'Market',
      'Side',
      'Kind',
      head('Price'),
      head('Quantity'),
      head('Filled'),
      'State',
    ],
    rows,
    'No orders of customers yet.',
    'wide',
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The page as it stands now. */
export function controlPage(control: Control, { floor, now }: RouteRequest): string {
  const faults = control.armedFaults === 0 ? 'no fault armed' : `${counted(control.armedFaults, 'fault')} armed`;
  const { logins, streamCount } = control;
  const state = `${formatIso(now)} · ${counted(logins, 'login')} · ${counted(streamCount, 'stream')} · ${faults}`;
  const books = [...floor.markets.values()].map(bookTable).join('');
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Simulated exchange</title><style>${STYLE}</style></head>
<body><h1>Simulated exchange</h1><p>${escaped(state)}</p>
<h2>Markets</h2>${marketTable(floor, now)}
<h2>Auctions</h2>${auctionTable(floor)}
<h2>Orders</h2>${orderTable(floor)}
<h2>Books</h2><div class="books">${books}</div>
</body></html>
`;
}
