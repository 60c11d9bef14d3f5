// Acknowledgements already seen. If the exchange, or a device before it, repeats one, it says nothing about the command
// on its connection. outcome.ts recognises those that name their command.

import { RecentPrints, TextPrint } from '../../base/collections/recent-prints.ts';
import type { CommandOutcome, ExchangeCommand } from '../../exchange/mod.ts';
import type { HttpResult } from '../reads/http.ts';
import { toOutcome } from './outcome.ts';

/** Acknowledgements remembered. A repetition is the next answer on its connection, and there are tens of connections. */
const REMEMBERED_MAX = 1_000;

export class Acknowledgements {
  readonly #print = new TextPrint();
  readonly #said = new RecentPrints(REMEMBERED_MAX);

  /**
   * Meaning of a result for its command (rule U1). Each acknowledgement has its own id (exchange catalogue, Appendix
   * B).
   */
  outcome(command: ExchangeCommand, result: HttpResult): CommandOutcome {
    const outcome = toOutcome(command, result);
    if (outcome.kind !== 'accepted' || result.kind !== 'answer') return outcome;
    const isNew = this.#said.take(this.#print.of(result.body));
    return isNew ? outcome : { kind: 'unknown', message: 'HTTP 200 for the command before it, once more' };
  }
}
