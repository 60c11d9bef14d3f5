// Do not resend an order that is too old: a gap fill takes its place, while a fresh order goes out.
import { newMessage, OrdType, Side, startAcceptor, startInitiator } from 'crossgate';

const AGE_MAX_MS = 60_000;
const order = (id: string, at: number) => {
  const terms = { Symbol: 'BTCUSDC', Side: Side.Buy, OrderQty: '1', OrdType: OrdType.Market };
  return newMessage('D', { ClOrdID: id, ...terms, TransactTime: new Date(at) });
};
const broker = await startAcceptor({
  port: 0,
  sessions: [{ senderCompID: 'BROKER', targetCompID: 'DESK' }],
  application: {
    onMessage(message) {
      console.log(`received ${message.string('ClOrdID')}`);
      void desk.close().then(() => broker.close());
    },
  },
});
const desk = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: broker.port }],
  sessions: [{ senderCompID: 'DESK', targetCompID: 'BROKER' }],
  application: {
    onMessage() {},
    onResend: (message) => Date.now() - message.time('TransactTime')! < AGE_MAX_MS,
  },
});
// Without a connection yet: both wait for it, and the Logon shows the gap.
const [session] = [...desk.sessions.values()];
session!.send(order('old', Date.now() - 2 * AGE_MAX_MS));
session!.send(order('fresh', Date.now()));
