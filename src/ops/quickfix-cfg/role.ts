// Which side of the connection a session of a QuickFIX file is, also where no ConnectionType says so.

import type { OtherSetting } from './verdict.ts';

export function isAcceptor(other: OtherSetting): boolean {
  const role = other('ConnectionType')?.toLowerCase() ?? null;
  return role === null ? other('SocketAcceptPort') !== null : role === 'acceptor';
}

/** quickfixgo has no ConnectionType: who only connects is an initiator. */
export function isInitiator(other: OtherSetting): boolean {
  const role = other('ConnectionType')?.toLowerCase() ?? null;
  return role === null
    ? other('SocketConnectHost') !== null && other('SocketAcceptPort') === null
    : role === 'initiator';
}
