// Kill switches of the cluster as rows: thrown and lifted by operators at any node, and brought to the partitions by each node.

import { CrossgateError } from '../../base/errors.ts';
import type { KillSwitchRow, Register } from './register.ts';

type Scope = KillSwitchRow['scope'];

/** Whether two names are those of one session, short or whole (`FIX.4.4:OURS->THEIRS`), or of one account. */
export function isSameName(one: string, other: string): boolean {
  return one === other || one.endsWith(`->${other}`) || other.endsWith(`->${one}`);
}

/** @throws CrossgateError XG_JOURNAL_WRITE_FAILED if the database does not answer */
export class SwitchRows {
  readonly #register: Register;

  constructor(register: Register) {
    this.#register = register;
  }

  async throw(scope: string, name: string, why: string, who: string): Promise<void> {
    await this.#register.throwSwitch(scopeOf(scope), await this.#known(scope, name), why, who);
  }

  async lift(scope: string, name: string, why: string, who: string): Promise<void> {
    await this.#register.liftSwitch(scopeOf(scope), await this.#known(scope, name), why, who);
  }

  /** The name under which a row has it. */
  async #known(scope: string, name: string): Promise<string> {
    const { killSwitches } = await this.#register.read();
    return killSwitches.find((row) => row.isOn && row.scope === scope && isSameName(row.name, name))?.name ?? name;
  }
}

function scopeOf(scope: string): Scope {
  if (scope === 'session' || scope === 'account' || scope === 'all') return scope;
  throw new CrossgateError('XG_USAGE', `${scope} is no scope of a kill switch`);
}
