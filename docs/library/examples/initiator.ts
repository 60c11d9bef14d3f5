import { MsgType, newMessage, OrdType, Side, startInitiator } from 'crossgate';

const initiator = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: Number(process.env.FIX_PORT ?? 9880) }],
  sessions: [{ senderCompID: 'TRADER', targetCompID: 'ECHO' }],
  application: {
    onLogon(session) {
      const order = {
        ClOrdID: 'order-1',
        Symbol: 'BTCUSDC',
        Side: Side.Buy,
        OrderQty: '0.5',
        TransactTime: new Date(),
      };
      session.send(newMessage(MsgType.NewOrderSingle, { ...order, OrdType: OrdType.Limit, Price: '60000.1' }));
    },
    onMessage(message) {
      console.log(
        `${message.string('ClOrdID')}: ExecType=${message.string(150)}, ${message.decimal('LeavesQty')} left`,
      );
      void initiator.close();
    },
  },
});
