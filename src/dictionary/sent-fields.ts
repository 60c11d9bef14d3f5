// Lists the fields that messages to an OMS carry, and when. The rules of engagement omit fields that are never sent.
// test/dictionary/sent-fields.test.ts compares the list with real messages. engagement-comments.ts describes the
// fields.

/** Where a field is sent, in words: whether it may be in a version (`FIX.4.4`, `FIX.5.0SP2`, …) and dialect. */
export const SCOPES = {
  'FIX.4.2 only': (version) => version === 'FIX.4.2',
  'not in FIX.4.2': (version) => version !== 'FIX.4.2',
  'from FIX.4.2 on': (version) => version > 'FIX.4.1',
  'FIX.4.4 only': (version) => version === 'FIX.4.4',
  'FIX.4.4 `standard` only': (version, isVenue) => version === 'FIX.4.4' && !isVenue,
  'FIX.4.4 and 5.0': (version) => version === 'FIX.4.4' || version === 'FIX.5.0',
  'FIX.5.0SP2 only': (version) => version === 'FIX.5.0SP2',
  'FIXT.1.1 only': (version) => version.startsWith('FIX.5') || version === 'FIXT.1.1',
  'FIXT.1.1 `standard` only': (version, isVenue) => version === 'FIXT.1.1' && !isVenue,
  '`standard` only': (_, isVenue) => !isVenue,
  'not in FIX.4.4 `venue`': (version, isVenue) => !isVenue || version !== 'FIX.4.4',
  'neither in FIX.4.2 nor in FIX.4.4 `venue`': (version, isVenue) =>
    version > 'FIX.4.4' || (version === 'FIX.4.4' && !isVenue),
  '`venue` only': (_, isVenue) => isVenue,
  '`venue` only, not in FIX.4.2': (version, isVenue) => isVenue && version !== 'FIX.4.2',
  '`venue`, and from FIX.5.0 on': (version, isVenue) => isVenue || version.startsWith('FIX.5'),
  '`venue`, and from FIX.5.0SP1 on': (version, isVenue) => isVenue || version.startsWith('FIX.5.0SP'),
  'from FIX.5.0 on, and FIX.4.2 `venue`': (version, isVenue) =>
    version.startsWith('FIX.5') || (version === 'FIX.4.2' && isVenue),
  'from FIX.5.0 on': (version) => version.startsWith('FIX.5'),
  'from FIX.5.0SP1 on': (version) => version.startsWith('FIX.5.0SP'),
  '`standard` from FIX.5.0 on, and `venue` from FIX.4.4 on': (version, isVenue) =>
    version.startsWith('FIX.5') || (isVenue && version !== 'FIX.4.2'),
  '`venue` from FIX.5.0 on': (version, isVenue) => version.startsWith('FIX.5') && isVenue,
  '`venue`, and FIX.5.0SP2': (version, isVenue) => isVenue || version === 'FIX.5.0SP2',
  '`venue` from FIX.4.4 on, and FIX.5.0SP2': (version, isVenue) =>
    version === 'FIX.5.0SP2' || (isVenue && version !== 'FIX.4.2'),
} as const satisfies Readonly<Record<string, (version: string, isVenue: boolean) => boolean>>;

/** When a field is sent, and where if not everywhere. `always` is in every message, of a group's field in every entry. */
export type Sent = string | readonly [when: string, scope: keyof typeof SCOPES];

