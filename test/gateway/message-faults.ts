// Holds what a gateway sends against dictionaries: those of this repository and the stock ones of jspurefix.

import { readFileSync } from 'node:fs';
import {
  DEFAULT_SWITCHES,
  type Dictionary,
  EXCHANGE_MESSAGES,
  EXCHANGE_VALUES,
  loadDictionary,
  Validator,
} from '../../src/dictionary/mod.ts';
import { fromPrintable, type MessageView, viewOf } from '../../src/wire/mod.ts';

/** Folder of the stock dictionaries. */
export const STOCK = 'node_modules/jspurefix/data';

/** A dictionary by its path in the repository. */
export function load(path: string): Dictionary {
  return loadDictionary(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), path);
}

/** A validator of a version with its own dictionary. */
export function plain(path: string): Validator {
  return new Validator(load(path), DEFAULT_SWITCHES);
}

/** A validator of FIXT.1.1 with this dictionary of an application version. */
export function overFixt(path: string): Validator {
  return new Validator({ transport: load('dictionaries/FIXT11.xml'), applications: [load(path)] }, DEFAULT_SWITCHES);
}

/** A validator's parts used by these tests. */
export type Check = Pick<Validator, 'validate'>;

/** Answers to requests that the exchange's own FIX does not have: H, AF and g. */
export function isBeyondExchange(view: MessageView): boolean {
  if (!EXCHANGE_MESSAGES.has(view.msgType)) return true;
  return view.has(335) || (view.msgType === '8' && view.equals(150, 'I'));
}

/**
 * A validator of a `venue` session of FIX.4.4, by the gateway's table; our dictionary checks messages beyond the
 * exchange's own FIX. test/interop/exchange-dictionary.test.ts holds the table to the exchange's file.
 */
export function exchangeFix(): Check {
  const beyond = plain('dictionaries/FIX44.xml');
  const header = new Set([8, 9, 10, 34, 35, 43, 49, 50, 52, 56, 57, 97, 122, 369]);
  return {
    validate(view) {
      const message = EXCHANGE_MESSAGES.get(view.msgType);
      if (message === undefined || isBeyondExchange(view)) {
        // Its y is of another shape than ours.
        return view.msgType === '8' ? null : beyond.validate(view);
      }
      const fault = (refTagID: number, text: string) => ({ sessionRejectReason: 99, refTagID, text });
      for (let i = 0; i < view.fieldCount; i++) {
        const tag = view.tagAt(i);
        if (header.has(tag)) continue;
        if (!message.tags.has(tag)) return fault(tag, `${tag} is not in ${view.msgType} of the exchange`);
        if (EXCHANGE_VALUES.get(tag)?.has(view.stringAt(i)) === false) return fault(tag, `no such value of ${tag}`);
      }
      const missing = message.required.find((tag) => !view.has(tag));
      return missing === undefined ? null : fault(missing, `${missing} is missing`);
    },
  };
}

/** The fault of a gateway's message, as text without a header, or null. */
export function faultIn(text: string, beginString: string, validator: Check, msgSeqNum = 1): string | null {
  const [msgType, ...rest] = text.split('|').filter((part) => part !== '');
  const isHeader = (part: string): boolean => /^(57|128)=/.test(part);
  const head = [msgType, '49=XG', '56=OMS', `34=${msgSeqNum}`, '52=20260105-12:00:00.000', ...rest.filter(isHeader)];
  const body = rest.filter((part) => !isHeader(part));
  const view = viewOf(fromPrintable(`${[...head, ...body].join('|')}|`, beginString));
  return view === null ? 'not a frame' : (validator.validate(view)?.text ?? null);
}
