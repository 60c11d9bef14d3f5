// A house's overlay gives its group, which stands before the order's own fields, tags that the message has too. Over a running
// gateway: the order, the cancel and the mass cancel that the message itself asks for are carried out, never an entry's.

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, GATEWAY, runningGateway, sessionFile } from '../../ops/running-gateway.ts';

const OURS = fileURLToPath(new URL('../../../dictionaries', import.meta.url));
const SHARED = ['ClOrdID', 'OrigClOrdID', 'OrderID', 'Symbol', 'Side', 'OrderQty', 'Price', 'OrdType', 'TimeInForce'];
const GROUP = `<group name='NoHedges' required='N'><field name='HedgeID' required='Y'/>
  ${SHARED.map((name) => `<field name='${name}' required='N'/>`).join('')}</group>`;
const MESSAGES = [
  ['NewOrderSingle', 'D'],
  ['OrderCancelRequest', 'F'],
  ['OrderCancelReplaceRequest', 'G'],
  ['OrderMassCancelRequest', 'q'],
] as const;
const OVERLAY = `<fix type='FIX' major='4' minor='4'>
  <messages>${MESSAGES.map(([name, type]) => `<message name='${name}' msgtype='${type}' msgcat='app'>${GROUP}</message>`).join('')}</messages>
  <fields><field number='20100' name='NoHedges' type='NUMINGROUP'/><field number='20101' name='HedgeID' type='STRING'/></fields>
</fix>`;

/** An entry that names another order, another market, another side, quantity and price. */
const HEDGE = '20100=1|20101=H|11=other|41=other|37=12345|55=ETHUSDC|54=2|38=900|44=1|40=1|59=3';
const now = (): string => formatUtcTimestamp(Date.now());
const D = (clOrdID: string, price = '50000'): string =>
  `35=D|${HEDGE}|11=${clOrdID}|55=BTCUSDC|54=1|60=${now()}|38=2|40=2|44=${price}|59=1|1=${ACCOUNT}`;

test.each([true, false])(
  'S13 an entry’s fields are never taken for the message’s: validateIncoming %s',
  async (validates) => {
    const gateway = await runningGateway(
      {
        'gateway.yaml': `${GATEWAY}dictionaries: words\n`,
        'OMS.yaml': `${sessionFile('OMS')}validateIncoming: ${validates}\n`,
      },
      {},
      (path) => {
        cpSync(OURS, join(path, 'words'), { recursive: true });
        writeFileSync(join(path, 'words', 'FIX44.overlay.xml'), OVERLAY);
      },
    );
    const fix = await gateway.logOn();
    const reportOf = (clOrdID: string, execType: string): Promise<MessageView> =>
      fix.expect(
        `${clOrdID} with 150=${execType}`,
        (view) => view.string(Tag.ClOrdID) === clOrdID && view.string(Tag.ExecType) === execType,
      );
    const terms = (view: MessageView) => [Tag.Symbol, Tag.Side, Tag.OrderQty, Tag.Price].map((tag) => view.string(tag));

    fix.send(D('first'));
    expect(terms(await reportOf('first', '0'))).toEqual(['BTCUSDC', '1', '2', '50000']);
    fix.send(D('second', '50001'));
    await reportOf('second', '0');
    fix.send(`35=G|${HEDGE}|41=first|11=moved|55=BTCUSDC|54=1|60=${now()}|38=3|40=2|44=50002|1=${ACCOUNT}`);
    expect(terms(await reportOf('moved', '5'))).toEqual(['BTCUSDC', '1', '3', '50002']);

    // An entry names the second order: the message cancels the first.
    const named = HEDGE.replace('41=other', '41=second');
    fix.send(`35=F|${named}|41=moved|11=cancel|55=BTCUSDC|54=1|60=${now()}|38=3`);
    expect((await reportOf('cancel', '4')).string(Tag.OrigClOrdID)).toBe('moved');

    // An entry names another market: the message cancels this one.
    fix.send(`35=q|${HEDGE}|11=all|530=1|55=BTCUSDC|60=${now()}`);
    await reportOf('second', '4');
  },
  60_000,
);