const ALWAYS = 'always';
const KNOWN = 'always, but where the order is not known';
const OF_ORDERS = 'always, but where the order is not known, and in the copy of a negotiated trade';
const FILL = 'fills';
const FEES: Sent = ['fills with a fee', 'not in FIX.4.2'];
const ECHO = 'as the order has it';
const ECHO_44: Sent = [ECHO, 'neither in FIX.4.2 nor in FIX.4.4 `venue`'];
const ECHO_STANDARD: Sent = [ECHO, 'not in FIX.4.4 `venue`'];
const AF: Sent = ['answers to AF', 'not in FIX.4.2'];
const VENUE_44: Sent = ['with a market', '`venue` only, not in FIX.4.2'];
const MARKET = 'with a market';
const LOTS: Sent = [MARKET, 'FIX.4.4 and 5.0'];
const OPTION = 'options';
const DATED = 'dated futures and options';
const DERIVATIVE = 'derivatives';
const MD_TIME = 'where the exchange says when';
const AUCTION = 'an auction';
const RESULT = 'the result of an auction';
const VENUE_TIMES = Object.fromEntries(
  [341, 342, 343, 344, 345].map((tag): [number, Sent] => [tag, [AUCTION, '`venue` only']]),
);

/** The exchange's own FIX has no encoded texts. */
const NOT_IN_VENUE = 'not in FIX.4.4 `venue`';
/** Where EncodedText(355) is sent, by where Text(58) is. */
const NARROWED: ReadonlyMap<keyof typeof SCOPES, keyof typeof SCOPES> = new Map([
  [NOT_IN_VENUE, NOT_IN_VENUE],
  ['`standard` only', '`standard` only'],
  ['not in FIX.4.2', 'neither in FIX.4.2 nor in FIX.4.4 `venue`'],
]);

/** Entries of market data, in W and X. */
const MD_ENTRY: Readonly<Record<string, Sent>> = {
  '268/269': ALWAYS,
  '268/270': 'where there is a price',
  '268/15': '269=3',
  '268/271': 'where there is a quantity',
  '268/272': MD_TIME,
  '268/273': MD_TIME,
  '268/336': 'trades of an auction',
  '268/625': ['trades of an auction', 'not in FIX.4.2'],
  '268/277': '269=A, of an auction with an imbalance',
  '268/286': ['269=Q, until the auction has cleared', 'not in FIX.4.2'],
  '268/290': 'bids and offers',
};

/** An instrument of reference data, under the group that it stands in; `scope` where the message has more than a symbol. */
function instrument(group: string, inLists: boolean): Readonly<Record<string, Sent>> {
  const scoped = (when: string): Sent => (inLists ? [when, NOT_IN_VENUE] : when);
  return {
    [`${group}461`]: [DERIVATIVE, inLists ? 'neither in FIX.4.2 nor in FIX.4.4 `venue`' : 'not in FIX.4.2'],
    [`${group}167`]: scoped(MARKET),
    [`${group}200`]: scoped(DATED),
    ...(inLists ? {} : { 205: [DATED, 'FIX.4.2 only'] as const }),
    [`${group}541`]: [DATED, inLists ? 'neither in FIX.4.2 nor in FIX.4.4 `venue`' : 'not in FIX.4.2'],
    [`${group}1079`]: [DATED, 'from FIX.5.0 on'],
    [`${group}201`]: scoped(OPTION),
    [`${group}202`]: scoped(OPTION),
    [`${group}947`]: [OPTION, inLists ? 'neither in FIX.4.2 nor in FIX.4.4 `venue`' : 'not in FIX.4.2'],
    [`${group}231`]: scoped(DERIVATIVE),
    [`${group}1193`]: [DERIVATIVE, 'from FIX.5.0SP1 on'],
  };
}

/** An entry of a list of markets. */
const LIST_ENTRY: Readonly<Record<string, Sent>> = {
  '146/55': MARKET,
  ...instrument('146/', true),
  '146/15': [MARKET, 'not in FIX.4.4 `venue`'],
  '146/561': [MARKET, 'not in FIX.4.4 `venue`'],
  '146/562': [MARKET, 'not in FIX.4.4 `venue`'],
  '146/1140': ['with a market that has a largest quantity', 'from FIX.5.0SP1 on'],
  '146/58': [MARKET, '`standard` only'],
  '146/969': [MARKET, '`standard` from FIX.5.0 on, and `venue` from FIX.4.4 on'],
  '146/1647': VENUE_44,
  '146/1647/1648': [MARKET, '`venue` from FIX.5.0 on'],
  '146/1647/1649': VENUE_44,
  '146/1647/1652': VENUE_44,
  '146/8000': VENUE_44,
  '146/8001': VENUE_44,
  '146/8002': VENUE_44,
  '146/8003': VENUE_44,
  '146/8005': VENUE_44,
};

