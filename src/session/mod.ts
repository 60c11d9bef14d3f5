// Door of the session room: the FIX session protocol as a pure machine.

export type { SessionConfig, SessionID } from './config.ts';
export type { SessionEffect } from './effect.ts';
export type { Authentication, SessionInput } from './input.ts';
export type { MessageValidator, OutboundMessage, RecoveredSession, SessionNumbers, SessionRecord } from './port.ts';
export { Session, type SessionStatus } from './session.ts';
