// Outcomes of the commands of bridge callers that pass the gateway machine: each caller waits for its own, bounded.

import type { CommandOutcome } from '../exchange/mod.ts';

export class CallersCommands {
  private readonly waiting = new Map<string, (outcome: CommandOutcome) => void>();

  /** Have a command sent by `send`; its outcome, or an unknown one after `limitMs`. */
  outcomeOf(commandId: string, limitMs: number, send: () => void): Promise<CommandOutcome> {
    return new Promise((resolve) => {
      const settle = (outcome: CommandOutcome): void => {
        clearTimeout(late);
        this.waiting.delete(commandId);
        resolve(outcome);
      };
      const text = `no outcome came within ${limitMs / 1000} seconds; it may still be waiting for the exchange`;
      const late = setTimeout(() => settle({ kind: 'unknown', message: text }), limitMs);
      this.waiting.set(commandId, settle);
      send();
    });
  }

  /** A command has its outcome. */
  settled(commandId: string, outcome: CommandOutcome): void {
    this.waiting.get(commandId)?.(outcome);
  }
}
