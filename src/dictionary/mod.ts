// Door of the dictionary room: valid messages, fields, groups and values, and their names.

export { APPL_VER_ID, applicationVersion, beginStringOf, versionOfApplVerID } from './application-version.ts';
export { dataFieldsOf } from './data-pairs.ts';
export type { FieldDefinition, Member, MessageDefinition } from './definition.ts';
export { Dictionary } from './definition.ts';
export type { DecodedField, DictionaryChoice } from './describe.ts';
export { describe, toDecodedLine } from './describe.ts';
export { type Lack, lacksOf } from './dictionary-lacks.ts';
export type { ExchangeMessage } from './exchange-fix.ts';
export {
  EXCHANGE_MESSAGES,
  EXCHANGE_REQUESTS,
  EXCHANGE_SESSION_REJECT_REASONS,
  EXCHANGE_SESSION_STATUSES,
  EXCHANGE_VALUES,
} from './exchange-fix.ts';
export type { ValidationFault } from './fault.ts';
export { sessionRejectReasonIn } from './fault.ts';
export { DictionaryInvalid, type DictionarySource } from './quickfix-elements.ts';
export { loadDictionary } from './quickfix-xml.ts';
export { renderDictionary } from './render.ts';
export { SCOPES, SENT, type Sent } from './sent-fields.ts';
export { type Need, needsOf, type SessionUse } from './session-needs.ts';
export type { DictionarySet, ValidatorSwitches } from './validator.ts';
export { DEFAULT_SWITCHES, Validator } from './validator.ts';
export { isDataType } from './value-format.ts';
