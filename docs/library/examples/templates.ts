// Accept counterparties that you do not know yet: a template makes a session for each.
import { startAcceptor, startInitiator } from 'crossgate';

const hub = await startAcceptor({
  port: 0,
  sessions: [
    {
      senderCompID: 'HUB',
      targetCompID: '*',
      template: {
        sessionsMax: 10,
        passwordOf: ({ targetCompID }) => (targetCompID.startsWith('FUND_') ? `secret of ${targetCompID}` : null),
      },
    },
  ],
  application: { onMessage() {}, onLogon: (session) => console.log(`${session.targetCompID} is logged on`) },
});
for (const compID of ['FUND_1', 'FUND_2']) {
  await new Promise<void>((ended) => {
    const connecting = startInitiator({
      addresses: [{ host: '127.0.0.1', port: hub.port }],
      sessions: [{ senderCompID: compID, targetCompID: 'HUB', password: `secret of ${compID}` }],
      application: {
        onMessage() {},
        onLogon: () => void connecting.then((fund) => fund.close()).then(ended),
      },
    });
  });
}
console.log([...hub.sessions.keys()].sort().join(' '));
await hub.close();
