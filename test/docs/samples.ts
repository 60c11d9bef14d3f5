// The sample messages of docs/connect, recorded from a run of the real gateway: `npx -c 'node test/docs/samples.ts'` writes them.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Tag, toPrintable } from '../../src/wire/mod.ts';
import { auctionDiagram, recordAuction } from './auction-diagram.ts';
import { fieldTable } from './field-table.ts';
import { ACCOUNT, is, ofType, Recording, terms } from './recording.ts';

const CONNECT = fileURLToPath(new URL('../../docs/connect', import.meta.url));
const DIAGRAM = join(CONNECT, 'auction.svg');

/** Name of a sample → its messages. */
export type Samples = Map<string, readonly string[]>;

const limit = (clOrdID: string, more = '38=0.5|40=2|44=60000|59=1'): string =>
  `35=D|50=trader1|11=${clOrdID}|${terms()}|${more}`;
const cancel = (clOrdID: string, origClOrdID: string): string =>
  `35=F|50=trader1|11=${clOrdID}|41=${origClOrdID}|${terms()}`;

/** Let the market sell to the resting order. */
const sell = ({ house }: Recording, quantity: string): unknown =>
  house.simulator.control.counterparty({ symbol: 'BTCUSDC', side: 'SELL', price: '60000', quantity });

/** An order's life: New, partial fill, fill, and the cancel that comes too late. */
async function fills(run: Recording, samples: Samples): Promise<void> {
  const order = async (name: string, act: () => Promise<unknown>) => samples.set(name, await run.part(act));
  await order('new', async () => {
    run.oms.send(limit('A-1001'));
    await run.next('New', is('0', '0'));
  });
  await order('partial fill', async () => {
    sell(run, '0.2');
    await run.next('the partial fill', is('F', '1'));
  });
  await order('fill', async () => {
    sell(run, '0.3');
    await run.next('the fill', is('F', '2'));
  });
  await order('too late', async () => {
    run.oms.send(cancel('A-1002', 'A-1001'));
    await run.next('the refusal', ofType('9'));
  });
  await order('expired rest', async () => {
    run.house.simulator.control.counterparty({
      ...{ symbol: 'BTCUSDC', side: 'SELL', price: '60000', quantity: '0.1', timeInForce: 'GTC' },
    });
    run.oms.send(limit('A-1003', '38=0.5|40=2|44=60000|59=3'));
    await run.next('the end', is('C', 'C'));
  });
}

/** Cancels and replacements. */
async function changes(run: Recording, samples: Samples): Promise<void> {
  run.oms.send(limit('A-2001'));
  await run.next('New', is('0', '0'));
  samples.set(
    'replace',
    await run.part(async () => {
      run.oms.send(`35=G|50=trader1|11=A-2002|41=A-2001|${terms()}|38=0.4|40=2|44=59990`);
      await run.next('Replaced', is('5', '0'));
    }),
  );
  samples.set(
    'cancel',
    await run.part(async () => {
      run.oms.send(cancel('A-2003', 'A-2002'));
      await run.next('Canceled', is('4', '4'));
    }),
  );
  run.oms.send(limit('A-2004'));
  const { house } = run;
  const orderID = (await run.next('New', is('0', '0'))).string(Tag.OrderID)!;
  samples.set(
    'unsolicited cancel',
    await run.part(async () => {
      house.simulator.control.cancelOrder(orderID);
      await run.next('the cancel', is('4', '4'));
    }),
  );
  for (const id of ['A-2005', 'A-2006']) {
    run.oms.send(limit(id));
    await run.next('New', is('0', '0'));
  }
  samples.set(
    'mass cancel',
    await run.part(async () => {
      run.oms.send(`35=q|11=A-2007|530=7|60=${terms().split('|60=')[1]}`);
      for (let i = 0; i < 2; i++) await run.next('a cancel', is('4', '4'));
    }),
  );
}

/** Refusals of every kind. */
async function refusals(run: Recording, samples: Samples): Promise<void> {
  const refused = async (name: string, body: string, type: string) =>
    samples.set(
      name,
      await run.part(async () => {
        run.oms.send(body);
        await run.next(name, ofType(type));
      }),
    );
  await refused('refused by a limit', limit('A-3001', '38=200|40=2|44=60000|59=1'), '8');
  run.house.simulator.control.armRejection({ reason: 3005 });
  await refused('refused by the exchange', limit('A-3002'), '8');
  await refused('used before', limit('A-3002'), '8');
  await refused('day order', limit('A-3003', '38=0.5|40=2|44=60000|59=0'), '8');
  await refused('session reject', limit('A-3004').replace('54=1', '54=Z'), '3');
  await refused('business reject', '35=R|131=Q-1|146=1|55=BTCUSDC', 'j');
  await refused('unknown order', cancel('A-3005', 'A-NONE'), '9');
}

