// The rows of a daily file (rule J4): each is the record of an order, which a report about a request does not change.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeDaily } from '../../../src/cli/journal/daily-files.ts';
import { DailyOrders } from '../../../src/cli/journal/daily-orders.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { openJournal } from '../../../src/store/mod.ts';
import { fromPrintable, MsgType, Tag, viewOf } from '../../../src/wire/mod.ts';
import { SESSION } from '../../gateway/desk.ts';
import { Day, day as randomDay, type Step } from '../../gateway/random-day.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const DAY = Date.UTC(2026, 10, 20);
const COLUMNS = ['OrderID', 'ClOrdID', 'OrdStatus', 'CumQty', 'Text'];

/** The orders and the ExecIDs of the trades of a day, out of reports and 9s, each a second behind the one before it. */
async function dayOf(bodies: readonly string[], from = 0): Promise<{ orders: string[]; trades: string[] }> {
  const directory = join(temporaryDirectory(), 'journal');
  const journal = await openJournal({ directory, now: () => DAY });
  for (const [i, body] of bodies.entries()) {
    const msgType = body.startsWith('102=') ? '9' : '8';
    const beginString = body.includes('20=') ? 'FIX.4.2' : 'FIX.4.4';
    const time = new Date(DAY + from + i * 1000).toISOString().replaceAll('-', '').replace('T', '-').slice(0, -1);
    const raw = fromPrintable(`35=${msgType}|49=XG|56=OMS|34=${i + 1}|52=${time}|${body}|`, beginString);
    const record = { sessionId: 'FIX.4.4:XG->OMS', series: 1, msgSeqNum: i + 1, msgType, resendable: true, raw };
    journal.append([{ kind: 'outbound', ...record }], DAY + from + i * 1000);
  }
  await journal.close();
  const folder = temporaryDirectory();
  const date = new Date(DAY + from).toISOString().slice(0, 10);
  const { files } = await writeDaily({ kind: 'embedded', directory }, date, Date.parse(date), folder);
  const [orders = [], trades = []] = files.map(({ path }) => readFileSync(path, 'utf8').trim().split('\r\n'));
  const titles = orders[0]?.split(',') ?? [];
  const shown = (line: string): string => COLUMNS.map((title) => line.split(',')[titles.indexOf(title)]).join(' ');
  return {
    orders: orders.slice(1).map((line) => shown(line).trim()),
    trades: trades.slice(1).map((line) => line.split(',')[1]!),
  };
}

const ORDER = '37=900|11=a|55=BTCUSDC|54=1|38=3';
const NEW = `${ORDER}|17=900-0|150=0|39=0|14=0|151=3`;
const FILL = `${ORDER}|17=900-f1|150=F|39=1|14=1|151=2|32=1|31=5`;
const FILLED = `${ORDER}|17=900-f2|150=F|39=2|14=3|151=0|32=2|31=5`;
const REPETITION = 'ClOrdID(11)=a was used before on this session; no second order is made';

