// One pass over a message that says whether its dictionary allows it, and if not, which Reject(3) answers it.
// Leaves conditionally required fields and supported values to the gateway (rule D13), the session's own checks
// (CompIDs, sequence, times) to the session.

import { type DataFields, type MessageDraft, type MessageView, Tag } from '../wire/mod.ts';
import { dataFieldsOf } from './data-pairs.ts';
import type { Dictionary } from './definition.ts';
import type { ValidationFault } from './fault.ts';
import * as faults from './fault.ts';
import { Entry, type Layout, Section, Tables } from './layout.ts';
import { QuickPass } from './quick-pass.ts';
import { firstDoubtful } from './quick-values.ts';
import { firstMissing, RequiredFields } from './required-fields.ts';
import { addsToEnumeration, Format, isWellFormed } from './value-format.ts';

/** First tag of the range that users define among themselves (FIX 4.4 vol. 1, "User defined fields"). */
const USER_DEFINED_TAG_MIN = 5000;
const MSG_TYPE_INDEX = 2;
const APPL_VER_ID_TAG = 1128;

/** Checks that can be switched, named and defaulted as QuickFIX has them. */
export interface ValidatorSwitches {
  /** Check messages at all. Default true. */
  readonly validateIncomingMessage: boolean;
  /** Header before body before trailer, and the length of data right before it (373=14, 373=1). Default true. */
  readonly validateFieldsOutOfOrder: boolean;
  /** Fields of the header that may stand in the body too. Default none. */
  readonly headerFieldsInBody: readonly number[];
  /** A tag must have a value (373=4). Default true. */
  readonly validateFieldsHaveValues: boolean;
  /** Tags from 5000 must be in the dictionary (373=3) and in the message (373=2). Default true. */
  readonly validateUserDefinedFields: boolean;
  /** SessionRejectReason(373) of a tag from 5000 on that no dictionary has: 3 Undefined tag, or 0 Invalid tag number. Default `3`. */
  readonly unknownTagReason: '3' | '0';
  /** Fields of a group entry stand in the dictionary's order (373=15). Default true. */
  readonly validateUnorderedGroupFields: boolean;
  /** Tags below 5000 that the message or the version does not have pass. Default false (373=2, 373=0). */
  readonly allowUnknownMsgFields: boolean;
}

export const DEFAULT_SWITCHES: ValidatorSwitches = {
  validateIncomingMessage: true,
  validateFieldsOutOfOrder: true,
  headerFieldsInBody: [],
  validateFieldsHaveValues: true,
  validateUserDefinedFields: true,
  unknownTagReason: '3',
  validateUnorderedGroupFields: true,
  allowUnknownMsgFields: false,
};

/** Dictionaries of a FIXT.1.1 session: the transport's, and the application versions spoken on it, the default first. */
export interface DictionarySet {
  readonly transport: Dictionary;
  readonly applications: readonly [Dictionary, ...Dictionary[]];
}

/** Validates messages against one dictionary or a set. Reusable and stateless between messages; makes nothing on the good path. */
export class Validator {
  /** The fields that may hold SOH, by the dictionaries, for indexing frames of the same session. */
  readonly dataFields: DataFields;
  private readonly dictionaries: readonly Dictionary[];
  private readonly switches: ValidatorSwitches;
  private readonly tables: Tables;
  private readonly tablesByApplVerID = new Map<string, Tables>();
  private readonly hasSeveral: boolean;
  private readonly requiredFields = new Map<Tables, RequiredFields>();
  private readonly pass: QuickPass;
  private fault: ValidationFault | null = null;
  /** Indexes of the fields of the present message that open groups. */
  private readonly openers: number[] = [];
  /** The message, and the groups around the present one, the innermost last. */
  private readonly around: Layout[] = [];
  /** The field at which the present fault of order was found. */
  private faultAt = 0;

