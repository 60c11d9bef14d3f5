// The states of a FIX session's connection and every permitted transition. Gap, replay and liveness are not states:
// they run beside `loggedOn` and the two logout states (gap.ts, replay.ts, liveness.ts) and end with the connection.
//
//                       connected (acceptor)             Logon(A) taken and answered
//   ┌──────────────┐ ────────────────────► awaitingLogon ───────────────┐
//   │ disconnected │                                                     ▼
//   └──────────────┘ ────────────────────► logonSent ───────────────► loggedOn
//       ▲               connected (initiator)   Logon(A) received     │      │
//       │                                                 our Logout(5)      peer's Logout(5), answered
//       │ disconnected                                                ▼      ▼
//       │ (input, from any state)                            logoutSent      logoutReceived
//       │                                                             │      │ peer closes, or time is up
//       └──────────────────────── closing ◄───────────────────────────┴──────┘
//                                    ▲  any state: refused, sequence lost, peer silent, time is up
//
// `closing`: the machine has requested the end of the connection; later input on it is dropped.

/** Name of a connection state, as consoles show it. */
export type SessionState =
  | 'disconnected'
  | 'awaitingLogon'
  | 'logonSent'
  | 'loggedOn'
  | 'logoutSent'
  | 'logoutReceived'
  | 'closing';

const TRANSITIONS: Readonly<Record<SessionState, readonly SessionState[]>> = {
  disconnected: ['awaitingLogon', 'logonSent'],
  awaitingLogon: ['loggedOn', 'closing', 'disconnected'],
  logonSent: ['loggedOn', 'closing', 'disconnected'],
  loggedOn: ['logoutSent', 'logoutReceived', 'closing', 'disconnected'],
  logoutSent: ['closing', 'disconnected'],
  logoutReceived: ['closing', 'disconnected'],
  closing: ['disconnected'],
};

/** Whether the machine may go from one state to another; anything else is a bug of ours. */
export function isTransition(from: SessionState, to: SessionState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Whether messages are taken by sequence number in this state: after Logon, until the connection is given up. */
export function isSequenced(state: SessionState): boolean {
  return state === 'loggedOn' || state === 'logoutSent' || state === 'logoutReceived';
}
