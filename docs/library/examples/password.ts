// Demand a password. The acceptor refuses the wrong one, and the refusal says nothing about the right one.
import { startAcceptor, startInitiator } from 'crossgate';

const hub = await startAcceptor({
  port: 0,
  sessions: [
    {
      senderCompID: 'HUB',
      targetCompID: 'OMS',
      password: 'a long secret',
      access: { answersUnproved: true, onRefusal: 'logout' },
    },
  ],
  application: { onMessage() {}, onLogon: (session) => console.log(`${session.targetCompID} is logged on`) },
});
const connect = (password: string, onEnd: (reason: string) => void) =>
  startInitiator({
    addresses: [{ host: '127.0.0.1', port: hub.port }],
    sessions: [{ senderCompID: 'OMS', targetCompID: 'HUB', password }],
    application: {
      onMessage() {},
      onLogon: (session) => session.logout('done'),
      onLogout: (_session, reason) => onEnd(reason),
    },
    onAlarm: ({ text }) => onEnd(text),
  });

const wrong = await connect('guessed', async (reason) => {
  console.log(`refused: ${reason}`);
  await wrong.close();
  const right = await connect('a long secret', async () => {
    await right.close();
    await hub.close();
  });
});
