// Have messages sent again that you received and did not finish, for example before a kill.
import { newMessage, startAcceptor, startInitiator } from 'crossgate';

const broker = await startAcceptor({
  port: 0,
  sessions: [{ senderCompID: 'BROKER', targetCompID: 'DESK' }],
  application: {
    onMessage() {},
    onLogon(session) {
      if (session.numbers.nextSenderMsgSeqNum > 2) return;
      for (const text of ['first', 'second', 'third'])
        session.send(newMessage('B', { Headline: text, NoLinesOfText: 1, Text: text }));
    },
  },
});
const desk = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: broker.port }],
  sessions: [{ senderCompID: 'DESK', targetCompID: 'BROKER' }],
  reconnectFirstMs: 50,
  application: {
    onMessage(message, session) {
      const { msgSeqNum, possDup } = message;
      console.log(`${message.string('Headline')}${possDup ? ' again' : ''}`);
      // The first was finished: everything after its number comes again.
      if (msgSeqNum === 4 && !possDup) session.receiveFrom(3, 'finished up to 2');
      if (msgSeqNum === 4 && possDup) void desk.close().then(() => broker.close());
    },
  },
});
