// /readyz while the exchange is there and does not serve: red within two seconds, and green again.

import { describe, expect, test } from 'vitest';
import type { AnswerFault } from '../../../src/simulator/control/faults.ts';

import { ACCOUNT, eventually, runningGateway } from '../running-gateway.ts';

const RED_MS = 2_000;

async function ready() {
  const gateway = await runningGateway();
  const readyz = async (): Promise<string> => {
    const response = await fetch(new URL('/readyz', gateway.url));
    const { reasons } = (await response.json()) as { reasons: string[] };
    return response.status === 200 ? 'ready' : reasons.join('; ');
  };
  const becomes = async (what: RegExp, withinMs: number): Promise<void> => {
    const began = performance.now();
    await eventually(`readyz says ${what}`, async () => what.test(await readyz()));
    expect(performance.now() - began).toBeLessThan(withinMs);
  };
  await becomes(/^ready$/, 10_000);
  return { gateway, becomes, control: gateway.engine.simulator!.control };
}

describe('readyz', () => {
  test.each<[string, AnswerFault, RegExp]>([
    ['a block page', { what: 'html', on: 'create', times: 9 }, /blocks this address/],
    ['a page with 200', { what: 'html', on: 'create', httpStatus: 200, times: 9 }, /answers orders with .*HTML/],
    ['502', { what: 'error', on: 'create', httpStatus: 502, times: 9 }, /answers orders with .*502/],
    ['nothing', { what: 'hang', on: 'create', times: 9 }, /not answer/],
  ])('turns red within 2 s when the exchange answers orders with %s', async (_, fault, reason) => {
    const { gateway, becomes, control } = await ready();
    const fix = await gateway.logOn();
    control.armAnswer(fault);
    fix.send(`35=D|11=r-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await becomes(reason, RED_MS);
  });

  test('turns red within 2 s when the exchange blocks the address, and green when it does no more', async () => {
    const { becomes, control } = await ready();
    control.armAnswer({ what: 'html', on: 'any', times: 1_000_000 });
    await becomes(/blocks this address/, RED_MS);
    control.clearFaults();
    await becomes(/^ready$/, 5_000);
  });

  test('turns red within 2 s when the private stream is open but silent', async () => {
    const { becomes, control } = await ready();
    control.silenceStreams(true);
    await becomes(/no sign of life/, RED_MS);
    control.clearFaults();
    await becomes(/^ready$/, 5_000);
  });
});
