// Work through the messages of a session in a loop, one after the other, each with an answer that takes time.
import { type FixSession, newMessage, startAcceptor, startInitiator } from 'crossgate';

const hub = await startAcceptor({
  port: 0,
  sessions: [{ senderCompID: 'HUB', targetCompID: 'DESK' }],
  application: { onMessage() {} },
});
const work = async (session: FixSession): Promise<void> => {
  for await (const message of session) {
    // Each message has bytes of its own: it stays valid behind an await.
    await session.recorded();
    console.log(`working on ${message.string('Headline')}`);
    session.send(
      newMessage('B', { Headline: `done: ${message.string('Headline')}`, NoLinesOfText: 1, Text: 'a line' }),
    );
  }
  console.log('the engine is closed');
};
const working = work(hub.sessions.get('FIX.4.4:HUB->DESK')!);
const desk = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: hub.port }],
  sessions: [{ senderCompID: 'DESK', targetCompID: 'HUB' }],
  application: {
    onLogon(session) {
      for (const Headline of ['prices', 'limits'])
        session.send(newMessage('B', { Headline, NoLinesOfText: 1, Text: 'a line' }));
    },
    onMessage(message) {
      if (message.string('Headline') === 'done: limits') void desk.close().then(() => hub.close());
    },
  },
});
await working;
