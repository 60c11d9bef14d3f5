// Send many messages in one go: wait now and then until they have left, so that memory stays bounded.
import { newMessage, startAcceptor, startInitiator } from 'crossgate';

const COUNT = 20_000;
let received = 0;
const feed = await startAcceptor({
  port: 0,
  sessions: [{ senderCompID: 'FEED', targetCompID: 'READER' }],
  application: {
    onMessage() {},
    async onLogon(session) {
      for (let i = 1; i <= COUNT; i += 1) {
        session.send(newMessage('B', { Headline: `news ${i}`, NoLinesOfText: 1, Text: 'more' }));
        if (i % 1000 === 0) await session.drained();
      }
    },
  },
});
const reader = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: feed.port }],
  sessions: [{ senderCompID: 'READER', targetCompID: 'FEED' }],
  application: {
    onMessage() {
      received += 1;
      if (received < COUNT) return;
      console.log(`received ${received}`);
      void reader.close().then(() => feed.close());
    },
  },
});