describe('J4 the row of an order', () => {
  test('stays as it is where a repetition of its D is refused, on the same day and on a later one', async () => {
    const refusal = `${ORDER}|17=X1-1|150=8|39=2|103=6|14=3|151=0|58=${REPETITION}`;
    expect((await dayOf([NEW, FILLED, refusal])).orders).toEqual(['900 a 2 3']);
    expect((await dayOf([refusal], 86_400_000)).orders).toEqual([]);
    const throttled = `${ORDER}|17=X1-2|150=8|39=1|103=99|14=1|151=2|58=Too many messages`;
    expect(await dayOf([NEW, FILL, throttled])).toEqual({ orders: ['900 a 1 1'], trades: ['900-f1'] });
    // Of an order that was refused itself, here or by the exchange.
    const rejected = '37=NONE|11=b|17=X1-3|150=8|39=8|103=99|14=0|58=limit';
    const again = `37=NONE|11=b|17=X1-4|150=8|39=8|103=6|14=0|58=${REPETITION}`;
    const late = '37=NONE|11=b|17=X1-5|150=8|39=8|103=99|14=0|58=Too many messages';
    expect((await dayOf([rejected, again, late])).orders).toEqual(['NONE b 8 0 limit']);
    expect((await dayOf([again], 86_400_000)).orders).toEqual([]);
  });

  test('is that of an order which the exchange rejects for its reference', async () => {
    const pending = '37=NONE|11=b|17=1.7-A|150=A|39=A|14=0|151=1';
    const rejected = '37=NONE|11=b|17=1.7-8|150=8|39=8|103=6|14=0|151=0|58=exists';
    expect((await dayOf([rejected])).orders).toEqual(['NONE b 8 0 exists']);
    expect((await dayOf([pending, rejected])).orders).toEqual(['NONE b 8 0 exists']);
  });

  test('is that of an order which came again, unchanged, once it was no longer throttled', async () => {
    const throttled = '37=NONE|11=a|55=BTCUSDC|54=1|17=X1-1|150=8|39=8|103=99|14=0|58=Too many messages';
    expect((await dayOf([throttled, NEW])).orders).toEqual(['900 a 0 0']);
    const rejected = `${ORDER}|17=900-8|150=8|39=8|103=99|14=0|58=no`;
    expect((await dayOf([throttled, rejected])).orders).toEqual(['900 a 8 0 no']);
  });

  test('stays as it is at a status, in FIX.4.2 too, and where a report comes again', async () => {
    const status = `${ORDER}|17=0|150=I|39=1|14=1|58=from the book`;
    expect((await dayOf([NEW, FILL, status])).orders).toEqual(['900 a 1 1']);
    expect((await dayOf([status])).orders).toEqual([]);
    const in42 = `${ORDER}|17=0|20=3|150=1|39=1|14=1|32=0|58=from the book`;
    const unknown = '37=NONE|11=z|17=0|20=3|150=8|39=8|103=5|14=0';
    expect(await dayOf([NEW, FILL, in42, unknown])).toEqual({ orders: ['900 a 1 1'], trades: ['900-f1'] });
    const time = '60=20261120-00:00:00.000|97=Y';
    expect(await dayOf([NEW, FILLED, `${NEW}|${time}`, `${FILLED}|${time}|58=again`])).toEqual({
      orders: ['900 a 2 3'],
      trades: ['900-f2'],
    });
    // The reports before them are lost with a damaged part of the journal.
    expect((await dayOf([`${NEW}|${time}`, `${FILL}|${time}`])).orders).toEqual(['900 a 1 1']);
  });

  test('has the last accepted ClOrdID(11), and after a 9 the status of before', async () => {
    const pending = `37=900|11=c|41=a|55=BTCUSDC|54=1|38=3|17=900-6-1|150=6|39=6|14=0|151=3`;
    const cancelled = `37=900|11=c|41=a|55=BTCUSDC|54=1|38=3|17=900-4|150=4|39=4|14=0|151=0`;
    const refused = '102=0|37=900|11=c|41=a|434=1|39=';
    expect((await dayOf([NEW, pending])).orders).toEqual(['900 a 6 0']);
    expect((await dayOf([NEW, pending, cancelled])).orders).toEqual(['900 c 4 0']);
    expect((await dayOf([NEW, pending, `${refused}0`])).orders).toEqual(['900 a 0 0']);
    expect((await dayOf([NEW, pending, `${refused}6`, `${refused}0`])).orders).toEqual(['900 a 0 0']);
    // 39=8 is of the request (rule D8); the complete fill of an order with an open G is said by the 9 (rule D9).
    expect((await dayOf([NEW, `${refused}8`])).orders).toEqual(['900 a 0 0']);
    const replacing = `37=900|11=g|41=a|55=BTCUSDC|54=1|38=3|17=900-E-1|150=E|39=E|14=0|151=3`;
    const filled = FILLED.replace('39=2', '39=E');
    expect((await dayOf([NEW, replacing, filled, '102=0|37=900|11=g|41=a|434=2|39=2'])).orders).toEqual(['900 a 2 3']);
    expect((await dayOf(['102=1|37=NONE|11=c|41=a|434=1|39=8'])).orders).toEqual([]);
  });

  test('of an order without an OrderID(37) is one, under the ClOrdID(11) that it has now', async () => {
    const pending = '37=NONE|11=a|17=1.7-A|150=A|39=A|14=0|151=1';
    const cancelling = '37=NONE|11=c|41=a|17=1.7-6-1|150=6|39=6|14=0|151=1';
    const cancelled = '37=NONE|11=c|41=a|17=X1-1|150=4|39=4|14=0|151=0';
    expect((await dayOf([pending, cancelling])).orders).toEqual(['NONE a 6 0']);
    expect((await dayOf([pending, cancelling, '102=0|37=NONE|11=c|41=a|434=1|39=A'])).orders).toEqual(['NONE a A 0']);
    expect((await dayOf([pending, cancelled])).orders).toEqual(['NONE c 4 0']);
  });

  test('of a drop copy is its own, whatever other session has the same ClOrdID(11)', async () => {
    const copy = (fields: string, on = '1=P|55=BTCUSDC|54=1'): string => `${fields}|${on}|14=0|151=0|797=Y`;
    const refused = copy('37=NONE|11=a|17=X1-1|150=8|39=8|103=99|58=first');
    const other = copy('37=NONE|11=a|17=X1-2|150=8|39=8|103=99|58=second');
    const elsewhere = copy('37=NONE|11=a|17=X1-3|150=A|39=A', '1=Q|55=BTCUSDC|54=1');
    const working = copy('37=7|11=a|17=7-0|150=0|39=0', '1=Q|55=BTCUSDC|54=1');
    expect((await dayOf([refused, other, elsewhere])).orders).toEqual([
      'NONE a 8 0 first',
      'NONE a 8 0 second',
      'NONE a A 0',
    ]);
    expect((await dayOf([refused, other, elsewhere, working])).orders).toEqual([
      'NONE a 8 0 first',
      'NONE a 8 0 second',
      '7 a 0 0',
    ]);
    const filled = copy(`37=900|11=a|17=900-f|150=F|39=E`, '55=BTCUSDC|54=1');
    // It says that the order is filled, where the 9 to a G does so (rule D9).
    const end = copy('37=900|11=a|17=900-I-2|150=I|39=2', '55=BTCUSDC|54=1');
    expect((await dayOf([filled, end])).orders).toEqual(['900 a 2 0']);
  });
});

