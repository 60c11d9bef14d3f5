// Opens the journal that is configured, and what a node does that loses the right to write it: over PostgreSQL it stops at
// once, before the node that takes over may begin. Leaves the lease itself to the store.

import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import type { EngineLog, JournalHealth } from '../engine/mod.ts';
import { type Journal, makeFolder, openJournal, openPostgresJournal, WITNESS_FILE } from '../store/mod.ts';
import type { EngineConfig } from './gateway-config.ts';
import type { JournalUpkeep } from './journal-upkeep.ts';

/** Leap days included, rounded up: kept a little longer, never shorter. */
const DAYS_PER_YEAR = 366;

/** Reports the loss of the lease once, to callers before or after it. */
export class LeaseLoss {
  /** Resolves with the reason when this node may write no more; never otherwise. */
  readonly lost: Promise<string>;
  private tell: (reason: string) => void = () => {};

  constructor() {
    this.lost = new Promise((resolve) => {
      this.tell = resolve;
    });
  }

  report(reason: string): void {
    this.tell(reason);
  }
}

/** Make the folder of whatever a node keeps. @throws CrossgateError XG_JOURNAL_WRITE_FAILED */
export async function makeStateDirectory(directory: string): Promise<void> {
  try {
    makeFolder(directory);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', `the state folder cannot be made: ${why}`, { cause });
  }
}

/** Open the journal that the configuration names. @throws CrossgateError */
export function openConfiguredJournal(
  config: EngineConfig,
  parts: {
    readonly health: JournalHealth;
    readonly upkeep: JournalUpkeep;
    readonly loss: LeaseLoss;
    readonly log: EngineLog;
    readonly now: () => EpochMs;
    readonly stopped?: AbortSignal;
  },
): Promise<Journal> {
  const { health, upkeep, loss, log, now, stopped } = parts;
  const { journalRetentionYears, postgres } = config;
  const shared = {
    log: (level: 'info' | 'warn', text: string) => log(level, `journal: ${text}`),
    onHealth: (healthy: boolean, reason: string) => health.report('journal', healthy, reason),
    onUpkeep: (reason: string) => upkeep.report(reason),
    witness: join(config.stateDirectory, WITNESS_FILE),
    retentionDays: journalRetentionYears === 0 ? null : journalRetentionYears * DAYS_PER_YEAR,
    now,
  };
  if (postgres === null) {
    return openJournal({
      ...shared,
      directory: join(config.stateDirectory, 'journal'),
      onDamage: 'pass',
      segmentBytes: config.journalSegmentBytes,
      snapshotBytes: config.journalSnapshotBytes,
    });
  }
  return openPostgresJournal({
    ...shared,
    url: postgres.url.read(),
    journal: postgres.journal,
    leaseMs: postgres.leaseMs,
    requestTimeoutMs: postgres.requestTimeoutMs,
    onLost: (reason) => loss.report(reason),
    ...(stopped === undefined ? {} : { stopped }),
  });
}