/** An outcome that stays open, and repeated messages. */
async function unknown(run: Recording, samples: Samples): Promise<void> {
  const { control } = run.house.simulator;
  samples.set(
    'pending',
    await run.part(async () => {
      control.arm({ commandsHeld: true });
      run.oms.send(limit('A-4001'));
      await run.next('PendingNew', is('A', 'A'));
      control.arm({ commandsHeld: false });
      await run.next('New', is('0', '0'));
    }),
  );
  samples.set(
    'status',
    await run.part(async () => {
      run.oms.send(`35=H|50=trader1|11=A-4001|1=${ACCOUNT}|55=BTCUSDC|54=1`);
      await run.next('the status', is('I', '0'));
    }),
  );
  samples.set(
    'possible resend',
    await run.part(async () => {
      run.oms.send(limit('A-4001').replace('50=trader1', '50=trader1|97=Y'));
      await run.next('the status', is('I', '0'));
    }),
  );
}

/** The best bid and offer of a market. */
async function marketData(run: Recording, samples: Samples): Promise<void> {
  for (const [side, price] of [
    ['BUY', '59990'],
    ['SELL', '60010'],
  ] as const) {
    const resting = { symbol: 'BTCUSDC', quantity: '1.25', timeInForce: 'GTC' } as const;
    run.house.simulator.control.counterparty({ ...resting, side, price });
  }
  samples.set(
    'market data',
    await run.part(async () => {
      run.oms.send('35=V|262=M-1|263=0|264=1|267=2|269=0|269=1|146=1|55=BTCUSDC');
      await run.next('the book', ofType('W'));
    }),
  );
}

/** A lost connection: the order is cancelled, and its report comes with the next Logon. */
async function recovery(run: Recording, samples: Samples): Promise<void> {
  const expected = run.oms.received.at(-1)!.int(Tag.MsgSeqNum)! + 1;
  const next = run.oms.nextSenderMsgSeqNum;
  const office = await run.office();
  run.oms.destroy();
  // The copy comes with the report: behind it the OMS's own has its number.
  const copy = await office.expect('the copy', is('4', '4'));
  office.destroy();
  samples.set('drop copy', [`< ${toPrintable(copy.bytes())}`]);
  samples.set(
    'missed reports',
    await run.part(async () => {
      await run.logOn({ reset: false, nextSenderMsgSeqNum: next });
      run.oms.send(`35=2|7=${expected}|16=0`);
      await run.next('the cancel', is('4', '4'));
    }),
  );
  run.oms.send('35=5');
  await run.next('the Logout', ofType('5'));
  run.oms.destroy();
  samples.set(
    'number too low',
    await run.part(async () => {
      await run.open();
      run.oms.send('35=A|98=0|108=30|141=N|554=********');
      await run.next('the Logout', ofType('5'));
    }),
  );
}

/** Record every sample from one run. */
export async function recordSamples(): Promise<Samples> {
  const run = await Recording.start();
  const samples: Samples = new Map();
  try {
    samples.set('logon', await run.part(async () => await run.logOn({ reset: true })));
    for (const chapter of [fills, changes, refusals, unknown, marketData, recovery]) await chapter(run, samples);
  } finally {
    await run.close();
  }
  return samples;
}

/** Fields that differ from run to run: lengths, numbers, times and ids. */
const VOLATILE = /(?<=\|)(7|9|10|17|34|36|37|45|52|60|122|336|369|1369)=[^|]*/g;

/** A message as far as each run has the same. */
export const shapeOf = (line: string): string =>
  line
    .replace(VOLATILE, '$1=*')
    .replace(/(?<=\|58=)[^|]*/, (text) => text.replace(/\d{4,}/g, '#').replace(/expecting \d+/, 'expecting #'));

const SAMPLE = /<!--sample ([a-z ]+?)( table)?-->\n[\s\S]*?<!--\/sample-->/g;

/** The names of the samples that a page shows. */
export const namesIn = (page: string): string[] => [...page.matchAll(SAMPLE)].map(([, name]) => name!);

/** The messages that a page shows under a name. */
export function shownIn(page: string, name: string): string[] {
  const place = [...page.matchAll(SAMPLE)].find(([, each]) => each === name);
  return [...(place?.[0] ?? '').matchAll(/^[<>] 8=FIX.*$/gm)].map(([line]) => line);
}

/** Fill each place between `<!--sample NAME-->` and `<!--/sample-->`; ` table` adds the fields of the last message. */
export function fillSamples(page: string, samples: Samples): string {
  return page.replace(SAMPLE, (place, name: string, table = '') => {
    const lines = samples.get(name);
    if (lines === undefined) return place;
    const fields = table === '' ? '' : `\n${fieldTable(lines.at(-1)!)}\n`;
    return `<!--sample ${name}${table}-->\n\n\`\`\`txt\n${lines.join('\n')}\n\`\`\`\n${fields}\n<!--/sample-->`;
  });
}

/** The pages of docs/connect: absolute path → text. */
export function connectPages(): Map<string, string> {
  const names = readdirSync(CONNECT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return new Map(names.map((name) => [join(CONNECT, name), readFileSync(join(CONNECT, name), 'utf8')]));
}

export const readDiagram = (): string => readFileSync(DIAGRAM, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const samples = await recordSamples();
  for (const [path, page] of connectPages()) writeFileSync(path, fillSamples(page, samples));
  writeFileSync(DIAGRAM, auctionDiagram(await recordAuction()));
  for (const [name, lines] of samples) console.log(`${name}\n${lines.join('\n')}\n`);
}
