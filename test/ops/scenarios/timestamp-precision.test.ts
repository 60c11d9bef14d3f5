// TransactTime(60) of a gateway's reports, as finely as the session is set to write times.

import { expect, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, GATEWAY, runningGateway, sessionFile } from '../running-gateway.ts';

test.each([
  ['seconds', /^\d{8}-\d\d:\d\d:\d\d$/],
  ['microseconds', /^\d{8}-\d\d:\d\d:\d\d\.\d{3}000$/],
])(
  'timestampPrecision %s: reports, refusals and answers to lists have such a TransactTime(60)',
  async (precision, form) => {
    const gateway = await runningGateway({
      'gateway.yaml': GATEWAY,
      'OMS.yaml': `${sessionFile('OMS')}timestampPrecision: ${precision}\n`,
    });
    const fix = await gateway.logOn('OMS');
    const now = new Date().toISOString().replaceAll('-', '').replace('T', '-').replace('Z', '');
    const order = (clOrdID: string, qty: string) =>
      `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|60=${now}|38=${qty}|40=2|44=1000|59=1`;
    fix.send(order('taken', '0.1'));
    fix.send(order('too large', '1000'));
    fix.send(`35=F|11=cancel|41=never|55=BTCUSDC|54=1|60=${now}`);
    const of = (msgType: string, clOrdID: string) =>
      fix.expect(
        `${msgType} of ${clOrdID}`,
        (view) => view.msgType === msgType && view.string(Tag.ClOrdID) === clOrdID,
      );
    for (const report of [await of('8', 'taken'), await of('8', 'too large'), await of('9', 'cancel')]) {
      expect(report.string(Tag.TransactTime)).toMatch(form);
    }
  },
);