  constructor(dictionaries: Dictionary | DictionarySet, switches: Partial<ValidatorSwitches> = {}) {
    this.switches = { ...DEFAULT_SWITCHES, ...switches };
    const all = 'transport' in dictionaries ? [dictionaries.transport, ...dictionaries.applications] : [dictionaries];
    this.dictionaries = all;
    this.dataFields = dataFieldsOf(all, !this.switches.validateUnorderedGroupFields);
    if ('transport' in dictionaries) {
      for (const application of dictionaries.applications) {
        const tables = new Tables(dictionaries.transport, application, this.dataFields);
        if (application.applVerID !== null) this.tablesByApplVerID.set(application.applVerID, tables);
      }
      this.tables = this.tablesByApplVerID.values().next().value!;
    } else this.tables = new Tables(dictionaries, dictionaries, this.dataFields);
    this.hasSeveral = this.tablesByApplVerID.size > 1;
    const sizes = [this.tables, ...this.tablesByApplVerID.values()].map((tables) => tables.names.length);
    this.pass = new QuickPass(Math.max(...sizes));
  }

  /**
   * Check a message; null if its dictionary allows it. A MsgType that the version lists but the dictionary does not
   * define has only its header checked: answering 380=3 is the gateway's matter.
   */
  validate(view: MessageView): ValidationFault | null {
    if (!this.switches.validateIncomingMessage) return null;
    const tables = this.hasSeveral ? this.tablesFor(view.string(APPL_VER_ID_TAG)) : this.tables;
    const key = tables.keyOfBytes(view.buffer, view.starts[MSG_TYPE_INDEX]!, view.ends[MSG_TYPE_INDEX]!);
    const layout = tables.message(key);
    if (layout === null && !tables.isListed(key)) return faults.invalidMsgType();
    this.fault = null;
    let misplaced: ValidationFault | null = null;
    if (layout?.shape.fits(view) === true) {
      const values = layout.shape.apply(view, tables, this.dataFields.outline);
      if (values.arePlain(view) && this.areGood(view, tables, values.others)) return null;
      this.faultAt = view.fieldCount;
    } else misplaced = this.walk(view, tables, layout ?? tables.bare, layout !== null);
    // Of several faults, the first on the wire is answered: a wrong value before a field that is out of place.
    return this.wrongValue(view, tables, layout !== null, this.faultAt) ?? misplaced;
  }

  /** The first required field that a message of ours lacks, in words; null if it lacks none. The header is the session's. */
  missingIn(draft: MessageDraft): string | null {
    const applVerID = this.hasSeveral ? draft.headerFields.find(([tag]) => tag === APPL_VER_ID_TAG)?.[1] : null;
    const tables = this.tablesFor(applVerID ?? null);
    let required = this.requiredFields.get(tables);
    if (required === undefined) {
      required = new RequiredFields(tables);
      this.requiredFields.set(tables, required);
    }
    const missing = required.missingIn(draft);
    if (missing === null) return null;
    const { msgType } = draft;
    const name = this.dictionaries.map((each) => each.messageName(msgType)).find((each) => each !== null);
    return `${name ?? 'message'}(${msgType}) ${missing}`;
  }

  /** Whether a dictionary enumerates this field, and allows the value. */
  lists(tag: number, value: string): boolean {
    return this.dictionaries.some(({ fields }) => {
      const { values = null, open = false } = fields.get(tag) ?? {};
      return values !== null && (open || values.has(value));
    });
  }

  /** True if all fields stand where they may, with any values. `defined` is true if the message type is known. */
  private walk(view: MessageView, tables: Tables, layout: Layout, defined: boolean): ValidationFault | null {
    const { pass } = this;
    const { fieldCount } = view;
    // A view that was framed for another dictionary, or for none: its groups are those of this one.
    if (view.dataFields !== this.dataFields) view.outlineAs(this.dataFields.outline?.depthsOf(view) ?? null);
    pass.beginMessage();
    this.openers.length = 0;
    for (let i = 0; ; i++) {
      i = pass.fields(view, tables, layout, i);
      if (i >= fieldCount) break;
      i = this.lookCloser(view, tables, layout, defined, i);
      if (this.fault !== null) return this.fault;
    }
    this.faultAt = fieldCount;
    if (pass.required !== layout.requiredCount) return missing(tables, layout, pass.seen, pass.message);
    if (!defined) return null;
    if (layout.shape.learn(view, this.openers)) layout.shape.outline(view, this.dataFields.outline);
    return null;
  }

