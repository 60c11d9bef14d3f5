// OrdStatus(39) by name and by value, for people who search and read. The meaning is FIX's (FIX 4.4 field 39).

const NAMES: Readonly<Record<string, string>> = {
  '0': 'New',
  '1': 'PartiallyFilled',
  '2': 'Filled',
  '4': 'Canceled',
  '5': 'Replaced',
  '6': 'PendingCancel',
  '8': 'Rejected',
  A: 'PendingNew',
  C: 'Expired',
  E: 'PendingReplace',
};

/** Every name, in words for who asked for another. */
export const ORD_STATUS_NAMES = Object.values(NAMES)
  .join(', ')
  .replace(/, (\w+)$/, ' and $1');

/** The name of a value; the value itself if it has none. */
export function ordStatusName(value: string): string {
  return NAMES[value] ?? value;
}

const EXEC_TYPES: Readonly<Record<string, string>> = {
  '3': 'DoneForDay',
  '7': 'Stopped',
  D: 'Restated',
  F: 'Trade',
  I: 'OrderStatus',
  L: 'TriggeredOrActivatedBySystem',
};

/** The name of an ExecType(150); the value itself if it has none. */
export function execTypeName(value: string): string {
  return EXEC_TYPES[value] ?? ordStatusName(value);
}

const ORD_TYPES: Readonly<Record<string, string>> = { '1': 'Market', '2': 'Limit', '4': 'Stop limit', p: 'Post only' };
const TIMES_IN_FORCE: Readonly<Record<string, string>> = { '0': 'Day', '1': 'GTC', '3': 'IOC', '4': 'FOK', '5': 'GTX' };

/** Kind of an order, such as `Stop limit GTC`; values without a name here as they are. */
export function ordKindName(ordType: string, timeInForce: string | null): string {
  const type = ORD_TYPES[ordType] ?? ordType;
  return timeInForce === null ? type : `${type} ${TIMES_IN_FORCE[timeInForce] ?? timeInForce}`;
}

/** The value of a name or value, however it is written (`filled`, `partially-filled`, `2`); null if there is none. */
export function ordStatusOf(word: string): string | null {
  if (NAMES[word.toUpperCase()] !== undefined) return word.toUpperCase();
  const plain = word
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace('cancelled', 'canceled');
  return Object.keys(NAMES).find((value) => NAMES[value]!.toLowerCase() === plain) ?? null;
}
