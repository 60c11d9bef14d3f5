// Decides logons by the state of the journal (rule J3). A session is admitted once its accounts were compared with the
// exchange. No session is admitted while the exchange has references of ours that the journal lacks. If the journal is
// damaged in the middle, references that may have been there keep out only the sessions of their account.
// exchange-link.ts compares, the gateway machine has the findings, acceptor.ts answers a refused Logon.

import type { LogonRefusal } from '../../engine/mod.ts';
import type { Gateway, StrayReferences } from '../../gateway/mod.ts';
import type { SessionID } from '../../session/mod.ts';
import type { EngineSessionConfig } from '../gateway-config.ts';
import type { Interruptions } from '../interruptions.ts';
import type { DamageGate } from './damage-gate.ts';

export interface LogonGateOptions {
  readonly gateway: Pick<Gateway, 'isReconciled' | 'strayReferences'>;
  readonly sessions: ReadonlyMap<SessionID, EngineSessionConfig>;
  /** The session that a Logon would make (template-sessions.ts), or null. */
  readonly newcomer: (sessionId: SessionID) => EngineSessionConfig | null;
  readonly damage: DamageGate;
  readonly interruptions: Pick<Interruptions, 'keptOut' | 'keptOutFor'>;
}

export class LogonGate {
  private readonly options: LogonGateOptions;

  constructor(options: LogonGateOptions) {
    this.options = options;
  }

  /** Why no session may log on, in words for operators; null if the journal is as new as the exchange as far as is known. */
  get heldFor(): string | null {
    const strays = this.strays().filter((stray) => !this.isOfDamage(stray));
    return strays.length === 0
      ? null
      : `the exchange has references of this gateway that its journal does not have (${inWords(strays)})`;
  }

  /** Why some sessions may not log on, in words for operators: damage, and what the exchange has of it. */
  get partlyHeldFor(): string[] {
    const reasons = this.options.damage.inWords(this.options.sessions.keys());
    for (const sessionId of this.options.interruptions.keptOut) {
      reasons.push(`no Logon of ${sessionId} is accepted: ${this.options.interruptions.keptOutFor(sessionId)}`);
    }
    const strays = this.strays().filter((stray) => this.isOfDamage(stray));
    if (strays.length > 0) {
      reasons.push(
        `the exchange has references that may stand in the damaged part of the journal (${inWords(strays)}); ` +
          'no Logon is accepted of sessions of these accounts: `crossgate sessions open`',
      );
    }
    return reasons;
  }

  /** Why this session may not log on now; null if it may. */
  refusal(sessionId: SessionID): LogonRefusal | null {
    const held = this.heldUntilOpened(sessionId);
    if (held !== null) return { text: held, passes: false };
    const open = this.accountsOf(sessionId).find(
      ({ tradingAccountId }) => !this.options.gateway.isReconciled(tradingAccountId),
    );
    if (open === undefined) return null;
    const text = `No Logon is accepted yet: account ${open.account} is not compared with the exchange; try again`;
    return { text, passes: true };
  }

  /** Why this session stays out until an operator opens it, in words for operators; null if nothing of the kind holds. */
  keptOutFor(sessionId: SessionID): string | null {
    if (this.heldFor !== null) return `${this.heldFor}: \`crossgate sessions open\``;
    const damage = this.options.damage.concerning(sessionId);
    if (damage !== null && this.options.damage.isPartOfImport(sessionId)) return damage;
    if (damage !== null) {
      const opens = this.options.damage.isOfAll
        ? 'start the version that wrote it, or compare all accounts with the exchange and run `crossgate sessions open`'
        : `${this.options.damage.remedyOf(sessionId)}, or agree on the numbers and run \`crossgate sessions open NAME\``;
      return `records of it, or reports that it still had to get, may be lost (${damage}): ${opens}`;
    }
    const interrupted = this.options.interruptions.keptOutFor(sessionId);
    if (interrupted !== null)
      return `${interrupted}: \`crossgate sessions open NAME\`, best of a version that has the bug mended`;
    const lost = this.accountWithStrays(sessionId);
    if (lost === null) return null;
    return `account ${lost} has orders at the exchange that this gateway lost: \`crossgate sessions open\``;
  }

  /** A state that only an operator ends. */
  private heldUntilOpened(sessionId: SessionID): string | null {
    if (this.heldFor !== null) {
      return 'No Logon is accepted: the journal of this gateway is older than the exchange, an operator has to open it';
    }
    if (this.options.damage.isPartOfImport(sessionId)) {
      return 'No Logon is accepted: the numbers of this session are not whole at this gateway, an operator has to open it';
    }
    if (this.options.damage.concerning(sessionId) !== null) {
      return 'No Logon is accepted: records of this session may be damaged at this gateway, an operator has to open it';
    }
    if (this.options.interruptions.keptOutFor(sessionId) !== null) {
      return 'No Logon is accepted: messages of this session ended the gateway repeatedly, an operator has to open it';
    }
    const lost = this.accountWithStrays(sessionId);
    if (lost === null) return null;
    return `No Logon is accepted: account ${lost} has orders that this gateway lost, an operator has to open it`;
  }

  private accountWithStrays(sessionId: SessionID): string | null {
    const strays = this.strays();
    const lost = this.accountsOf(sessionId).find((one) =>
      strays.some((stray) => stray.tradingAccountId === one.tradingAccountId),
    );
    return lost?.account ?? null;
  }

  private accountsOf(sessionId: SessionID): EngineSessionConfig['gateway']['accounts'] {
    const { sessions, newcomer } = this.options;
    return (sessions.get(sessionId) ?? newcomer(sessionId))?.gateway.accounts ?? [];
  }

  private strays(): readonly StrayReferences[] {
    return this.options.gateway.strayReferences();
  }

  /** Whether references that the journal lacks may have been recorded where it is damaged: none is newer than the journal. */
  private isOfDamage({ isNewer }: StrayReferences): boolean {
    return this.options.damage.lostBytes > 0 && !isNewer;
  }
}

function inWords(strays: readonly StrayReferences[]): string {
  return strays
    .map(({ tradingAccountId, count, highest }) => `${count} on ${tradingAccountId} up to ${highest}`)
    .join(', ');
}
