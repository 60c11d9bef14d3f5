// The fields of an ExecutionReport(8) that have columns in crossgate_execution. Reads the bytes as they were sent, and trusts none:
// a value that is no number is null there.

const SOH = 0x01;
const EQUALS = 0x3d;
const DECIMAL = /^-?\d{1,40}(\.\d{1,40})?$/;

/** Column → tag. */
const TEXTS = {
  exec_id: 17,
  order_id: 37,
  cl_ord_id: 11,
  exec_type: 150,
  ord_status: 39,
  account: 1,
  symbol: 55,
  side: 54,
};
const NUMBERS = { last_qty: 32, last_px: 31, leaves_qty: 151, cum_qty: 14, avg_px: 6 };
const TAGS = { ...TEXTS, ...NUMBERS };

export type ExecutionColumn = keyof typeof TAGS;
export const EXECUTION_COLUMNS = Object.keys(TAGS) as ExecutionColumn[];
export const EXECUTION_NUMBERS: ReadonlySet<string> = new Set(Object.keys(NUMBERS));
const COLUMN_OF: ReadonlyMap<number, number> = new Map(EXECUTION_COLUMNS.map((column, k) => [TAGS[column], k]));

/** The values of the columns, in their order; null where the message has none, or none that fits. The first of a tag counts. */
export function executionOf(raw: Buffer): (string | null)[] {
  const values: (string | null)[] = EXECUTION_COLUMNS.map(() => null);
  for (let at = 0; at < raw.length; ) {
    let tag = 0;
    let byte = raw[at];
    while (byte !== undefined && byte !== EQUALS && byte !== SOH) {
      tag = tag * 10 + (byte - 0x30);
      byte = raw[++at];
    }
    const found = raw.indexOf(SOH, at);
    const end = found === -1 ? raw.length : found;
    const column = COLUMN_OF.get(tag);
    if (column !== undefined && values[column] === null && byte === EQUALS) {
      values[column] = columnValue(EXECUTION_COLUMNS[column]!, raw.toString('latin1', at + 1, end));
    }
    at = end + 1;
  }
  return values;
}

function columnValue(column: ExecutionColumn, text: string): string | null {
  if (EXECUTION_NUMBERS.has(column)) return DECIMAL.test(text) ? text : null;
  return withoutNul(text);
}

/** PostgreSQL has no text with this character. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}
