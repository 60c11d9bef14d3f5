// The OMS's line on QuickFIX C++ (test/interop/quickfix-oms.cpp).

import type { MessageView } from '../../../src/wire/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { QuickfixOms, type QuickfixOptions } from '../../support/oms/quickfix.ts';
import type { OmsLine } from './oms-brain.ts';

/** Starts the OMS; hands it each message for its application as it comes. */
export class QuickfixLine implements OmsLine {
  readonly oms: QuickfixOms;
  readonly #timer: NodeJS.Timeout;
  #read = 0;

  constructor(options: QuickfixOptions, onMessage: (view: MessageView) => void) {
    this.oms = new QuickfixOms(options);
    this.#timer = setInterval(() => {
      const { lines } = this.oms.process;
      for (; this.#read < lines.length; this.#read++) {
        const line = lines[this.#read]!;
        if (!line.startsWith('app ')) continue;
        const view = viewOf(fromPrintable(line.slice(4)));
        if (view !== null) onMessage(view);
      }
    }, 5);
  }

  send(text: string): void {
    const market = /^35=V\|262=([^|]+)\|263=(\d)\|.*\|55=([^|]+)$/.exec(text);
    // Its groups are more than fields.
    if (market !== null) this.oms.process.say(`market ${market[1]} ${market[2]} 0 1 ${market[3]} 01`);
    else this.oms.process.say(`raw ${text}`);
  }

  logout(): void {
    this.oms.process.say('relogon');
  }

  logon(): void {}

  disconnect(): void {
    this.oms.process.say('drop');
  }

  reset(): void {
    this.oms.process.say('reset');
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.oms.process.kill();
  }
}
