// The application version of a FIXT.1.1 session, by its Logon and the header of a message. One that was not agreed on
// is refused, for its fields may mean something else. Extension packs (1156, 1406, 1407) are no versions: they only add
// to one, and their additions are refused where used.

import { type ValidationFault, versionOfApplVerID } from '../../dictionary/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionConfig } from '../config.ts';
import type { SessionCore } from '../core.ts';
import { unsupportedApplVerID } from '../messages/reject.ts';

/** ApplVerID(1128) or CstmApplVerID(1129) of a message, where the session speaks no such version (rule S5: reason 18). */
export function applVerIDFault(core: SessionCore, view: MessageView): ValidationFault | null {
  if (view.has(Tag.ApplVerID) && !isSpoken(core, view)) {
    const text = `ApplVerID(1128)=${view.string(Tag.ApplVerID)} is not the version of this session`;
    return unsupportedApplVerID(Tag.ApplVerID, text);
  }
  const custom = customVersionProblem(core, view.string(Tag.CstmApplVerID), 'CstmApplVerID');
  return custom === null ? null : unsupportedApplVerID(Tag.CstmApplVerID, custom);
}

/** One without a value names no version: that is the validator's to say. */
function isSpoken({ config, defaultApplVerID }: SessionCore, view: MessageView): boolean {
  const isIt = (applVerID: string): boolean => view.equals(Tag.ApplVerID, applVerID);
  return isIt(defaultApplVerID) || isIt('') || config.applVerIDs?.some(isIt) === true;
}

/** Whether a Logon's DefaultApplVerID(1137) is one that the session takes beside its own. */
export function takesDefaultApplVerID({ otherDefaultApplVerIDs }: SessionConfig, view: MessageView): boolean {
  return otherDefaultApplVerIDs?.includes(view.string(Tag.DefaultApplVerID) ?? '') === true;
}

/** Why the application version of a Logon is refused, or null. */
export function applVerIDProblem(core: SessionCore, view: MessageView): string | null {
  const applVerID = view.string(Tag.DefaultApplVerID) ?? '';
  const expected = core.defaultApplVerID;
  if (applVerID !== expected && !takesDefaultApplVerID(core.config, view)) {
    const name = versionOfApplVerID(expected);
    return `DefaultApplVerID(1137)=${applVerID} is not spoken here, only ${expected} (${name})`;
  }
  return (
    customVersionProblem(core, view.string(Tag.DefaultCstmApplVerID), 'DefaultCstmApplVerID') ??
    typeDefaultProblem(core, view)
  );
}

/** The version that is to be the default of one message type (DefaultVerIndicator(1410)=Y); others in the list are on offer only. */
function typeDefaultProblem(core: SessionCore, view: MessageView): string | null {
  for (const one of view.groupEntries(Tag.NoMsgTypes) ?? []) {
    if (one.boolean(Tag.DefaultVerIndicator) !== true) continue;
    const which = `as the default of RefMsgType(372)=${one.string(Tag.RefMsgType) ?? ''}`;
    const applVerID = one.string(Tag.RefApplVerID) ?? core.defaultApplVerID;
    if (applVerID !== core.defaultApplVerID) return `RefApplVerID(1130)=${applVerID} ${which} ${NOT_AGREED}`;
    const custom = customVersionProblem(core, one.string(Tag.RefCstmApplVerID), 'RefCstmApplVerID', `${which} `);
    if (custom !== null) return custom;
  }
  return null;
}

const NOT_AGREED = 'is not agreed on for this session';

/** A house's own version is agreed on by a dictionary that lists it as a value of the field. */
function customVersionProblem(
  { validator }: SessionCore,
  version: string | null,
  name: 'CstmApplVerID' | 'DefaultCstmApplVerID' | 'RefCstmApplVerID',
  which = '',
): string | null {
  if (version === null || version === '' || validator.lists?.(Tag[name], version) === true) return null;
  return `${name}(${Tag[name]})=${version} ${which}${NOT_AGREED}`;
}
