// Asks about every account that a session follows once it is due, and reports what changed.

import { tellMmp } from '../protection/mmp-request.ts';
import type { Turn } from '../state/state.ts';
import { askAgain } from './account-request.ts';
import { tellCollateral } from './collateral-inquiry.ts';
import { tellPositions } from './position-request.ts';

/** Called with a tick. */
export function askAboutAccounts(turn: Turn): void {
  askAgain(turn, (next, session, subscription, answer) => {
    if (answer.kind === 'positions') tellPositions(next, session, subscription, answer.positions);
    else if (answer.kind === 'collateral') tellCollateral(next, session, subscription, answer);
    else if (answer.kind === 'mmp') tellMmp(next, subscription, answer.configurations);
  });
}
