// Learn which message the counterparty refused, and why.
import { newMessage, OrdType, Side, startAcceptor, startInitiator } from 'crossgate';

const broker = await startAcceptor({
  port: 0,
  sessions: [{ senderCompID: 'BROKER', targetCompID: 'DESK' }],
  application: { onMessage: (message, session) => session.reject(message, 'No trading today') },
});
const desk = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: broker.port }],
  sessions: [{ senderCompID: 'DESK', targetCompID: 'BROKER' }],
  application: {
    onLogon(session) {
      const terms = { Symbol: 'BTCUSDC', OrderQty: '1', OrdType: OrdType.Market, TransactTime: new Date() };
      session.send(newMessage('D', { ClOrdID: 'A-1', ...terms, Side: 'X' }));
      session.send(newMessage('D', { ClOrdID: 'A-2', ...terms, Side: Side.Buy }));
    },
    onReject(reject, refused) {
      console.log(
        `Reject(3) of ${refused?.string('ClOrdID')}: tag ${reject.int('RefTagID')}, ${reject.string('Text')}`,
      );
    },
    onMessage(message) {
      console.log(`${message.msgType}: ${message.string('Text')}`);
      void desk.close().then(() => broker.close());
    },
  },
});
