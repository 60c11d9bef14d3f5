// The benchmark's messages through jspurefix: decode with the checks that its session makes, fields as it converts them,
// and encode from objects made before. It is loaded from inside, since its door has no codec without a session.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { LEVELS, MESSAGES } from './codec-messages.ts';

const ORDER_FIELDS = [11, 1, 55, 54, 60, 38, 40, 44, 59, 34] as const;
const REPORT_FIELDS = [37, 11, 17, 150, 39, 34, 32, 31, 151, 14] as const;

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

/** Cases by name, each one message; what they read is given to `use`. */
export async function jspurefixCases(use: (n: number) => void): Promise<[string, () => void][]> {
  const here = createRequire(import.meta.url);
  createRequire(here.resolve('jspurefix'))('reflect-metadata');
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
  const typed = (tags: readonly number[]) =>
    parser(
      checked((view) => {
        for (const tag of tags) use(view.getTyped(tag) === null ? 1 : 2);
      }),
    );
  const order = typed(ORDER_FIELDS);
  const execution = typed(REPORT_FIELDS);
  const book = parser(
    checked((view) => {
      const levels = view.getView('NoMDEntries')!;
      for (let i = 0; i < levels.groupCount(); i++) {
        const level = levels.getGroupInstance(i)!;
        for (const tag of [269, 270, 271]) use(level.getTyped(tag) === null ? 1 : 2);
      }
    }),
  );
  const buffer = make(ElasticBuffer!, 8192);
  const encoder = make(AsciiEncoder!, buffer, definitions, make(TimeFormatter!, buffer), 1) as Encoder;
  const encoded = (message: object, name: string, bytesMin: number) => () => {
    encoder.reset();
    encoder.encode(message, name);
    const { length } = encoder.trim();
    if (length < bytesMin) throw new Error(`jspurefix wrote ${length} bytes only`);
    use(length);
  };
  return [
    ['order, ten fields, validated', () => order(MESSAGES.NewOrderSingle)],
    ['report, ten fields, validated', () => execution(MESSAGES.ExecutionReport)],
    ['book, every value, validated', () => book(MESSAGES.MarketDataSnapshot)],
    ['encode report', encoded(reportObject(), 'ExecutionReport', 280)],
    ['encode book', encoded(bookObject(), 'MarketDataSnapshotFullRefresh', 550)],
  ];
}

const AT = new Date('2026-11-21T10:11:12.345Z');

function headerObject(msgType: string): object {
  return {
    BeginString: 'FIX.4.4',
    BodyLength: 0,
    MsgType: msgType,
    SenderCompID: 'CROSSGATE',
    TargetCompID: 'OMSTRADER',
    MsgSeqNum: 28_273,
    TargetSubID: 'TRADER7',
    SendingTime: AT,
  };
}

function bookObject(): object {
  const levels = LEVELS.map(({ type, price, size }) => ({
    MDEntryType: type,
    MDEntryPx: Number(price),
    MDEntrySize: Number(size),
  }));
  return {
    StandardHeader: headerObject('W'),
    MDReqID: 'md-00000017',
    Instrument: { Symbol: 'BTCUSDC' },
    Symbol: 'BTCUSDC',
    MDFullGrp: { NoMDEntries: levels },
    NoMDEntries: levels,
    StandardTrailer: { CheckSum: '' },
  };
}

/** The report as jspurefix is given it: prices as numbers, times as dates. */
function reportObject(): object {
  return {
    StandardHeader: headerObject('8'),
    OrderID: '297735387747975680',
    ClOrdID: 'ORD-20261121-18273',
    ExecID: '297735387747975680-10002-F',
    ExecType: 'F',
    OrdStatus: '1',
    Account: '1110001',
    Instrument: { Symbol: 'BTCUSDC' },
    Symbol: 'BTCUSDC',
    Side: '1',
    OrderQty: 1.5,
    OrdType: '2',
    Price: 60_123.45,
    TimeInForce: '1',
    LastQty: 0.25,
    LastPx: 60_123.4,
    LeavesQty: 1.25,
    CumQty: 0.25,
    AvgPx: 60_123.4,
    TransactTime: AT,
    GrossTradeAmt: 15_030.85,
    StandardTrailer: { CheckSum: '' },
  };
}
