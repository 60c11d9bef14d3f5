import { ExecType, fileStore, MsgType, newMessage, OrdStatus, startAcceptor } from 'crossgate';

const acceptor = await startAcceptor({
  port: Number(process.env.FIX_PORT ?? 9880),
  sessions: [{ senderCompID: 'ECHO', targetCompID: 'TRADER' }],
  store: await fileStore(process.env.FIX_STORE ?? 'echo-store'),
  application: {
    onMessage(message, session) {
      if (message.msgType !== MsgType.NewOrderSingle) return session.reject(message, 'Only orders are taken here');
      const id = String(message.msgSeqNum);
      const status = { ExecType: ExecType.New, OrdStatus: OrdStatus.New };
      const report = { OrderID: id, ExecID: `${id}-0`, ...status, CumQty: 0, AvgPx: 0 };
      const order = {
        ClOrdID: message.string('ClOrdID'),
        Symbol: message.string('Symbol'),
        Side: message.string('Side'),
      };
      session.send(
        newMessage(MsgType.ExecutionReport, { ...report, ...order, LeavesQty: message.decimal('OrderQty') }),
      );
    },
  },
});
console.log(`listening on ${acceptor.port}`);
process.once('SIGINT', () => acceptor.close());
