// The fields of a sample message in three columns: field, value, meaning. Fields of the standard header are left out, but MsgType.

import { pascalCase } from '../../src/dictionary/definition.ts';
import { dictionary } from '../support/dictionary.ts';

const { fields: FIELDS } = dictionary('FIX44.xml');

/** The meaning of each field in the samples, in a few words. */
const MEANING: Readonly<Record<number, string>> = {
  1: 'the account, as the order names it',
  6: 'average price of all fills',
  11: 'ClOrdID of the order, or of the request that is answered',
  14: 'filled so far',
  17: 'identity of this event: drop a report whose ExecID you have',
  31: 'price of this fill',
  32: 'quantity of this fill',
  37: 'the exchange’s order id; `NONE` while there is none',
  38: 'quantity of the order',
  39: 'state of the order',
  40: 'as the order has it',
  41: 'ClOrdID before the request',
  44: 'limit price',
  45: 'MsgSeqNum of your message',
  54: 'as the order has it',
  55: 'as the order has it',
  57: 'SenderSubID(50) of the order',
  58: 'the reason, for people',
  59: 'as the order has it',
  60: 'when it happened at the exchange',
  102: 'the reason, as a number',
  103: 'the reason, as a number',
  136: 'number of fees',
  137: 'the fee',
  138: 'its currency',
  139: 'kind of fee',
  150: 'the event that this report is about',
  151: 'still open; 0 at the end',
  336: 'the auction',
  371: 'the field at fault',
  372: 'type of your message',
  379: 'the id of your message',
  373: 'the reason, as a number',
  378: 'why the exchange changed the order',
  380: 'the reason, as a number',
  381: 'LastQty × LastPx',
  434: 'the request that is refused',
  797: 'this is a copy',
  851: 'whether your order made or took liquidity',
};

const HEADER = [8, 9, 34, 49, 52, 56, 10];

/** @param line a message as the samples show it. @throws Error for a field without a meaning: add it above */
export function fieldTable(line: string): string {
  const fields = line
    .replace(/^[<>] /, '')
    .split('|')
    .filter((field) => field !== '')
    .map((field) => field.split(/=(.*)/s) as [string, string]);
  const rows = fields
    .map(([tag, value]) => [Number(tag), value] as const)
    .filter(([tag]) => !HEADER.includes(tag) && tag !== 35)
    .map(([tag, value]) => {
      const meaning = MEANING[tag];
      if (meaning === undefined) throw new Error(`field ${tag} of a sample has no meaning in field-table.ts`);
      const field = FIELDS.get(tag);
      const said = field?.values?.get(value);
      return `| ${field?.name ?? ''}(${tag}) | \`${value}\`${said === undefined ? '' : ` ${pascalCase(said)}`} | ${meaning} |`;
    });
  return ['| Field | Value | Says |', '|---|---|---|', ...rows].join('\n');
}
