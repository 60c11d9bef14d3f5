// One pass over a message that says whether its dictionary allows it, and if not, which Reject(3) answers it.
// Leaves conditionally required fields and supported values to the gateway (rule D13), the session's own checks
// (CompIDs, sequence, times) to the session.

import type { MessageView } from '../wire/mod.ts';
import type { Dictionary } from './definition.ts';
import type { ValidationFault } from './fault.ts';
import * as faults from './fault.ts';
import { Entry, keyOfBytes, type Layout, Section, Tables } from './layout.ts';
import { Format, isDigits, isPlainDecimal, isPlainTimestamp, isWellFormed } from './value-format.ts';

/** First tag of the range that users define among themselves (FIX 4.4 vol. 1, "User defined fields"). */
const USER_DEFINED_TAG_MIN = 5000;
const MSG_TYPE_INDEX = 2;
const APPL_VER_ID_TAG = 1128;
/** Counters restart here, well inside an Int32: one message adds at most as many entries as it has fields. */
const COUNTER_MAX = 0x7000_0000;

/** Checks that can be switched, named and defaulted as QuickFIX has them. */
export interface ValidatorSwitches {
  /** Check messages at all. Default true. */
  readonly validateIncomingMessage: boolean;
  /** Header before body before trailer (373=14). Default true. */
  readonly validateFieldsOutOfOrder: boolean;
  /** A tag must have a value (373=4). Default true. */
  readonly validateFieldsHaveValues: boolean;
  /** Tags from 5000 must be in the dictionary (373=3) and in the message (373=2). Default true. */
  readonly validateUserDefinedFields: boolean;
  /** Fields of a group entry stand in the dictionary's order (373=15). Default true. */
  readonly validateUnorderedGroupFields: boolean;
  /** Tags below 5000 that the message or the version does not have pass. Default false (373=2, 373=0). */
  readonly allowUnknownMsgFields: boolean;
}

