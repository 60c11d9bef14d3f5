// Door of the session room: the FIX session protocol as a pure machine.

export type { LogonSigner, OnRefusal, SessionConfig, SessionID } from './config.ts';
export type { EffectSink, SessionEffect } from './effect.ts';
export { type SessionIdentity, sessionIDOf, sessionIDsFor, sessionIDsOf } from './identity.ts';
export type { Authentication, SessionInput } from './input.ts';
export { sendsLogonText } from './logon/logon.ts';
export { answersRefusal } from './logon/logon-refusal.ts';
export type { MessageRateSettings } from './messages/message-rate.ts';
export { recordedBytes } from './messages/recorded-bytes.ts';
export { reverseRoute } from './messages/reject.ts';
export {
  ENDED_SERIES_MAX,
  type EndedSeries,
  type LoggedOffBy,
  type MessageValidator,
  type NumbersAsked,
  type OutboundMessage,
  type RecoveredSession,
  type SessionNumbers,
  type SessionRecord,
} from './port.ts';
export { Session, type SessionStatus } from './session.ts';
export type { OpeningStatus } from './time/opening.ts';
export { type Boundary, dayOfDate, type ResetTime, Schedule, type ScheduleSettings } from './time/schedule.ts';
export { type ConnectWindow, isTimeOfDay, overlappingWindows, WEEKDAYS, type Weekday } from './time/windows.ts';
export { ianaZoneOf } from './time/windows-zones.ts';
export { isTimeZone } from './time/zone-clock.ts';
export { isAdmin, isReport } from './versions.ts';
