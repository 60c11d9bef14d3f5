// Parts that many orders share, held once: names of sessions, accounts, logins and symbols, and echoed fields. Leaves
// to order.ts which parts an order has.

import type { OrderEcho } from './order.ts';

/** Parts held at once; beyond it all are let go, and orders that come later share new ones. */
const PARTS_MAX = 10_000;

export class SharedParts {
  private readonly texts = new Map<string, string>();
  private readonly echoes = new Map<string, OrderEcho>();

  /** The one text that all orders with an equal one have. */
  text(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    if (this.texts.size >= PARTS_MAX) this.texts.clear();
    this.texts.set(text, text);
    return text;
  }

  /** The one object that all orders with equal contents have. */
  echo(echo: OrderEcho): OrderEcho {
    const { account, senderSubID, onBehalfOfCompID, onBehalfOfSubID, fields } = echo;
    // No field holds a SOH. A text that is absent is not an empty one.
    let key = `${account}\u0001${senderSubID ?? '\u0002'}\u0001${onBehalfOfCompID ?? '\u0002'}\u0001${onBehalfOfSubID ?? '\u0002'}`;
    for (const [tag, value] of fields) key += `\u0001${tag}=${value}`;
    const known = this.echoes.get(key);
    if (known !== undefined) return known;
    if (this.echoes.size >= PARTS_MAX) this.echoes.clear();
    const shared = { ...echo, account: this.text(account) };
    this.echoes.set(key, shared);
    return shared;
  }
}