  /**
   * Fault of the first field before `end` with a wrong value. For an undefined message type only the header is checked.
   */
  private wrongValue(view: MessageView, tables: Tables, defined: boolean, end: number): ValidationFault | null {
    for (let i = firstDoubtful(view, tables, 0, end); i < end; ) {
      const ordinal = tables.ordinal(view.tagAt(i));
      const counts = defined || tables.framing[ordinal] !== 0;
      if (counts && !this.valueIsGood(view, tables, ordinal, i)) return this.fault;
      i = firstDoubtful(view, tables, i + 1, end);
    }
    return null;
  }

  /** Whether the values of these fields are good. */
  private areGood(view: MessageView, tables: Tables, fields: readonly number[]): boolean {
    return fields.length === 0 || fields.every((i) => this.valueIsGood(view, tables, tables.ordinal(view.tagAt(i)), i));
  }

  /** Judge field `i`, which stands outside groups, and the group that it opens; returns the last field passed. */
  private lookCloser(view: MessageView, tables: Tables, layout: Layout, defined: boolean, i: number): number {
    const { pass } = this;
    const tag = view.tagAt(i);
    const ordinal = tables.ordinal(tag);
    this.faultAt = i;
    if (ordinal === 0) {
      // Of a type that is not defined here, the body is not known: its tags and groups are the gateway's matter.
      if (!defined || this.foreignTagPasses(tag)) return i;
      this.fault = this.foreignFault(view, tables, i);
      return i;
    }
    const section = tables.section[ordinal]!;
    const unchecked = !defined && section === Section.Body;
    if (pass.seen[ordinal] === pass.message && !unchecked) {
      this.fault = faults.tagAppearsMoreThanOnce(tag, tables.names[ordinal]!);
      return i;
    }
    pass.seen[ordinal] = pass.message;
    if (section >= pass.section) pass.section = section;
    else if (this.switches.validateFieldsOutOfOrder && !this.switches.headerFieldsInBody.includes(tag)) {
      this.fault = faults.tagOutOfRequiredOrder(tag, tables.names[ordinal]!);
      return i;
    }
    if (unchecked) return i;
    const entry = layout.entries[ordinal]!;
    if (entry === 0 && !this.foreignTagPasses(tag)) {
      this.fault = this.foreignFault(view, tables, i);
      return i;
    }
    if ((entry & Entry.Required) !== 0) pass.required++;
    if ((entry & Entry.Data) !== 0) this.checkLength(view, tables, i);
    if ((entry & Entry.Group) === 0) return i;
    this.around.length = 0;
    return this.walkGroup(view, tables, i, layout.groups[entry >> Entry.RoleShift]!, layout);
  }

  /** Pass the group opened by field `countAt`; returns the index of its last field. A fault is left in `this.fault`. */
  private walkGroup(view: MessageView, tables: Tables, countAt: number, group: Layout, parent: Layout): number {
    const { pass } = this;
    const { requiredCount } = group;
    const { fieldCount } = view;
    const declared = view.intAt(countAt);
    this.openers.push(countAt);
    const depth = this.around.push(parent);
    pass.beginGroup();
    let i = countAt + 1;
    for (; i < fieldCount; i++) {
      i = pass.members(view, tables, group, declared, i);
      if (i >= fieldCount) break;
      const tag = view.tagAt(i);
      const ordinal = tables.ordinal(tag);
      const member = group.entries[ordinal]!;
      if (member === 0) {
        if (this.passesInside(view, tables, i)) continue;
        break;
      }
      if (!this.belongs(view, tables, group, declared, i)) break;
      if (this.fault !== null) {
        this.faultAt = i;
        return i;
      }
      pass.seenInEntry[ordinal] = pass.mark;
      pass.lastRole = member >> Entry.RoleShift;
      if ((member & Entry.Required) !== 0) pass.requiredInEntry++;
      if ((member & Entry.Data) !== 0 && !this.checkLength(view, tables, i)) {
        this.faultAt = i;
        return i;
      }
      if ((member & Entry.Group) !== 0) {
        const { entries, mark, lastRole, requiredInEntry } = pass;
        i = this.walkGroup(view, tables, i, group.groups[lastRole]!, group);
        if (this.fault !== null) return i;
        Object.assign(pass, { entries, mark, lastRole, requiredInEntry });
      }
    }
    this.faultAt = i;
    this.around.length = depth - 1;
    if (this.fault !== null) return i;
    if (pass.entries !== declared) {
      const tag = view.tagAt(countAt);
      // The fault is the counter's, which stands before the values of its entries.
      this.faultAt = countAt + 1;
      this.fault = faults.incorrectNumInGroup(tag, tables.names[tables.ordinal(tag)]!);
    } else if (pass.entries > 0 && pass.requiredInEntry !== requiredCount) {
      this.fault = missing(tables, group, pass.seenInEntry, pass.mark);
    }
    return i - 1;
  }