export const DEFAULT_SWITCHES: ValidatorSwitches = {
  validateIncomingMessage: true,
  validateFieldsOutOfOrder: true,
  validateFieldsHaveValues: true,
  validateUserDefinedFields: true,
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
  private readonly switches: ValidatorSwitches;
  private readonly tables: Tables;
  private readonly tablesByApplVerID = new Map<string, Tables>();
  /** By ordinal: the message, and the group entry, in which the field was seen last, as counted by the next two. */
  private readonly seen: Int32Array;
  private readonly seenInEntry: Int32Array;
  private message = 0;
  private entry = 0;
  private fault: ValidationFault | null = null;

  constructor(dictionaries: Dictionary | DictionarySet, switches: Partial<ValidatorSwitches> = {}) {
    this.switches = { ...DEFAULT_SWITCHES, ...switches };
    if ('transport' in dictionaries) {
      for (const application of dictionaries.applications) {
        const tables = new Tables(dictionaries.transport, application);
        if (application.applVerID !== null) this.tablesByApplVerID.set(application.applVerID, tables);
      }
      this.tables = this.tablesByApplVerID.values().next().value!;
    } else this.tables = new Tables(dictionaries, dictionaries);
    const sizes = [this.tables, ...this.tablesByApplVerID.values()].map((tables) => tables.names.length);
    this.seen = new Int32Array(Math.max(...sizes));
    this.seenInEntry = new Int32Array(Math.max(...sizes));
  }

  /**
   * Check a message; null if its dictionary allows it. A MsgType that the version lists but the dictionary does not
   * define has only its header checked: answering 380=3 is the gateway's matter.
   */
  validate(view: MessageView): ValidationFault | null {
    if (!this.switches.validateIncomingMessage) return null;
    const tables = this.tablesFor(view);
    const { buffer } = view;
    const key = keyOfBytes(buffer, view.valueStart(MSG_TYPE_INDEX), view.valueEnd(MSG_TYPE_INDEX));
    const body = tables.message(key);
    if (body === null && !tables.isListed(key)) return faults.invalidMsgType();
    if (this.message >= COUNTER_MAX || this.entry >= COUNTER_MAX) this.restartCounters();
    this.message++;
    this.fault = null;
    return this.walk(view, tables, body);
  }

  private walk(view: MessageView, tables: Tables, body: Layout | null): ValidationFault | null {
    const { seen, message } = this;
    const { tags, fieldCount: count } = view;
    const { ordinalByTag, tagMax, section, header, trailer } = tables;
    let layout: Layout | null = header;
    let phase: number = Section.Header;
    let headerSeen = 0;
    let bodySeen = 0;
    let trailerSeen = 0;
    for (let i = 0; i < count; i++) {
      const tag = tags[i]!;
      const ordinal = tag <= tagMax ? ordinalByTag[tag]! : 0;
      if (ordinal === 0) {
        // Of a type that is not defined here, the body is not known: its tags and groups are the gateway's matter.
        if (body === null || this.unknownTagPasses(tag)) continue;
        return tag >= USER_DEFINED_TAG_MIN ? faults.undefinedTag(tag) : faults.invalidTagNumber(tag);
      }
      const place = section[ordinal]!;
      if (seen[ordinal] === message) {
        if (body === null && place === Section.Body) continue;
        return faults.tagAppearsMoreThanOnce(tag, tables.names[ordinal]!);
      }
      seen[ordinal] = message;
      if (place !== phase) {
        // Header (1) → body (0) → trailer (2); anything else goes back.
        if (phase === Section.Header || place === Section.Trailer) phase = place;
        else if (this.switches.validateFieldsOutOfOrder) {
          return faults.tagOutOfRequiredOrder(tag, tables.names[ordinal]!);
        }
      }
      layout = place === Section.Body ? body : place === Section.Header ? header : trailer;
      if (layout === null) continue;
      const entry = layout.entries[ordinal]!;
      if (entry === 0 && !this.unexpectedTagPasses(tag)) {
        return faults.tagNotDefinedForThisMessageType(tag, tables.names[ordinal]!);
      }
      if ((entry & Entry.Required) !== 0) {
        if (place === Section.Body) bodySeen++;
        else if (place === Section.Header) headerSeen++;
        else trailerSeen++;
      }
      if (!isPlainlyGood(view, tables, ordinal, entry, i) && !this.valueIsGood(view, tables, ordinal, i)) {
        return this.fault;
      }
      if ((entry & Entry.Group) !== 0) {
        i = this.walkGroup(view, tables, i, layout.groups[entry >> Entry.RoleShift]!, layout);
        if (this.fault !== null) return this.fault;
      }
    }
    if (headerSeen !== header.requiredCount) return missing(tables, header, seen, message);
    if (body !== null && bodySeen !== body.requiredCount) return missing(tables, body, seen, message);
    return trailerSeen !== trailer.requiredCount ? missing(tables, trailer, seen, message) : null;
  }

  /** Check the group opened by field `countAt`; returns the index of its last field. A fault is left in `this.fault`. */
  private walkGroup(view: MessageView, tables: Tables, countAt: number, group: Layout, parent: Layout): number {
    const { ordinalByTag, tagMax } = tables;
    const { entries: members, requiredCount } = group;
    const { tags, fieldCount: count } = view;
    const seen = this.seenInEntry;
    const declared = view.intAt(countAt);
    let entries = 0;
    let mark = 0;
    let lastRole = 0;
    let requiredSeen = 0;
    let i = countAt + 1;
    for (; i < count; i++) {
      const tag = tags[i]!;
      const ordinal = tag <= tagMax ? ordinalByTag[tag]! : 0;
      const member = members[ordinal]!;
      if (member === 0) break;
      const role = member >> Entry.RoleShift;
      if (role === 1) {
        if (entries > 0 && requiredSeen !== requiredCount) {
          this.fault = missing(tables, group, seen, mark);
          return i;
        }
        // More entries than declared are found here, so that a wrong count never makes the pass longer.
        if (++entries > declared) break;
        mark = ++this.entry;
        requiredSeen = 0;
      } else if (entries === 0) {
        this.fault = faults.groupFieldsOutOfOrder(tag, tables.names[ordinal]!);
        return i;
      } else if (seen[ordinal] === mark || role < lastRole) {
        // The same tag may also stand in the message after the group.
        if (parent.entries[ordinal] !== 0) break;
        if (seen[ordinal] === mark) this.fault = faults.tagAppearsMoreThanOnce(tag, tables.names[ordinal]!);
        else if (this.switches.validateUnorderedGroupFields) {
          this.fault = faults.groupFieldsOutOfOrder(tag, tables.names[ordinal]!);
        }
        if (this.fault !== null) return i;
      }
      seen[ordinal] = mark;
      lastRole = role;
      if ((member & Entry.Required) !== 0) requiredSeen++;
      if (!isPlainlyGood(view, tables, ordinal, member, i) && !this.valueIsGood(view, tables, ordinal, i)) return i;
      if ((member & Entry.Group) !== 0) {
        i = this.walkGroup(view, tables, i, group.groups[role]!, group);
        if (this.fault !== null) return i;
      }
    }
    if (entries !== declared) {
      const tag = tags[countAt]!;
      this.fault = faults.incorrectNumInGroup(tag, tables.names[tables.ordinal(tag)]!);
    } else if (entries > 0 && requiredSeen !== requiredCount) {
      this.fault = missing(tables, group, seen, mark);
    }
    return i - 1;
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
    if ((format !== Format.Any && !isWellFormed(format, buffer, from, to)) || i === view.dataFaultAt) {
      this.fault = faults.incorrectDataFormat(view.tagAt(i), tables.names[ordinal]!);
      return false;
    }
    const enumeration = tables.enumerations[ordinal]!;
    if (enumeration === null) return true;
    const known =
      format === Format.MultipleValues ? enumeration.hasEach(buffer, from, to) : enumeration.has(buffer, from, to);
    if (!known) this.fault = faults.valueIsIncorrect(view.tagAt(i), tables.names[ordinal]!);
    return known;
  }

  /** A tag of no dictionary. */
  private unknownTagPasses(tag: number): boolean {
    if (tag === 0) return false;
    return tag >= USER_DEFINED_TAG_MIN ? !this.switches.validateUserDefinedFields : this.switches.allowUnknownMsgFields;
  }

  /** A tag of the dictionary in a message that does not have it. */
  private unexpectedTagPasses(tag: number): boolean {
    return tag >= USER_DEFINED_TAG_MIN ? !this.switches.validateUserDefinedFields : this.switches.allowUnknownMsgFields;
  }

  /** The application version of this message: ApplVerID(1128) if it has one we speak, else the default. */
  private tablesFor(view: MessageView): Tables {
    if (this.tablesByApplVerID.size < 2) return this.tables;
    const applVerID = view.string(APPL_VER_ID_TAG);
    return (applVerID === null ? null : this.tablesByApplVerID.get(applVerID)) ?? this.tables;
  }

  private restartCounters(): void {
    this.seen.fill(0);
    this.seenInEntry.fill(0);
    this.message = 0;
    this.entry = 0;
  }
}

