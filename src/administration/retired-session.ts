// Report about a removed session: its open orders, the session that takes its Logons, the scope of its kill switch, and
// the remaining receivers of its orders' reports. session-changes.ts removes it.

import { basename } from 'node:path';
import { type EngineSessionConfig, type RunningEngine, sessionName } from '../runtime/mod.ts';
import { type SessionID, sessionIDsFor } from '../session/mod.ts';

export function retiredInWords(engine: RunningEngine, config: EngineSessionConfig): string {
  const { sessionId } = config.session;
  return `${openOrdersInWords(engine, sessionId)}${heirInWords(engine, config)}${killSwitchInWords(engine, sessionId)}`;
}

/** The session that takes a removed session's Logons, as after a restart: acceptor.ts decides for each. */
function heirInWords(engine: RunningEngine, { session }: EngineSessionConfig): string {
  if (session.role !== 'acceptor') return '';
  const names = sessionIDsFor(session);
  const { slots } = engine.dispatcher;
  for (const sessionId of names) {
    const slot = slots.get(sessionId);
    if (slot === undefined || slot.retired || slot.machine.config.role !== 'acceptor') continue;
    const name = sessionName(engine.sessionConfigs.get(sessionId)!);
    return `; its Logons are ${slot.enabled ? `taken by ${name} now` : `refused: ${name} is disabled`}`;
  }
  for (const sessionId of names) {
    const made = slots.has(sessionId) ? null : engine.sessions.templates.make(sessionId);
    if (made?.enabled === true) return `; its Logons are taken by ${templateName(made)} now`;
  }
  return '; its Logons are refused';
}

/** It is thrown for a SessionID: the same counterparty under another one would trade on (rule O12). */
function killSwitchInWords(engine: RunningEngine, sessionId: SessionID): string {
  const isOn = engine.gateway
    .killSwitches(engine.now())
    .some(({ scope, name }) => scope === 'session' && name === sessionId);
  return isOn ? '; its kill switch stays on, but for this SessionID alone: throw one for who trades in its place' : '';
}

export const templateName = ({ madeFrom }: EngineSessionConfig): string => basename(madeFrom!, '.yaml');

/** Facts for the operator who removes a session: its `cancelOnDisconnect` decides on these orders. */
export function openOrdersInWords(engine: RunningEngine, sessionId: SessionID): string {
  const open = engine.gateway.openOrderCount(sessionId);
  if (open === 0) return '';
  return ` (${open === 1 ? '1 open order' : `${open} open orders`}: cancelOnDisconnect decides)`;
}

/**
 * Drop copies that named removed sessions still receive their orders, which end only now (rule S9). The name of a file
 * that is removed, or has another identity, leads there no longer.
 */
export function withRetiredCopied(
  engine: RunningEngine,
  configured: readonly EngineSessionConfig[],
): readonly EngineSessionConfig[] {
  const present = new Set(configured.map(({ session }) => session.sessionId));
  return configured.map((config) => {
    const { dropCopy } = config.gateway;
    const before = engine.sessionConfigs.get(config.session.sessionId)?.gateway.dropCopy?.sessionIds ?? [];
    const retired = before.filter((sessionId) => !present.has(sessionId));
    if (dropCopy === undefined || dropCopy.sessionIds === null || retired.length === 0) return config;
    const sessionIds = [...dropCopy.sessionIds, ...retired];
    return { ...config, gateway: { ...config.gateway, dropCopy: { ...dropCopy, sessionIds } } };
  });
}