  /**
   * True if the data of field `i` follows its Length field. Otherwise the end of the data is unknown and the fault is
   * set.
   */
  private checkLength(view: MessageView, tables: Tables, i: number): boolean {
    const tag = view.tagAt(i);
    const length = this.dataFields.lengthTagOf(tag);
    if (view.tagAt(i - 1) === length || !this.switches.validateFieldsOutOfOrder) return true;
    // QuickFIX in C++, and older ones in Go, sort the trailer by tag: with 93 right behind it there is no SOH in 89.
    if (tag === Tag.Signature && view.tagAt(i + 1) === length) return true;
    const field = (tag: number) => ({ tag, name: tables.names[tables.ordinal(tag)]! });
    this.fault = faults.lengthNotBeforeData(field(tag), field(length), view.indexFrom(length, 0) !== -1);
    return false;
  }

  /**
   * Whether a member of the group stands here as one, and not after the group's end; it begins an entry if it is the
   * first of one. If it stands in a wrong place, the fault is set.
   */
  private belongs(view: MessageView, tables: Tables, group: Layout, declared: number, i: number): boolean {
    const { pass } = this;
    const tag = view.tagAt(i);
    const ordinal = tables.ordinal(tag);
    const role = group.entries[ordinal]! >> Entry.RoleShift;
    if (role === 1) {
      if (pass.entries > 0 && pass.requiredInEntry !== group.requiredCount) {
        this.fault = missing(tables, group, pass.seenInEntry, pass.mark);
        return true;
      }
      pass.beginEntry();
      // More entries than declared are found here, so that a wrong count never makes the pass longer.
      return pass.entries <= declared;
    }
    const isBegun = pass.entries > 0;
    const isSeen = isBegun && pass.seenInEntry[ordinal] === pass.mark;
    if (isBegun && !isSeen && role > pass.lastRole) return true;
    // The same tag may also stand behind the group, in the message or in an entry around it.
    if (this.isAround(ordinal) && view.depthAt(i) < this.around.length) return false;
    if (isSeen) this.fault = faults.tagAppearsMoreThanOnce(tag, tables.names[ordinal]!);
    else if (!isBegun || this.switches.validateUnorderedGroupFields) {
      this.fault = faults.groupFieldsOutOfOrder(tag, tables.names[ordinal]!);
    }
    return true;
  }

  private isAround(ordinal: number): boolean {
    return this.around.some(({ entries }) => entries[ordinal] !== 0);
  }

  /**
   * Whether field `i`, which is no member of the group, is passed over within it. One that no member of the message can be is
   * at fault itself if entries follow it: the count of the group is right (373=2 or 3 names the tag, 373=16 would not).
   */
  private passesInside(view: MessageView, tables: Tables, i: number): boolean {
    const tag = view.tagAt(i);
    const ordinal = tables.ordinal(tag);
    if ((ordinal !== 0 && this.isAround(ordinal)) || view.depthAt(i) < this.around.length) return false;
    if (this.foreignTagPasses(tag)) return true;
    this.fault = this.foreignFault(view, tables, i);
    return false;
  }