/** MsgType, or `header` → tag, of a group's field `group/tag` → when it is sent. */
const LISTED: Readonly<Record<string, Readonly<Record<string, Sent>>>> = {
  header: {
    8: ALWAYS,
    9: ALWAYS,
    35: ALWAYS,
    49: ALWAYS,
    56: ALWAYS,
    34: ALWAYS,
    52: ALWAYS,
    10: ALWAYS,
    43: 'messages sent again on a ResendRequest, and gap fills',
    122: 'with 43=Y',
    97: 'reports repeated under a new number, see UDC',
    347: ['with 355, UTF-8', NOT_IN_VENUE],
    50: 'where agreed',
    142: 'where agreed',
    143: 'where agreed',
    57: 'the 50 that is answered, `ADMIN`, or as agreed',
    115: 'the 128 of the rejected message',
    116: 'the 129 of the rejected message',
    144: 'the 145 of the rejected message',
    145: 'the 144 of the rejected message',
    128: 'the 115 that is answered',
    129: 'the 116 that is answered',
    369: ['where agreed', 'from FIX.4.2 on'],
  },
  A: {
    98: ALWAYS,
    108: ALWAYS,
    141: 'resets',
    789: 'where the session agreed on it',
    464: 'test sessions',
    1137: [ALWAYS, 'FIXT.1.1 only'],
    1409: ['our answer', '`venue` only'],
    58: ['our answer, where this session is bound to the simulated exchange', 'FIXT.1.1 `standard` only'],
    9001: 'answers to a Logon that has it',
    553: 'where we call you',
    554: 'where we call you',
    95: 'where we call you',
    96: 'where we call you',
  },
  0: { 112: 'answers to a TestRequest' },
  1: { 112: ALWAYS },
  2: { 7: ALWAYS, 16: ALWAYS },
  3: {
    45: ALWAYS,
    371: ['where it is about one field', 'from FIX.4.2 on'],
    372: [ALWAYS, 'from FIX.4.2 on'],
    373: ['where the version has the number', 'from FIX.4.2 on'],
    58: ALWAYS,
  },
  4: { 36: ALWAYS, 123: 'Y: a gap fill' },
  5: { 58: 'where there is a reason', 1409: ['a Logon was refused', '`venue` only'] },
  8: {
    37: ALWAYS,
    198: ['where the exchange’s present id differs from 37', 'not in FIX.4.4 `venue`'],
    11: 'always, but of liquidations and of orders entered elsewhere without one',
    41: ['from the first replacement on, and in answers to F and G', 'not in FIX.4.4 `venue`'],
    526: ECHO_44,
    583: ECHO_44,
    66: ECHO_STANDARD,
    453: ECHO_44,
    '453/447': ECHO_44,
    '453/448': ECHO_44,
    '453/452': ECHO_44,
    '453/802': ECHO_44,
    '453/802/523': ECHO_44,
    '453/802/803': ECHO_44,
    22: ECHO_STANDARD,
    48: ECHO_STANDARD,
    15: ECHO_STANDARD,
    21: ECHO_STANDARD,
    790: ['answers to an H that has it', 'not in FIX.4.2'],
    584: AF,
    911: AF,
    912: AF,
    17: ALWAYS,
    797: ['drop copies', 'not in FIX.4.2'],
    20: [ALWAYS, 'FIX.4.2 only'],
    150: ALWAYS,
    39: ALWAYS,
    103: '39=8, and in `venue` of a cancel that the exchange forced',
    378: '150=D, and unsolicited 150=4; in FIX.4.4 `venue` 5 alone',
    1: KNOWN,
    544: [ECHO, 'not in FIX.4.2'],
    55: ALWAYS,
    54: ALWAYS,
    38: KNOWN,
    40: OF_ORDERS,
    44: 'orders with a limit',
    99: 'stop orders',
    59: OF_ORDERS,
    18: ['post-only orders, and `o` as the order has it', 'not in FIX.4.4 `venue`'],
    31: FILL,
    32: FILL,
    336: ['orders of an auction', 'FIX.4.4 `standard` only'],
    151: ALWAYS,
    14: ALWAYS,
    6: ALWAYS,
    60: KNOWN,
    381: FILL,
    136: FEES,
    '136/137': FEES,
    '136/138': FEES,
    '136/139': FEES,
    574: [
      'fills of an auction; the copy of a negotiated trade from FIX.5.0 on',
      'from FIX.5.0 on, and FIX.4.2 `venue`',
    ],
    1057: ['fills outside an auction, but of a negotiated trade', '`venue`, and from FIX.5.0 on'],
    851: ['fills outside an auction, but of a negotiated trade', 'FIX.4.4 `standard` only'],
    20000: ['fills with a rebate', '`venue` only'],
    20001: ['fills with a rebate', '`venue` only'],
    8004: ['once something is borrowed', '`venue` only'],
    8006: ['once something is borrowed', '`venue` only'],
    1369: ['orders that a q cancels', '`venue` only, not in FIX.4.2'],
    58: 'where there is something to say; every reject',
  },
  9: {
    37: ALWAYS,
    198: ['where the exchange’s present id differs from 37', 'not in FIX.4.4 `venue`'],
    11: ALWAYS,
    41: ALWAYS,
    39: ALWAYS,
    526: ECHO_44,
    583: ECHO_44,
    66: ECHO_STANDARD,
    1: ['always, but where neither the order nor the request names one', 'not in FIX.4.4 `venue`'],
    60: ALWAYS,
    434: ALWAYS,
    102: ALWAYS,
    58: [ALWAYS, 'not in FIX.4.4 `venue`'],
    1328: [ALWAYS, '`venue` only'],
  },
  N: {
    66: ALWAYS,
    429: ALWAYS,
    82: ALWAYS,
    431: ALWAYS,
    83: ALWAYS,
    444: 'a list that is refused',
    60: ALWAYS,
    68: ALWAYS,
    73: ALWAYS,
    '73/11': ALWAYS,
    '73/14': ALWAYS,
    '73/39': ALWAYS,
    '73/151': ALWAYS,
    '73/84': ALWAYS,
    '73/6': ALWAYS,
    '73/103': '39=8',
    '73/58': 'where there is something to say',
  },
  B: {
    61: ['news of operators', 'not in FIX.4.4 `venue`'],
    148: ALWAYS,
    33: [ALWAYS, 'not in FIX.4.4 `venue`'],
    '33/58': [ALWAYS, 'not in FIX.4.4 `venue`'],
  },
  BF: {
    923: [ALWAYS, 'not in FIX.4.2'],
    553: [ALWAYS, 'not in FIX.4.2'],
    926: [ALWAYS, 'not in FIX.4.2'],
    927: ['where there is something to say', 'not in FIX.4.2'],
  },
  ULR: {
    20100: ALWAYS,
    20101: ALWAYS,
    '20101/20102': ALWAYS,
    '20101/1': 'limits of an account',
    '20101/20103': ALWAYS,
    '20101/20104': ALWAYS,
    '20101/20105': 'openOrdersMax, ordersPerSecondMax',
    '20101/20106': 'openOrdersMax, ordersPerSecondMax',
    58: 'an unknown account, or too many for one report',
  },
  j: {
    45: ALWAYS,
    372: ALWAYS,
    379: 'where the message has an id of its own',
    380: ALWAYS,
    58: ALWAYS,
  },
  r: {
    11: ALWAYS,
    526: ['as the q has it', 'not in FIX.4.4 `venue`'],
    37: [ALWAYS, 'not in FIX.4.4 `venue`'],
    1369: [ALWAYS, '`venue`, and from FIX.5.0SP1 on'],
    530: ALWAYS,
    531: ALWAYS,
    532: '531=0',
    533: ['but with 531=0', 'not in FIX.4.4 `venue`'],
    1370: ['where orders stay that were meant', 'FIX.5.0SP2 only'],
    '1370/1371': ['where orders stay that were meant', 'FIX.5.0SP2 only'],
    '1370/1372': ['where orders stay that were meant', 'FIX.5.0SP2 only'],
    55: ['as the q has it', 'not in FIX.4.4 `venue`'],
    54: ['as the q has it', 'not in FIX.4.4 `venue`'],
    60: ALWAYS,
    58: '531=0, and where 533 leaves out orders that were meant',
  },
  W: {
    262: ALWAYS,
    55: ALWAYS,
    268: ALWAYS,
    ...MD_ENTRY,
    '268/276': 'entries that count for nothing',
    '268/58': 'with 276=B, and where trades are missing',
  },
  X: {
    262: ALWAYS,
    268: ALWAYS,
    '268/279': ALWAYS,
    '268/278': ALWAYS,
    '268/55': ALWAYS,
    ...MD_ENTRY,
    '268/58': 'where trades are missing',
  },
  Y: { 262: ALWAYS, 281: 'where the version has a number for it', 58: ALWAYS },
  d: {
    320: ALWAYS,
    322: ALWAYS,
    323: ALWAYS,
    393: [ALWAYS, 'FIX.4.2 only'],
    55: 'with a market, or as asked',
    ...instrument('', false),
    711: [DERIVATIVE, 'not in FIX.4.2'],
    '711/311': [DERIVATIVE, 'not in FIX.4.2'],
    146: [DERIVATIVE, 'FIX.4.2 only'],
    '146/311': [DERIVATIVE, 'FIX.4.2 only'],
    15: MARKET,
    58: ALWAYS,
    561: LOTS,
    562: LOTS,
    969: [MARKET, '`standard` from FIX.5.0 on, and `venue` from FIX.4.4 on'],
    8000: VENUE_44,
    8001: VENUE_44,
    8002: VENUE_44,
    8003: VENUE_44,
    8005: VENUE_44,
  },
  y: {
    320: ALWAYS,
    322: [ALWAYS, 'not in FIX.4.4 `venue`'],
    560: ALWAYS,
    60: [ALWAYS, '`venue`, and FIX.5.0SP2'],
    393: [MARKET, 'not in FIX.4.4 `venue`'],
    893: MARKET,
    146: 'with a market; in FIX.4.4 `venue` always, 0 without one',
    ...LIST_ENTRY,
    '146/711': [DERIVATIVE, 'neither in FIX.4.2 nor in FIX.4.4 `venue`'],
    '146/711/311': [DERIVATIVE, 'neither in FIX.4.2 nor in FIX.4.4 `venue`'],
  },
  AO: {
    721: ALWAYS,
    710: ALWAYS,
    727: ALWAYS,
    728: ALWAYS,
    729: ALWAYS,
    1: ALWAYS,
    581: ALWAYS,
    58: '729=2',
  },
  AP: {
    721: ALWAYS,
    710: ALWAYS,
    724: ALWAYS,
    727: 'answers to AN',
    325: 'later reports: Y',
    728: ALWAYS,
    715: ALWAYS,
    1: ALWAYS,
    581: ALWAYS,
    55: ALWAYS,
    461: DERIVATIVE,
    167: MARKET,
    200: DATED,
    541: DATED,
    1079: [DATED, 'from FIX.5.0 on'],
    201: OPTION,
    202: OPTION,
    947: OPTION,
    231: DERIVATIVE,
    15: 'where the position settles in an asset',
    730: ALWAYS,
    731: ALWAYS,
    734: ALWAYS,
    702: ALWAYS,
    '702/703': ALWAYS,
    '702/704': 'long positions, and closed ones',
    '702/705': 'short positions',
    753: 'open positions',
    '753/707': 'open positions',
    '753/708': 'open positions',
  },
  BA: {
    908: ALWAYS,
    909: ALWAYS,
    60: [ALWAYS, 'FIX.5.0SP2 only'],
    910: ALWAYS,
    911: ALWAYS,
    912: ALWAYS,
    1: ALWAYS,
    581: ALWAYS,
    55: 'an asset',
    898: 'the account, with a margin',
    899: 'the account',
    15: ALWAYS,
    900: ALWAYS,
    901: ALWAYS,
    921: 'an asset',
    922: 'an asset',
    58: ALWAYS,
  },
  BG: { 909: ALWAYS, 945: ALWAYS, 946: ALWAYS, 1: 'as asked', 58: ALWAYS },
  BK: {
    964: ALWAYS,
    320: ALWAYS,
    322: ALWAYS,
    560: ALWAYS,
    393: ALWAYS,
    980: ALWAYS,
    60: [ALWAYS, 'FIX.5.0SP2 only'],
    893: ALWAYS,
    146: ALWAYS,
    '146/1324': [ALWAYS, 'from FIX.5.0SP1 on'],
    ...LIST_ENTRY,
    '146/711': [DERIVATIVE, 'from FIX.5.0SP1 on'],
    '146/711/311': [DERIVATIVE, 'from FIX.5.0SP1 on'],
  },
  f: {
    324: ALWAYS,
    55: ALWAYS,
    325: 'later reports: Y',
    326: ALWAYS,
    60: ALWAYS,
    336: AUCTION,
    625: [AUCTION, 'not in FIX.4.2'],
    ...VENUE_TIMES,
    330: RESULT,
    331: RESULT,
    31: 'the result of an auction that crossed',
    58: ['where there is something to say', 'not in FIX.4.2'],
  },
  h: {
    335: 'always, except in unsolicited messages of `venue`',
    336: ALWAYS,
    625: ['phases of an auction', 'not in FIX.4.2'],
    325: 'later reports: Y',
    340: ALWAYS,
    341: AUCTION,
    342: AUCTION,
    343: AUCTION,
    344: AUCTION,
    345: AUCTION,
    567: ['a refused request', 'not in FIX.4.2'],
    1368: ['halts and auctions', '`venue` from FIX.4.4 on, and FIX.5.0SP2'],
    55: ['a market that halts or has an auction', '`venue` from FIX.4.4 on, and FIX.5.0SP2'],
    58: 'where there is something to say',
  },
};

