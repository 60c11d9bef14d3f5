// Answers UserRequest(BE) of a session: its user's name, and a new password by the rules of NewPassword(925) in a Logon. The
// gateway machine writes the UserResponse(BF).

import { HashQueueFull, type Passwords } from '../../engine/mod.ts';
import type { GatewayEffect, GatewayInput } from '../../gateway/mod.ts';
import type { RunningEngine } from '../running-engine.ts';

type UserEffect = Extract<GatewayEffect, { kind: 'user' }>;

/** UserStatus(926). */
const UserStatus = { LoggedIn: '1', NotRecognised: '3', WrongPassword: '4', Changed: '5', Other: '6' } as const;

interface Answer {
  readonly userStatus: string;
  readonly text: string | null;
}

/** Answer by an input, later. Never throws. */
export function answerUser(
  engine: Pick<RunningEngine, 'sessionConfigs' | 'log'>,
  passwords: Passwords,
  effect: UserEffect,
  input: (input: GatewayInput) => void,
): void {
  const { kind: _, change: __, ...request } = effect;
  const { sessionId: session } = effect;
  const failed = (error: unknown): Answer => {
    const isFull = error instanceof HashQueueFull;
    if (!isFull) engine.log('error', `a password could not be changed: ${String(error)}`, { session });
    const text = isFull
      ? 'Too many passwords wait for their check; ask again in some seconds'
      : 'It cannot be changed now';
    return { userStatus: UserStatus.Other, text };
  };
  void answerOf(engine, passwords, effect)
    .catch(failed)
    .then((answer) => {
      if (answer.userStatus === UserStatus.WrongPassword)
        engine.log('warn', 'UserRequest(BE): a wrong password', { session });
      input({ kind: 'userAnswered', ...request, ...answer });
    });
}

async function answerOf(
  { sessionConfigs }: Pick<RunningEngine, 'sessionConfigs'>,
  passwords: Passwords,
  { sessionId, username, change }: UserEffect,
): Promise<Answer> {
  const setup = sessionConfigs.get(sessionId);
  const known = setup?.session.username ?? setup?.session.targetCompID;
  if (setup === undefined || username !== known) {
    return { userStatus: UserStatus.NotRecognised, text: 'Username(553) is not that of this session' };
  }
  if (change === null) return { userStatus: UserStatus.LoggedIn, text: null };
  if (setup.password === null) return { userStatus: UserStatus.Other, text: 'This session has no password to change' };
  const { password, newPassword } = change;
  if (!(await passwords.verify(setup, password))) {
    return { userStatus: UserStatus.WrongPassword, text: 'Password(554) is wrong' };
  }
  const problem = await passwords.change(setup, password, newPassword);
  return { userStatus: problem === null ? UserStatus.Changed : UserStatus.Other, text: problem };
}
