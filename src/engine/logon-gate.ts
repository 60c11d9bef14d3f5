// Who may log on as far as the journal is concerned (rule J3): a session is let in once its accounts were compared with the
// exchange, and nobody is while the exchange has references of ours that the journal does not have. Leaves the comparison to
// exchange-link.ts, what was found to the gateway machine, and how a refused Logon is answered to fix-acceptor.ts.

import type { Gateway } from '../gateway/mod.ts';
import type { SessionID } from '../session/mod.ts';
import type { EngineSessionConfig } from './config.ts';

export interface LogonGateOptions {
  readonly gateway: Pick<Gateway, 'isReconciled' | 'strayReferences'>;
  readonly sessions: ReadonlyMap<SessionID, EngineSessionConfig>;
}

export class LogonGate {
  private readonly options: LogonGateOptions;

  constructor(options: LogonGateOptions) {
    this.options = options;
  }

  /** Why no session may log on, in words for operators; null if the journal is as new as the exchange as far as is known. */
  get heldFor(): string | null {
    const strays = this.options.gateway.strayReferences();
    if (strays.length === 0) return null;
    const found = strays.map(
      ({ tradingAccountId, count, highest }) => `${count} on ${tradingAccountId} up to ${highest}`,
    );
    return `the exchange has references of this gateway that its journal does not have (${found.join(', ')})`;
  }

  /** Why this session may not log on now, in words for its counterparty; null if it may. */
  refusal(sessionId: SessionID): string | null {
    if (this.heldFor !== null) {
      return 'No Logon is accepted: the journal of this gateway is older than the exchange, an operator has to open it';
    }
    const accounts = this.options.sessions.get(sessionId)?.gateway.accounts ?? [];
    const open = accounts.find(({ tradingAccountId }) => !this.options.gateway.isReconciled(tradingAccountId));
    if (open === undefined) return null;
    return `No Logon is accepted yet: account ${open.account} is not compared with the exchange; try again`;
  }
}
