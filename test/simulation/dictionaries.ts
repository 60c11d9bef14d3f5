// The dictionaries of every message of a simulated day: ours for an OMS's messages, the standard's for ours, without
// any extension (rule D1).

import { readFileSync } from 'node:fs';
import { loadDictionary, type ValidationFault, Validator } from '../../src/dictionary/mod.ts';
import { type MessageView, MsgType } from '../../src/wire/mod.ts';

function load(path: string): Validator {
  const url = new URL(`../../${path}`, import.meta.url);
  return new Validator(loadDictionary(readFileSync(url, 'utf8'), path));
}

const OURS: Readonly<Record<string, Validator>> = {
  'FIX.4.2': load('dictionaries/FIX42.xml'),
  'FIX.4.4': load('dictionaries/FIX44.xml'),
};
const STOCK: Readonly<Record<string, Validator>> = {
  'FIX.4.2': load('node_modules/jspurefix/data/FIX42.xml'),
  'FIX.4.4': load('node_modules/jspurefix/data/FIX44.xml'),
};
/** A Logon's fields here are agreed; the stock ones are about reports and answers. */
const OF_ORDERS: ReadonlySet<string> = new Set([
  MsgType.ExecutionReport,
  MsgType.OrderCancelReject,
  MsgType.OrderMassCancelReport,
  MsgType.ListStatus,
]);

export function validatorOf(beginString: string): Validator {
  return OURS[beginString]!;
}

/** The stock dictionary's objection to a message of ours, or null. */
export function faultOf(view: MessageView): ValidationFault | null {
  const validators = OF_ORDERS.has(view.msgType) ? STOCK : OURS;
  return validators[view.beginString]!.validate(view);
}
