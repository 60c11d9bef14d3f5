// A FIX.4.4 acceptor that does as the test says: answers Logon, TestRequest and Logout by itself and hands every application
// message to a script. For tests of our initiators; it checks nothing and persists nothing.

import { createServer, type Server, type Socket } from 'node:net';
import { type MessageView, MsgType, Tag } from '../../../src/wire/mod.ts';
import { FixConnection } from './fix-connection.ts';

export type Script = (view: MessageView, reply: (body: string) => void) => void;

export interface ScriptedAcceptor {
  readonly port: number;
  readonly connections: readonly FixConnection[];
  close(): Promise<void>;
}

export interface AcceptorBehaviour {
  readonly script: Script;
  /** Text(58) of the Logout that refuses every Logon; absent to accept. */
  readonly refuse?: string;
  /** MsgSeqNum(34) of the Logon's answer and of what follows; default 1. */
  readonly firstMsgSeqNum?: number;
  /** Answers a ResendRequest; by default with one gap fill. */
  readonly resend?: (connection: FixConnection, beginSeqNo: number) => void;
}

/** Listen on a free port as `EXCHANGE_TEST`. */
export async function scriptedAcceptor(behaviour: AcceptorBehaviour): Promise<ScriptedAcceptor> {
  const connections: FixConnection[] = [];
  const server: Server = createServer((socket) => connections.push(serve(socket, behaviour)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections,
    close: async () => {
      for (const connection of connections) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, behaviour: AcceptorBehaviour): FixConnection {
  const connection = new FixConnection(socket, { senderCompID: 'EXCHANGE_TEST', targetCompID: '' });
  connection.nextSenderMsgSeqNum = behaviour.firstMsgSeqNum ?? 1;
  void converse(connection, behaviour);
  return connection;
}

async function converse(connection: FixConnection, behaviour: AcceptorBehaviour): Promise<void> {
  while (!connection.closed) {
    const view = await connection.next(600_000).catch(() => null);
    if (view === null) return;
    answer(connection, view, behaviour);
  }
}

function answer(connection: FixConnection, view: MessageView, behaviour: AcceptorBehaviour): void {
  switch (view.msgType) {
    case MsgType.Logon:
      connection.identity.targetCompID = view.string(Tag.SenderCompID) ?? '';
      if (behaviour.refuse === undefined) {
        connection.send(`35=A|98=0|108=${view.string(Tag.HeartBtInt)}|141=${view.string(Tag.ResetSeqNumFlag) ?? 'N'}`);
        return;
      }
      connection.send(`35=5|58=${behaviour.refuse}`);
      connection.end();
      return;
    case MsgType.TestRequest:
      connection.send(`35=0|112=${view.string(Tag.TestReqID)}`);
      return;
    case MsgType.Logout:
      connection.send('35=5');
      connection.end();
      return;
    case MsgType.ResendRequest: {
      const beginSeqNo = view.int(Tag.BeginSeqNo) ?? 1;
      if (behaviour.resend !== undefined) behaviour.resend(connection, beginSeqNo);
      else connection.send(`35=4|123=Y|36=${connection.nextSenderMsgSeqNum}`, { seqNum: beginSeqNo, possDup: true });
      return;
    }
    case MsgType.Heartbeat:
      return;
    default:
      behaviour.script(view, (body) => connection.send(body));
  }
}
