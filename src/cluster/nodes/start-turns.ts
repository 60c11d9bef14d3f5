// Turns of processes that start: more at once than there are processors would make each of them wait, and all of them late.

import { availableParallelism } from 'node:os';

const STARTS_MAX = Math.max(2, availableParallelism());

export class StartTurns {
  readonly #waiters: (() => void)[] = [];
  #underWay = 0;

  /** Resolves when a process may start; call the answer when it needs its turn no more. */
  async next(): Promise<() => void> {
    while (this.#underWay >= STARTS_MAX) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    this.#underWay++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#underWay--;
      this.#waiters.shift()?.();
    };
  }
}
