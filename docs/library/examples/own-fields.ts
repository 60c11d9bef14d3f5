// Send a field of your own: an overlay beside a copy of the dictionary defines it, and the engine validates it.
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MsgType, newMessage, OrdType, Side, startAcceptor, startInitiator } from 'crossgate';

const dictionaries = mkdtempSync(join(tmpdir(), 'house-'));
const delivered = new URL('./dictionaries/FIX44.xml', import.meta.resolve('crossgate/package.json'));
copyFileSync(fileURLToPath(delivered), join(dictionaries, 'FIX44.xml'));
writeFileSync(
  join(dictionaries, 'FIX44.overlay.xml'),
  `<fix type="FIX" major="4" minor="4">
  <messages><message name="NewOrderSingle" msgtype="D" msgcat="app"><field name="DeskCode" required="N"/></message></messages>
  <fields><field number="5001" name="DeskCode" type="INT"/></fields>
</fix>`,
);

const broker = await startAcceptor({
  port: 0,
  dictionaries,
  sessions: [{ senderCompID: 'BROKER', targetCompID: 'DESK' }],
  application: { onMessage: (message) => console.log(`desk ${message.int(5001)}`) },
});
const desk = await startInitiator({
  addresses: [{ host: '127.0.0.1', port: broker.port }],
  dictionaries,
  sessions: [{ senderCompID: 'DESK', targetCompID: 'BROKER' }],
  application: {
    onMessage() {},
    onLogon(session) {
      const order = {
        ClOrdID: 'A-1',
        Symbol: 'BTCUSDC',
        Side: Side.Buy,
        OrderQty: '1',
        OrdType: OrdType.Market,
        TransactTime: new Date(),
      };
      session.send(newMessage(MsgType.NewOrderSingle, order).add(5001, '7'));
      session.send(newMessage(MsgType.NewOrderSingle, { ...order, ClOrdID: 'A-2' }).add(5001, 'seven'));
    },
    onReject(reject) {
      console.log(`refused: ${reject.string('Text')}`);
      void desk.close().then(() => broker.close());
    },
  },
});