  /** Fault of field `i`, which neither its message nor a group around it defines at this place. */
  private foreignFault(view: MessageView, tables: Tables, i: number): ValidationFault {
    const tag = view.tagAt(i);
    const ordinal = tables.ordinal(tag);
    if (tag === 0) return faults.malformedTag(view.stringAt(i));
    if (ordinal === 0) return this.isUndefined(tag) ? faults.undefinedTag(tag) : faults.invalidTagNumber(tag);
    if (tables.isBeyondSession(view.msgType, tag)) return faults.invalidTagNumber(tag);
    return faults.tagNotDefinedForThisMessageType(tag, tables.names[ordinal]!);
  }

  /** Whether the value of field `i` is there, of its type and of its enumeration; otherwise the fault is set. */
  private valueIsGood(view: MessageView, tables: Tables, ordinal: number, i: number): boolean {
    const from = view.valueStart(i);
    const to = view.valueEnd(i);
    const { buffer } = view;
    if (from === to) {
      if (!this.switches.validateFieldsHaveValues) return true;
      this.fault = faults.tagSpecifiedWithoutAValue(view.tagAt(i), tables.names[ordinal]!);
      return false;
    }
    const format = tables.formats[ordinal]!;
    if (addsToEnumeration(format)) return this.extendedIsGood(view, tables, ordinal, i);
    const enumeration = tables.enumerations[ordinal]!;
    const isList = format === Format.MultipleValues || format === Format.MultipleCharacters;
    // A list of enumerated values that is none has a value outside the enumeration.
    const isWritten =
      (isList && enumeration !== null) || format === Format.Any || isWellFormed(format, buffer, from, to);
    if (!isWritten || i === view.dataFaultAt) {
      this.fault = faults.incorrectDataFormat(view.tagAt(i), tables.names[ordinal]!);
      return false;
    }
    if (enumeration === null) return true;
    const known = isList ? enumeration.hasEach(buffer, from, to) : enumeration.has(buffer, from, to);
    if (!known) this.fault = faults.valueIsIncorrect(view.tagAt(i), tables.names[ordinal]!);
    return known;
  }

  /** The same of a type that adds values to those of the enumeration; without one a reserved range has any integer below it. */
  private extendedIsGood(view: MessageView, tables: Tables, ordinal: number, i: number): boolean {
    const [from, to] = [view.valueStart(i), view.valueEnd(i)];
    const { buffer } = view;
    const format = tables.formats[ordinal]!;
    const enumeration = tables.enumerations[ordinal]!;
    if (isWellFormed(format, buffer, from, to)) return true;
    if (enumeration?.has(buffer, from, to) === true) return true;
    if (enumeration === null && format !== Format.Tenor && isWellFormed(Format.Integer, buffer, from, to)) return true;
    const faultOf = enumeration === null ? faults.incorrectDataFormat : faults.valueIsIncorrect;
    this.fault = faultOf(view.tagAt(i), tables.names[ordinal]!);
    return false;
  }

  /** Whether a tag passes that the message does not have, or no dictionary. */
  private foreignTagPasses(tag: number): boolean {
    if (tag === 0) return false;
    return tag >= USER_DEFINED_TAG_MIN ? !this.switches.validateUserDefinedFields : this.switches.allowUnknownMsgFields;
  }

  /** Test case 14a has a tag that is not agreed on rejected by reason 0; many engines take 3, which the field has for it. */
  private isUndefined(tag: number): boolean {
    return tag >= USER_DEFINED_TAG_MIN && this.switches.unknownTagReason === '3';
  }

  /** The application version of this message: ApplVerID(1128) if it has one we speak, else the default. */
  private tablesFor(applVerID: string | null): Tables {
    return (applVerID === null ? null : this.tablesByApplVerID.get(applVerID)) ?? this.tables;
  }
}

function missing(tables: Tables, layout: Layout, seen: Int32Array, mark: number): ValidationFault {
  const tag = firstMissing(tables, layout, { seen, mark });
  return faults.requiredTagMissing(tag, tables.names[tables.ordinal(tag)]!);
}
