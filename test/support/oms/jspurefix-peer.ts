// jspurefix as its own process, in three roles. An acceptor answers every NewOrderSingle(D) with an ExecutionReport(8).
// An initiator sends one order and prints the answer, or sends orders on request (`order ID` on standard input). A peer
// of the session benchmark, of the library's examples and of the interoperability tests.
//
//   jspurefix-peer acceptor|initiator|oms PORT SENDER TARGET

import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { AsciiSession, EngineFactory, IJsFixConfig, ISessionDescription, MsgView } from 'jspurefix';

const require = createRequire(import.meta.url);
createRequire(require.resolve('jspurefix'))('reflect-metadata');
const loaded = (await import('jspurefix')) as typeof import('jspurefix') & { default?: typeof import('jspurefix') };
const jspurefix = loaded.default ?? loaded;

const [role = 'acceptor', port = '0', sender = '', target = ''] = process.argv.slice(2);
const initiates = role !== 'acceptor';
let reports = 0;
let present: Peer | null = null;

class Peer extends jspurefix.AsciiSession {
  constructor(config: IJsFixConfig) {
    super(config);
    this.logReceivedMsgs = false;
    this.on('error', () => {});
  }

  protected override onApplicationMsg(msgType: string, view: MsgView): void {
    if (initiates) {
      const possResend = view.getTyped('PossResend') === true ? ' again' : '';
      console.log(
        `app ${msgType} ${String(view.getTyped('ClOrdID'))} ${String(view.getTyped('LeavesQty'))}${possResend}`,
      );
      if (role === 'initiator') this.done();
      return;
    }
    if (msgType !== 'D') return;
    const order = view.toObject() as Record<string, unknown>;
    const id = String(++reports);
    const { ClOrdID, Side, OrderQty, Price, TransactTime, Instrument } = order as {
      readonly [name: string]: unknown;
      readonly OrderQtyData?: unknown;
    };
    const { OrderQtyData } = order;
    this.send('8', {
      OrderID: id,
      ExecID: id,
      ExecType: '0',
      OrdStatus: '0',
      ClOrdID,
      Instrument,
      Side,
      OrderQtyData: OrderQtyData ?? { OrderQty },
      Price,
      LeavesQty: (OrderQtyData as { OrderQty?: number } | undefined)?.OrderQty ?? 0,
      CumQty: 0,
      AvgPx: 0,
      TransactTime,
    });
  }

  protected override onReady(): void {
    console.log('logon');
    present = this;
    if (role === 'initiator') this.order('js-1');
  }

  order(clOrdID: string): void {
    this.send('D', {
      ClOrdID: clOrdID,
      Instrument: { Symbol: 'BTCUSDC' },
      Side: '1',
      TransactTime: new Date(),
      OrderQtyData: { OrderQty: 2 },
      OrdType: '2',
      Price: 100,
    });
  }

  protected override onLogon(): boolean {
    return true;
  }

  protected override onStopped(): void {
    console.log('stopped');
  }

  protected override onDecoded(): void {}
  protected override onEncoded(): void {}
}

class Launcher extends jspurefix.SessionLauncher {
  constructor(description: ISessionDescription) {
    super(initiates ? description : null, initiates ? null : description, new jspurefix.EmptyLogFactory());
  }

  protected override makeFactory(): EngineFactory {
    return { makeSession: (config: IJsFixConfig): AsciiSession => new Peer(config) };
  }
}

const description = {
  application: {
    name: sender,
    type: initiates ? 'initiator' : 'acceptor',
    protocol: 'ascii',
    dictionary: 'repo44',
    tcp: { host: '127.0.0.1', port: Number(port) },
    reconnectSeconds: 1,
  },
  Username: 'user',
  Password: 'secret',
  EncryptMethod: 0,
  ResetSeqNumFlag: initiates,
  HeartBtInt: 30,
  BeginString: 'FIX.4.4',
  SenderCompId: sender,
  TargetCompID: target,
} as unknown as ISessionDescription;

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.startsWith('order ')) present?.order(line.slice('order '.length));
  if (line === 'cpu') {
    const { user, system } = process.cpuUsage();
    console.log(`cpu ${(user + system) / 1e6}`);
  }
});
void new Launcher(description).run().then(
  () => process.exit(0),
  (error: unknown) => {
    console.log(`ended ${String(error)}`);
    process.exit(1);
  },
);
console.log(`started ${role}`);
