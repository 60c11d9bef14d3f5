// Requests to the tester: in words for people, and in one line that a program can carry out. Both are made from the
// same step, so that a scripted OMS does what the words say.

/** A request of a case: `ask new A side=buy qty=4`. */
export interface Request {
  readonly verb: string;
  /** Label of the order that it is about; null: none. */
  readonly order: string | null;
  readonly params: Readonly<Record<string, string>>;
}

/** The names of the venue that a request is about, as the counterparty writes them. */
export interface Names {
  readonly symbol: string;
  readonly account: string;
}

type Words = (params: Readonly<Record<string, string>>, order: string, names: Names) => string;

const TYPES: Readonly<Record<string, string>> = {
  limit: 'limit (40=2)',
  market: 'market (40=1)',
  stop: 'stop limit (40=4)',
  post: 'post only (40=p)',
};
const TIMES: Readonly<Record<string, string>> = {
  gtc: 'good till cancel (59=1)',
  ioc: 'immediate or cancel (59=3)',
  fok: 'fill or kill (59=4)',
  gtx: 'for the auction (59=5)',
};

function orderInWords(params: Readonly<Record<string, string>>, names: Names): string {
  const { side = 'buy', qty = '', type = 'limit', price, stop, tif = 'gtc' } = params;
  const parts = [`${side} ${qty} ${names.symbol}`, TYPES[type] ?? type];
  if (price !== undefined) parts.push(`Price(44)=${price}`);
  if (stop !== undefined) parts.push(`StopPx(99)=${stop}`);
  parts.push(TIMES[tif] ?? tif, `Account(1)=${names.account}`);
  return parts.join(', ');
}

function changes({ qty, price, leave }: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  if (leave !== undefined) parts.push(`so that exactly ${leave} remains to be filled, by your own count of its fills`);
  if (qty !== undefined) parts.push(`to OrderQty(38)=${qty}`);
  if (price !== undefined) parts.push(`to Price(44)=${price}`);
  return parts.join(' and ');
}

/** Every request, in words. `order` is the label of the order. */
const VERBS: Readonly<Record<string, Words>> = {
  new: (params, order, names) => `Send NewOrderSingle(D), call it order ${order}: ${orderInWords(params, names)}.`,
  cancel: (_, order) => `Cancel order ${order} by OrderCancelRequest(F).`,
  replace: (params, order) => `Replace order ${order} by OrderCancelReplaceRequest(G) ${changes(params)}.`,
  status: (_, order) => `Ask for the status of order ${order} by OrderStatusRequest(H).`,
  'mass-status': () => 'Ask for the status of all your orders by OrderMassStatusRequest(AF), MassStatusReqType(585)=7.',
  'mass-cancel': () => 'Cancel all your orders by one OrderMassCancelRequest(q), MassCancelRequestType(530)=7.',
  'cancel-open': () =>
    'Cancel each order that your system holds as open by its own OrderCancelRequest(F), and no other.',
  again: (_, order) => `Send order ${order} once more as a possible resend: the same ClOrdID(11), PossResend(97)=Y.`,
  dispute: (_, order) => `Dispute the last fill of order ${order} by DontKnowTrade(Q) with its ExecID(17).`,
  'test-request': () => 'Send a TestRequest(1).',
  'resend-request': () => 'Ask for all our messages of this session again by ResendRequest(2) with EndSeqNo(16)=0.',
  logout: () => 'Log out by Logout(5) and log on again.',
  'logout-only': () => 'Log out by Logout(5) and stay away until asked.',
  disconnect: () => 'End the connection without a Logout(5), as after a crash, and log on again with your numbers.',
  logon: () => 'Log on again with the numbers of this session, without ResetSeqNumFlag(141).',
  reset: () => 'Log out, and log on again with ResetSeqNumFlag(141)=Y.',
  say: ({ what = '' }, order) =>
    `Send a TestRequest(1) whose TestReqID(112) is ${SAYINGS[what] ?? what}${order === '' ? '' : ` of order ${order}`}.`,
  'market-data': ({ types = '01' }, _, names) =>
    `Subscribe to market data of ${names.symbol} by MarketDataRequest(V): 263=1, 264=0, MDEntryType(269) ${[...types].join(' and ')}.`,
  'stop-market-data': () => 'End that subscription by MarketDataRequest(V) with SubscriptionRequestType(263)=2.',
  'security-list': () => 'Ask for all securities by SecurityListRequest(x), SecurityListRequestType(559)=4.',
  'best-bid': ({ qty = '1' }, order, names) =>
    `Send NewOrderSingle(D), call it order ${order}: sell ${qty} ${names.symbol}, limit at the best bid that you see, good till cancel.`,
  nothing: ({ why = '' }) => `Do nothing for now${why === '' ? '' : `: ${why.replaceAll('_', ' ')}`}.`,
};

const SAYINGS: Readonly<Record<string, string>> = {
  cum: 'the quantity filled so far by your own count',
  orders: 'the number of orders that your system holds as open',
  trades: 'the number of fills that your system has counted',
};

const ASKED = Object.keys(VERBS);
const LABEL = /^[A-Z]$/;

/** Read `VERB [ORDER] NAME=VALUE …`. @returns the fault in words if it is none */
export function requestFrom(text: string): Request | string {
  const [verb = '', ...words] = text.trim().split(/\s+/);
  if (VERBS[verb] === undefined)
    return `"${verb}" is nothing that an OMS is asked to do. There is ${ASKED.join(', ')}.`;
  const order = words.find((word) => LABEL.test(word)) ?? null;
  const params: Record<string, string> = {};
  for (const word of words) {
    if (word === order) continue;
    const equals = word.indexOf('=');
    if (equals < 1) return `"${word}" is neither the label of an order nor NAME=VALUE.`;
    params[word.slice(0, equals)] = word.slice(equals + 1);
  }
  return { verb, order, params };
}

/** A request in words for people. */
export function requestInWords({ verb, order, params }: Request, names: Names): string {
  return VERBS[verb]!(params, order ?? '', names);
}

/** The same as one line for a program: `DO new order=A side=buy qty=4 …`. */
export function requestLine({ verb, order, params }: Request, names: Names): string {
  const words = [`DO ${verb}`];
  if (order !== null) words.push(`order=${order}`);
  for (const [name, value] of Object.entries(params)) words.push(`${name}=${value}`);
  if (verb === 'new' || verb === 'best-bid' || verb === 'market-data')
    words.push(`symbol=${names.symbol}`, `account=${names.account}`);
  return words.join(' ');
}
