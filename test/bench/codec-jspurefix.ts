// The benchmark's messages through jspurefix: decode with the checks that its session makes, and encode. It is loaded from
// inside, since its door has no codec without a session; null where it is not installed.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MESSAGES, ORDER_FIELDS } from './codec-messages.ts';

interface View {
  checksum(): number;
  invalid(): number[];
  undefinedForMsg(): string | null;
  missing(): number[];
  getString(tag: number): string | null;
  getTyped(tag: number): unknown;
  getView(name: string): View | null;
  getGroupInstance(i: number): View | null;
  groupCount(): number;
}

interface Parser {
  on(event: 'msg', listener: (msgType: string, view: View) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  parseBuffer(bytes: Buffer): void;
}

interface Encoder {
  reset(): void;
  trim(): Buffer;
  encode(message: object, name: string): void;
}

type Constructor<T> = new (...parts: never[]) => T;
const make = <T>(type: Constructor<T>, ...parts: unknown[]): T =>
  new (type as unknown as new (...parts: unknown[]) => T)(...parts);

/** Cases by name, each one message; what they read is given to `use`. Null if jspurefix is not installed. */
export async function jspurefixCases(use: (n: number) => void): Promise<[string, () => void][] | null> {
  const here = createRequire(import.meta.url);
  try {
    createRequire(here.resolve('jspurefix'))('reflect-metadata');
  } catch {
    return null;
  }
  const part = (path: string): Record<string, Constructor<unknown>> => here(`jspurefix/dist/${path}.js`);
  const { FileDuplex } = here('jspurefix') as Record<string, Constructor<unknown>>;
  const { ElasticBuffer } = part('buffer/elastic-buffer');
  const { AsciiEncoder } = part('buffer/ascii/ascii-encoder');
  const { AsciiParser } = part('buffer/ascii/ascii-parser');
  const { QuickFixXmlFileParser } = part('dictionary/parser/quickfix/quick-fix-xml-file-parser');
  const { AsciiSegmentParser } = part('buffer/ascii/ascii-segment-parser');
  const { AsciiParserState } = part('buffer/ascii/ascii-parser-state');
  const { TimeFormatter } = part('buffer/ascii/time-formatter');
  const quiet = { info() {}, debug() {}, warning() {}, error() {}, isEnabled: () => false };
  const path = fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url));
  const definitions = await (
    make(
      QuickFixXmlFileParser!,
      () => make(FileDuplex!, path),
      () => quiet,
    ) as { parse(): Promise<unknown> }
  ).parse();

  const parser = (read: (view: View) => void): ((bytes: Buffer) => void) => {
    const received = make(ElasticBuffer!, 160 * 1024);
    const sessionContainer = {
      resolve: (type: Constructor<unknown>) => make(type, type === AsciiSegmentParser ? definitions : received),
    };
    if (AsciiParserState === undefined) throw new Error('jspurefix has no AsciiParserState');
    const made = make(AsciiParser!, { definitions, sessionContainer, delimiter: 1 }, null, received) as Parser;
    let views = 0;
    made.on('error', (error) => {
      throw error;
    });
    made.on('msg', (_msgType, view) => {
      views++;
      read(view);
    });
    return (bytes) => {
      const before = views;
      made.parseBuffer(bytes);
      if (views === before) throw new Error('jspurefix did not see the message');
    };
  };
  const checked = (read: (view: View) => void) => (view: View) => {
    const wrongSum = Number.parseInt(view.getString(10) ?? '', 10) !== view.checksum();
    if (wrongSum || view.invalid().length > 0 || view.undefinedForMsg() || view.missing().length > 0) {
      throw new Error('jspurefix finds the message wrong');
    }
    read(view);
  };
  const order = parser(
    checked((view) => {
      for (const tag of ORDER_FIELDS) use(String(view.getTyped(tag)).length);
    }),
  );
  const book = parser(
    checked((view) => {
      const levels = view.getView('NoMDEntries')!;
      for (let i = 0; i < levels.groupCount(); i++) {
        const level = levels.getGroupInstance(i)!;
        for (const tag of [269, 270, 271]) use(level.getString(tag)!.length);
      }
    }),
  );
  const buffer = make(ElasticBuffer!, 8192);
  const encoder = make(AsciiEncoder!, buffer, definitions, make(TimeFormatter!, buffer), 1) as Encoder;
  const report = reportObject();
  return [
    ['jspurefix: order-validated', () => order(MESSAGES.NewOrderSingle)],
    ['jspurefix: book-validated', () => book(MESSAGES.MarketDataSnapshot)],
    [
      'jspurefix: encode',
      () => {
        encoder.reset();
        encoder.encode(report, 'ExecutionReport');
        use(encoder.trim().length);
      },
    ],
  ];
}

/** The report as jspurefix is given it: prices as numbers, times as dates. */
function reportObject(): object {
  const at = new Date('2026-11-21T10:11:12.345Z');
  return {
    StandardHeader: {
      BeginString: 'FIX.4.4',
      BodyLength: 0,
      MsgType: '8',
      SenderCompID: 'CROSSGATE',
      TargetCompID: 'OMSTRADER',
      MsgSeqNum: 28_273,
      TargetSubID: 'TRADER7',
      SendingTime: at,
    },
    OrderID: '297735387747975680',
    ClOrdID: 'ORD-20261121-000018273',
    ExecID: '297735387747975680-100020000000000060-F',
    ExecType: 'F',
    OrdStatus: '1',
    Account: '111000000000001',
    Instrument: { Symbol: 'BTCUSDC' },
    Symbol: 'BTCUSDC',
    Side: '1',
    OrderQty: 1.5,
    OrdType: '2',
    Price: 60_123.45,
    TimeInForce: '1',
    LastQty: 0.5,
    LastPx: 60_123.4,
    LeavesQty: 1,
    CumQty: 0.5,
    AvgPx: 60_123.4,
    TransactTime: at,
    GrossTradeAmt: 30_061.7,
    StandardTrailer: { CheckSum: '' },
  };
}
