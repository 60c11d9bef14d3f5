// The line's side of a case, and the gateway's side of the session: losses, repetitions, cuts, a crash.

import { CrossgateError } from '../../base/errors.ts';
import type { Tap } from './tap.ts';

export interface WireScriptOptions {
  readonly tap: Tap;
  /** Log the session out. */
  readonly logout: () => void;
  /** Send the last message of a type again as a possible resend. */
  readonly resend: (msgType: string) => void;
  /** Kill the gateway and start it again. */
  readonly crash: () => void;
}

type Act = (options: WireScriptOptions, args: readonly string[]) => void;

const way = (word: string | undefined): 'in' | 'out' => (word === 'in' ? 'in' : 'out');

const ACTIONS: Readonly<Record<string, Act>> = {
  lose: ({ tap }, [to, msgType = '', times = '1']) => tap.plan('lose', way(to), msgType, Number(times)),
  garble: ({ tap }, [msgType = '']) => tap.plan('garble', 'out', msgType),
  'cut-at': ({ tap }, [to, msgType = '']) => tap.plan('cut', way(to), msgType),
  cut: ({ tap }) => tap.cut(),
  repeat: ({ tap }, [msgType = '']) => tap.repeat(msgType),
  low: ({ tap }, [msgType = '']) => tap.low(msgType),
  'reset-to-next': ({ tap }) => tap.resetToNext(),
  refuse: ({ tap }) => tap.refuse(true),
  admit: ({ tap }) => tap.refuse(false),
  resend: ({ resend }, [msgType = '']) => resend(msgType),
  logout: ({ logout }) => logout(),
  crash: ({ tap, crash }) => {
    tap.cut();
    crash();
  },
};

/** Carry an action out. @throws CrossgateError if there is none of that name, or it cannot be carried out */
export function actOnWire(action: string, args: readonly string[], options: WireScriptOptions): void {
  const act = ACTIONS[action];
  if (act === undefined) throw new CrossgateError('XG_NOT_FOUND', `the line has no action "${action}"`);
  act(options, args);
}