/**
 * Whether the value of field `i` is good at first sight: what most values are. False decides nothing; `valueIsGood` does.
 */
function isPlainlyGood(view: MessageView, tables: Tables, ordinal: number, entry: number, i: number): boolean {
  const from = view.starts[i]!;
  const to = view.ends[i]!;
  if (from === to || entry === 0 || view.dataFaultAt === i) return false;
  const { buffer } = view;
  if ((entry & Entry.Enumerated) !== 0) {
    const c = buffer[from]!;
    return to - from === 1 && ((tables.oneByteValues[8 * ordinal + (c >> 5)]! >>> (c & 31)) & 1) === 1;
  }
  switch (entry & Entry.FormatMask) {
    case Format.Any:
      return true;
    case Format.Decimal:
      return isPlainDecimal(buffer, from, to);
    case Format.NonNegative:
      return isDigits(buffer, from, to);
    case Format.UtcTimestamp:
      return isPlainTimestamp(buffer, from, to);
    default:
      return false;
  }
}

/** The first required member of a layout that `seen` does not mark with `mark`. */
function missing(tables: Tables, layout: Layout, seen: Int32Array, mark: number): ValidationFault {
  const isMissing = (ordinal: number): boolean =>
    (layout.entries[ordinal]! & Entry.Required) !== 0 && seen[ordinal] !== mark;
  const tag = layout.tags.find((each) => isMissing(tables.ordinal(each))) ?? 0;
  return faults.requiredTagMissing(tag, tables.names[tables.ordinal(tag)]!);
}
