// What commands were acknowledged with: an exchange, or something before it, that says one once more says nothing of the command
// on whose connection it does. Those that name what they acknowledge are told apart in outcome.ts already.

import { RecentPrints, TextPrint } from '../../base/recent-prints.ts';
import type { CommandOutcome, ExchangeCommand } from '../../exchange/mod.ts';
import type { HttpResult } from '../reads/http.ts';
import { toOutcome } from './outcome.ts';

/** Acknowledgements remembered: what comes once more comes as the next answer on its connection, of which there are tens. */
const REMEMBERED_MAX = 1_000;

export class Acknowledgements {
  readonly #print = new TextPrint();
  readonly #said = new RecentPrints(REMEMBERED_MAX);

  /** What a result means for its command (rule U1). Each acknowledgement has an id of its own (exchange catalogue, Appendix B). */
  outcome(command: ExchangeCommand, result: HttpResult): CommandOutcome {
    const outcome = toOutcome(command, result);
    if (outcome.kind !== 'accepted' || result.kind !== 'answer') return outcome;
    const isNew = this.#said.take(this.#print.of(result.body));
    return isNew ? outcome : { kind: 'unknown', message: 'HTTP 200 for the command before it, once more' };
  }
}
