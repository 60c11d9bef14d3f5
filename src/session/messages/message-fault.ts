// Faults of a message by header, application version and dictionary, and of NewSeqNo(36) by the session's limit.

import type { EpochMs } from '../../base/time.ts';
import type { ValidationFault } from '../../dictionary/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { applVerIDFault } from '../logon/application-version.ts';
import { headerFault, missingCompID } from './header.ts';
import { incorrectDataFormat, requiredTagMissing, valueIsIncorrect } from './reject.ts';

/** The first fault of a message, or null. */
export function faultOf(core: SessionCore, view: MessageView, sendingTime: EpochMs | null): ValidationFault | null {
  return (
    headerFault(view, sendingTime) ??
    (core.version.applVerID ? applVerIDFault(core, view) : null) ??
    (core.config.validateIncoming ? core.validator.validate(view) : missingCompID(view))
  );
}

/** NewSeqNo(36) of a SequenceReset(4), or the fault: one beyond the session's limit would end the series at once. */
export function newSeqNoOf(core: SessionCore, view: MessageView): number | ValidationFault {
  const newSeqNo = view.int(Tag.NewSeqNo);
  const { seqNumMax } = core.config;
  if (newSeqNo === null) return requiredTagMissing(Tag.NewSeqNo, 'NewSeqNo');
  if (Number.isNaN(newSeqNo)) return incorrectDataFormat(Tag.NewSeqNo, 'NewSeqNo');
  if (newSeqNo > seqNumMax) {
    return valueIsIncorrect(
      Tag.NewSeqNo,
      `Value is incorrect: NewSeqNo(36)=${newSeqNo} is above the limit ${seqNumMax}`,
    );
  }
  if (newSeqNo >= 1) return newSeqNo;
  return valueIsIncorrect(Tag.NewSeqNo, `Value is incorrect: NewSeqNo(36)=${newSeqNo}, numbers begin at 1`);
}
