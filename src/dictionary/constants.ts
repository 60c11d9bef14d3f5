// The source text of the constants in the wire room (Tag, MsgType, enumerations), made from the dictionaries.
// Leaves writing it to test/support/generated.ts; a test there says when the checked-in text is stale.

import { type Dictionary, pascalCase } from './definition.ts';

/** Enumerated fields with values that the rooms above name. */
const ENUMERATIONS = [
  'ApplReportType',
  'ApplReqType',
  'ApplResponseError',
  'ApplResponseType',
  'ApplVerID',
  'BidType',
  'BusinessRejectReason',
  'CashMargin',
  'ContingencyType',
  'CxlRejReason',
  'CxlRejResponseTo',
  'DKReason',
  'EncryptMethod',
  'ExecInst',
  'ExecRestatementReason',
  'ExecTransType',
  'ExecType',
  'HandlInst',
  'LastLiquidityInd',
  'ListExecInstType',
  'ListOrderStatus',
  'ListRejectReason',
  'ListStatusType',
  'MassCancelRejectReason',
  'MassCancelRequestType',
  'MassCancelResponse',
  'MassStatusReqType',
  'MatchType',
  'MDBookType',
  'MDEntryType',
  'MDReqRejReason',
  'MDUpdateAction',
  'MDUpdateType',
  'MiscFeeType',
  'MsgDirection',
  'OrdRejReason',
  'OrdStatus',
  'OrdType',
  'PartyIDSource',
  'PartyRole',
  'SecurityIDSource',
  'SecurityListRequestType',
  'SecurityRequestResult',
  'SecurityRequestType',
  'SecurityResponseType',
  'SecurityTradingStatus',
  'SessionRejectReason',
  'SessionStatus',
  'Side',
  'SubscriptionRequestType',
  'TimeInForce',
  'TradeCondition',
  'TradSesEvent',
  'TradSesStatus',
  'UserRequestType',
  'UserStatus',
] as const;

const GENERATED = '// Generated from dictionaries/ by test/support/generated.ts: change them there, not here.';

/**
 * Render the three constant files, file name in src/wire → text. The first dictionary wins where two name a number
 * differently.
 */
export function renderConstants(dictionaries: readonly Dictionary[]): Map<string, string> {
  const tags = new Map<string, number>();
  const msgTypes = new Map<string, string>();
  for (const dictionary of dictionaries) {
    for (const field of dictionary.fields.values()) if (!tags.has(field.name)) tags.set(field.name, field.tag);
    const listed = [...(dictionary.fields.get(35)?.values?.keys() ?? []), ...dictionary.messages.keys()];
    for (const msgType of listed) {
      const name = dictionary.messageName(msgType)!;
      if (!msgTypes.has(name)) msgTypes.set(name, msgType);
    }
  }
  const tagLines = [...tags].sort((a, b) => a[1] - b[1]).map(([name, tag]) => `  ${name}: ${tag},`);
  const msgTypeLines = [...msgTypes].map(([name, msgType]) => `  ${name}: '${msgType}',`);
  return new Map([
    [
      'tag.ts',
      `${GENERATED}\n\n/** Tag numbers by FIX field name, the exchange's own tags included. */\nexport const Tag = {\n${tagLines.join('\n')}\n} as const;\n`,
    ],
    [
      'msg-type.ts',
      `${GENERATED}\n\n/** Values of MsgType(35) by message name, every standard one. */\nexport const MsgType = {\n${msgTypeLines.join('\n')}\n} as const;\n`,
    ],
    ['enumerations.ts', `${GENERATED}\n${ENUMERATIONS.map((name) => renderEnumeration(name, dictionaries)).join('')}`],
  ]);
}

function renderEnumeration(name: string, dictionaries: readonly Dictionary[]): string {
  const values = new Map<string, string>();
  let tag = 0;
  for (const dictionary of dictionaries) {
    const found = dictionary.tagOf(name);
    if (found === null) continue;
    tag = found;
    for (const [value, description] of dictionary.fields.get(found)!.values ?? []) {
      const key = pascalCase(description);
      if (!values.has(key)) values.set(key, value);
    }
  }
  const lines = [...values].map(([key, value]) => `  ${key}: '${value}',`);
  return `\n/** Values of ${name}(${tag}). */\nexport const ${name} = {\n${lines.join('\n')}\n} as const;\n`;
}
