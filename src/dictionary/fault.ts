// The fault of a message as a value, named by its answer: Reject(3) with SessionRejectReason(373). Constructors carry
// the reason's name. The session sends the answer.

import { SessionRejectReason } from '../wire/mod.ts';

export interface ValidationFault {
  /** SessionRejectReason(373) as FIX.4.4 numbers them; see {@link sessionRejectReasonIn} for older versions. */
  readonly sessionRejectReason: number;
  readonly refTagID: number | null;
  readonly text: string;
}

function fault(reason: string, refTagID: number | null, text: string): ValidationFault {
  return { sessionRejectReason: Number(reason), refTagID, text };
}

const named = (name: string, tag: number): string => (name === '' ? `tag ${tag}` : `${name}(${tag})`);

export function invalidTagNumber(tag: number): ValidationFault {
  const text = `Invalid tag number: ${tag} is not in the dictionary of this session`;
  return fault(SessionRejectReason.InvalidTagNumber, tag, text);
}

/** A field that no tag begins. RefTagID(371) names a whole number that no tag is, such as `0=` or `-1=`. */
export function malformedTag(field: string): ValidationFault {
  const written = /^(0|-[1-9]\d{0,8})=/.exec(field)?.[1];
  const text = 'Invalid tag number: a field does not begin with tag and =';
  return fault(SessionRejectReason.InvalidTagNumber, written === undefined ? null : Number(written), text);
}

export function undefinedTag(tag: number): ValidationFault {
  return fault(SessionRejectReason.UndefinedTag, tag, `Undefined tag: ${tag} is not agreed between us`);
}

export function requiredTagMissing(tag: number, name: string): ValidationFault {
  return fault(SessionRejectReason.RequiredTagMissing, tag, `Required tag missing: ${named(name, tag)}`);
}

export function tagNotDefinedForThisMessageType(tag: number, name: string): ValidationFault {
  const text = `Tag not defined for this message type: ${named(name, tag)}`;
  return fault(SessionRejectReason.TagNotDefinedForThisMessageType, tag, text);
}

export function tagSpecifiedWithoutAValue(tag: number, name: string): ValidationFault {
  const text = `Tag specified without a value: ${named(name, tag)}`;
  return fault(SessionRejectReason.TagSpecifiedWithoutAValue, tag, text);
}

export function valueIsIncorrect(tag: number, name: string): ValidationFault {
  const text = `Value is incorrect (out of range) for this tag: ${named(name, tag)}`;
  return fault(SessionRejectReason.ValueIsIncorrect, tag, text);
}

export function incorrectDataFormat(tag: number, name: string): ValidationFault {
  const text = `Incorrect data format for value: ${named(name, tag)}`;
  return fault(SessionRejectReason.IncorrectDataFormatForValue, tag, text);
}

export function invalidMsgType(): ValidationFault {
  return fault(SessionRejectReason.InvalidMsgType, 35, 'Invalid MsgType(35): not a type of this FIX version');
}

export function tagAppearsMoreThanOnce(tag: number, name: string): ValidationFault {
  const text = `Tag appears more than once: ${named(name, tag)}`;
  return fault(SessionRejectReason.TagAppearsMoreThanOnce, tag, text);
}

export function tagOutOfRequiredOrder(tag: number, name: string): ValidationFault {
  const text = `Tag specified out of required order (header, body, trailer): ${named(name, tag)}`;
  return fault(SessionRejectReason.TagSpecifiedOutOfRequiredOrder, tag, text);
}

/** A field as a fault names it. */
interface NamedTag {
  readonly tag: number;
  readonly name: string;
}

/** Data that its Length field does not stand right before: `isElsewhere` says whether the message has one. */
export function lengthNotBeforeData(data: NamedTag, length: NamedTag, isElsewhere: boolean): ValidationFault {
  const [dataField, lengthField] = [named(data.name, data.tag), named(length.name, length.tag)];
  if (!isElsewhere) {
    const text = `Required tag missing: ${lengthField}, right before ${dataField}`;
    return fault(SessionRejectReason.RequiredTagMissing, length.tag, text);
  }
  const text = `Tag specified out of required order: ${dataField} does not stand right behind ${lengthField}`;
  return fault(SessionRejectReason.TagSpecifiedOutOfRequiredOrder, data.tag, text);
}

export function groupFieldsOutOfOrder(tag: number, name: string): ValidationFault {
  const text = `Repeating group fields out of order: ${named(name, tag)}`;
  return fault(SessionRejectReason.RepeatingGroupFieldsOutOfOrder, tag, text);
}

export function incorrectNumInGroup(tag: number, name: string): ValidationFault {
  const text = `Incorrect NumInGroup count for repeating group: ${named(name, tag)}`;
  return fault(SessionRejectReason.IncorrectNumInGroupCount, tag, text);
}

/**
 * The SessionRejectReason(373) to send in a version, or null where the version has no such number and 373 is left out:
 * the field exists from FIX.4.2, 12–17 from FIX.4.3, 99 from FIX.4.4 (rule S5).
 */
export function sessionRejectReasonIn(beginString: string, reason: number): number | null {
  if (beginString === 'FIX.4.0' || beginString === 'FIX.4.1') return null;
  if (beginString === 'FIX.4.2') return reason <= 11 ? reason : null;
  if (beginString === 'FIX.4.3') return reason <= 17 ? reason : null;
  return reason;
}
