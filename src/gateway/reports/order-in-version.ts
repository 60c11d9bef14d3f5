// An order as a session of another FIX version sees it: without values that the stock dictionary of that version lacks
// (rule D1). The report loses no worth by it. session-names.ts has its names.

import { Tag } from '../../wire/mod.ts';
import type { Order } from '../book/order.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import { PARTIES_TAGS } from '../rules/build-order.ts';
import type { FixVersion } from '../vocabulary/fix-version.ts';

/** Side(54) is required: undisclosed. */
const NO_SIDE = '7';

/** The order with the values that the version has. */
export function inVersionOf({ repeats }: FixVersion, order: Order): Order {
  const { echo, terms } = order;
  const { fields } = echo;
  const isKnown = ([tag, value]: readonly [number, string]): boolean =>
    (tag !== Tag.PartyIDSource || repeats.partyIDSources.has(value)) &&
    (tag !== Tag.PartyRole || repeats.partyRoles.has(value)) &&
    (tag !== Tag.PartySubIDType || repeats.partySubIDTypes.has(value));
  // A part of a Parties group would misstate a firm.
  const known = fields.every(isKnown) ? fields : fields.filter(([tag]) => !PARTIES_TAGS.has(tag));
  return { ...order, echo: { ...echo, fields: known }, terms: termsIn(repeats, terms) };
}

function termsIn(repeats: FixVersion['repeats'], terms: OrderTerms): OrderTerms {
  const { side, ordType, execInst, cancelOnLoss, timeInForce, exchangeTimeInForce } = terms;
  const instructions = execInst?.split(' ').filter((one) => repeats.execInsts.has(one)) ?? [];
  const isInForce = timeInForce === null || repeats.timesInForce.has(timeInForce);
  return {
    ...terms,
    side: (repeats.sides.has(side) ? side : NO_SIDE) as OrderTerms['side'],
    // A field without a value is left out: these are the orders that were refused for it.
    ordType: (ordType === 'p' || repeats.ordTypes.has(ordType) ? ordType : '') as OrderTerms['ordType'],
    execInst: instructions.length === 0 ? null : instructions.join(' '),
    cancelOnLoss: cancelOnLoss === true && repeats.execInsts.has('o'),
    // A value with another meaning here by setting (rule T2) has an equivalent in every version.
    timeInForce: isInForce ? timeInForce : exchangeTimeInForce === 'GTX' ? '5' : '',
  };
}