const DIALECTS: readonly (readonly [string, Partial<GatewaySessionConfig>])[] = [
  ['FIX.4.4', {}],
  ['FIX.4.2', { beginString: 'FIX.4.2' }],
  ['FIX.4.4 of the exchange', { dialect: 'venue' }],
];

test.each(DIALECTS)('J4 on random days each order has one row, as the gateway knows it (%s)', (_, session) => {
  checkProperty(
    fc.property(randomDay, fc.array(fc.nat(300), { maxLength: 20 }), (steps, repeated) => {
      const day = new Day({ ...session, cancelOnDisconnect: { on: 'none', graceMs: 0 } as never });
      const again = new Set(repeated);
      const entered: string[] = [];
      for (const [i, step] of (steps as Step[]).entries()) {
        day.step(step);
        if (step[0] === 'new') entered.push(`n-${entered.length}`);
        if (!again.has(i) || entered.length === 0) continue;
        const clOrdID = entered[i % entered.length];
        day.desk.oms(`35=D|11=${clOrdID}|1=ACC1|55=BTCUSDC|54=1|38=9|40=2|44=100|59=1|${i % 2 === 0 ? '' : '97=Y|'}`);
      }
      const columns = [Tag.ClOrdID, Tag.OrdStatus, Tag.CumQty];
      const orders = new DailyOrders({ clOrdID: 1, ordStatus: 2 }, (cells) => cells.slice(1).join(' '));
      for (const text of day.desk.sent) {
        const view = viewOf(fromPrintable(`35=${text.slice(3)}`, day.desk.config.sessions[0]!.beginString));
        if (view === null) continue;
        if (view.msgType === MsgType.OrderCancelReject) orders.refuseChange(view, '');
        if (view.msgType !== MsgType.ExecutionReport) continue;
        orders.report(view, ['', ...columns.map((tag) => view.string(tag) ?? '')]);
      }
      const rows = [...orders.lines()].sort();
      const known = entered.flatMap((clOrdID) => day.desk.gateway.findOrder(SESSION, clOrdID) ?? []);
      // A pending cancel of the exchange's own FIX does not name the order.
      const telling = session.dialect === 'venue' ? /^(150=[^6E]|D refused)/ : /^(150=|D refused)/;
      const told = known.filter(({ timeline }) => timeline.some(([, what]) => telling.test(what)));
      expect(rows).toEqual(told.map(({ clOrdID, ordStatus, cumQty }) => [clOrdID, ordStatus, cumQty].join(' ')).sort());
    }),
  );
});
