// Field order of enveloped commands, which the older signing format requires and the current one does not
// (trading-api.md, Command construction). The string to sign of the older format is **assumed** to be the same.

const ENVELOPE = ['timestamp', 'nonce', 'authorizer', 'command'];

/** Fields in the order that trading-api.md and exchange reference §1.5 list them. */
const LISTED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'V2CreateOrder',
    [
      'commandType',
      'handle',
      'symbol',
      'type',
      'side',
      'price',
      'stopPrice',
      'quantity',
      'timeInForce',
      'allowMargin',
      'tradingAccountId',
    ],
  ],
  ['V2CancelOrder', ['commandType', 'orderId', 'handle', 'symbol', 'tradingAccountId']],
  [
    'V2AddLiquidity',
    [
      'commandType',
      'symbol',
      'baseQuantity',
      'quoteQuantity',
      'upperBound',
      'lowerBound',
      'feeTierId',
      'tradingAccountId',
    ],
  ],
  ['V2RemoveLiquidity', ['commandType', 'liquidityId', 'symbol', 'tradingAccountId']],
  ['V1TransferAsset', ['commandType', 'assetSymbol', 'quantity', 'fromTradingAccountId', 'toTradingAccountId']],
]);

/** Why a body does not have all fields in the listed order, nulls present; null if it has. Other commands pass. */
export function inListedOrder(json: Readonly<Record<string, unknown>>): string | null {
  const { command } = json;
  if (typeof command !== 'object' || command === null) return null;
  if (!isSame(Object.keys(json), ENVELOPE))
    return `The fields of the envelope must be ${ENVELOPE.join(', ')}, in order`;
  const listed = LISTED.get(String((command as Record<string, unknown>).commandType));
  if (listed === undefined || isSame(Object.keys(command), listed)) return null;
  return `The fields of the command must be ${listed.join(', ')}, in order, absent ones null`;
}

/** Whether a command is spelled as trading-api.md has it: that one goes in the envelope alone. */
export function needsEnvelope(commandType: unknown): boolean {
  return typeof commandType === 'string' && LISTED.has(commandType);
}

/** Whether a command is spelled as those are that have no envelope: its older spelling is the enveloped one (rule X2). */
export function refusesEnvelope(commandType: unknown): boolean {
  return typeof commandType === 'string' && commandType.startsWith('V3');
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
