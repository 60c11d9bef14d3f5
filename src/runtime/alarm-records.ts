// Alarms in the journal, as actions of the gateway: after a restart operators find them there.

import type { EpochMs } from '../base/time.ts';
import type { Alarm } from '../engine/mod.ts';
import type { RunningEngine } from './running-engine.ts';

/** The actor and the action of an alarm in the audit trail. */
export const ALARM_BY = 'gateway';
export const ALARM_ACTION = 'alarm raised';

/** Alarms recorded within a minute; of more, only the log and the console know. */
const ALARMS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

export class AlarmRecords {
  private minute: EpochMs = 0;
  private recorded = 0;

  /** Record an alarm. Not while the journal cannot record, nor of a storm more than a minute's worth. */
  keep({ at, alarm, text, fields }: Alarm, engine: RunningEngine): void {
    // While the engine is built there is nothing that records yet.
    const { dispatcher, commits, journalHealth } = engine as Partial<RunningEngine>;
    if (dispatcher === undefined || commits?.isClosed !== false || journalHealth?.healthy !== true) return;
    if (at - this.minute >= MINUTE_MS || at < this.minute) {
      this.minute = at;
      this.recorded = 0;
    }
    if (++this.recorded > ALARMS_PER_MINUTE) return;
    const detail = JSON.stringify({ alarm, text, fields });
    dispatcher.record({ kind: 'audit', who: ALARM_BY, action: ALARM_ACTION, detail });
  }
}
