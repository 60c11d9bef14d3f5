// Write and read a repeating group: the parties of an order.
import { MsgType, newMessage, OrdType, Side, startAcceptor, startInitiator, Tag } from 'crossgate';

const broker = await startAcceptor({
  port: 0,
  sessions: [{ senderCompID: 'BROKER', targetCompID: 'DESK' }],
  application: {
    onMessage(message) {
      for (const party of message.group('NoPartyIDs'))
        console.log(`${party.string('PartyID')} has the role ${party.int('PartyRole')}`);
      void desk.close().then(() => broker.close());
    },
  },
});
const desk = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: broker.port }],
  sessions: [{ senderCompID: 'DESK', targetCompID: 'BROKER' }],
  application: {
    onMessage() {},
    onLogon(session) {
      const order = newMessage(MsgType.NewOrderSingle, {
        ClOrdID: 'A-1',
        Symbol: 'BTCUSDC',
        Side: Side.Buy,
        OrderQty: '1',
      });
      order.add(Tag.OrdType, OrdType.Market).addTime(Tag.TransactTime, Date.now());
      order.add(Tag.NoPartyIDs, '2');
      order.add(Tag.PartyID, 'ALICE').add(Tag.PartyIDSource, 'D').add(Tag.PartyRole, '11');
      order.add(Tag.PartyID, 'FUND').add(Tag.PartyIDSource, 'D').add(Tag.PartyRole, '3');
      session.send(order);
    },
  },
});
