// CashOrderQty(152): the exchange takes quantities in the base asset only, and the refusal says so.

import { expect, test } from 'vitest';
import { Desk, gatewayConfig } from '../desk.ts';

test.each(['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'])(
  'D13 a market order of an amount in %s is refused with what to send instead',
  (beginString) => {
    const desk = new Desk(gatewayConfig({ beginString }));
    for (const quantity of ['', '38=1|']) {
      const [report] = desk.oms(
        `35=D|11=a${quantity.length}|1=ACC1|55=BTCUSDC|54=1|21=1|40=1|59=3|152=5000|${quantity}`,
      );
      expect(report).toMatch(/\|39=8\|/);
      expect(report).toMatch(
        /\|58=CashOrderQty\(152\)=5000 is not supported: the exchange takes no amounts in quote currency; send OrderQty\(38\)/,
      );
    }
    expect(desk.submitted).toEqual([]);
  },
);
