// A connection that is logged on, or an error.

import { connect } from 'node:net';
import type { MessageView } from '../../../src/wire/mod.ts';
import { FixConnection } from '../../support/network/fix-connection.ts';

export interface LogonOptions {
  readonly port: number;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly password: string;
}

export class LogonConnection {
  readonly #fix: FixConnection;
  readonly #end: () => void;

  private constructor(fix: FixConnection, end: () => void) {
    this.#fix = fix;
    this.#end = end;
  }

  /** @throws Error if the Logon is not answered by one */
  static async open({ port, senderCompID, targetCompID, password }: LogonOptions): Promise<LogonConnection> {
    const socket = connect({ host: '127.0.0.1', port });
    const fix = new FixConnection(socket, { senderCompID, targetCompID });
    fix.send(`35=A|98=0|108=30|141=Y|554=${password}`);
    await fix.expect('a Logon', (view) => view.msgType === 'A');
    return new LogonConnection(fix, () => socket.destroy());
  }

  async ask(body: string, answers: (view: MessageView) => boolean): Promise<MessageView> {
    this.#fix.send(body);
    return await this.#fix.expect('the answer', answers);
  }

  close(): void {
    this.#end();
  }
}