/** Beside a text of ours that the character set of the session cannot hold. */
const ENCODED = 'where 58 lacks a character, with 347=UTF-8';
const BY_SESSION: ReadonlySet<string> = new Set(['header', '3', '5', 'A']);

/** With the fields that stand beside each Text(58) of the gateway. */
function withEncodedText([msgType, fields]: [string, Readonly<Record<string, Sent>>]): [string, Record<string, Sent>] {
  const all: [string, Sent][] = Object.entries(fields).flatMap(([path, sent]): [string, Sent][] => {
    if (BY_SESSION.has(msgType) || !/(^|\/)58$/.test(path)) return [[path, sent]];
    const group = path.slice(0, -2);
    const scope = typeof sent === 'string' ? NOT_IN_VENUE : NARROWED.get(sent[1])!;
    return [[path, sent], ...['354', '355'].map((tag): [string, Sent] => [`${group}${tag}`, [ENCODED, scope]])];
  });
  return [msgType, Object.fromEntries(all)];
}

/** Message → field, with the groups that it stands in → when it is sent. */
export const SENT: Readonly<Record<string, Readonly<Record<string, Sent>>>> = Object.fromEntries(
  Object.entries(LISTED).map(withEncodedText),
);

/** How a table says it: `always`, `fills; not in FIX.4.2`. */
export function sentInWords(sent: Sent): string {
  return typeof sent === 'string' ? sent : sent.join('; ');
}
