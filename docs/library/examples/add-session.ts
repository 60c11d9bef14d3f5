// Add and remove a session while the engine runs. The store keeps the numbers of a removed session.
import { memoryStore, startAcceptor, startInitiator } from 'crossgate';

const hub = await startAcceptor({ port: 0, sessions: [], store: memoryStore(), application: { onMessage() {} } });
const added = await hub.addSession({ senderCompID: 'HUB', targetCompID: 'NEW' });
console.log(`added ${added.targetCompID}`);

let removed = Promise.resolve();
await new Promise<void>((ended) => {
  const connecting = startInitiator({
    addresses: [{ host: '127.0.0.1', port: hub.port }],
    sessions: [{ senderCompID: 'NEW', targetCompID: 'HUB' }],
    application: {
      onMessage() {},
      onLogon() {
        removed = hub.removeSession('FIX.4.4:HUB->NEW', 'moved to another hub');
      },
      onLogout: (_session, reason) => {
        console.log(`logged out: ${reason}`);
        void connecting.then((member) => member.close()).then(ended);
      },
    },
  });
});
await removed;
console.log(`${hub.sessions.size} sessions`);
await hub.close();
