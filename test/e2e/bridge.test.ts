// A desk beside its OMS: the answer to a FIX message that is not carried names a call of the bridge, the call does it, and the
// journal knows who did what. One gateway with the sample configuration, only its ports changed.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJournal } from '../../src/store/mod.ts';
import { Tag } from '../../src/wire/mod.ts';
import { Stream } from '../simulator/exchange-caller.ts';
import { reconnect } from '../support/network/fix-connection.ts';
import { ACCOUNT, ACME } from '../support/processes/exchange-house.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';

let home: GatewayHome;
let gateway: GatewayProcess;
let url: string;
let token: string;

beforeAll(async () => {
  home = await GatewayHome.create();
  gateway = await home.start(null);
  url = /http:\/\/[^/\s]+/.exec(await gateway.process.line(/^ {2}bridge {2,}http/))![0];
  token = (await readFile(join(home.secrets, 'bridge-desk.token'), 'utf8')).trim();
});
afterAll(async () => await home?.remove());

test('B3 a Quote(S) is refused with the call that does it; the call, a listener and the audit trail agree', async () => {
  const { connection: fix } = await reconnect(gateway.fixPort, ACME, { password: await home.password() });
  fix.send('35=S|117=quote-1|55=BTCUSDC|132=54000|133=66000|134=1|135=1');
  const reject = await fix.expect('BusinessMessageReject', (view) => view.msgType === 'j');
  const text = reject.string(Tag.Text) ?? '';
  expect(reject.string(Tag.BusinessRejectReason)).toBe('3');
  const path = /POST (\S+)/.exec(text)?.[1];
  expect(path).toBe('/trading-api/v2/amm-instructions');

  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const stream = await Stream.open(`${url.replace('http', 'ws')}/trading-api/v1/private-data`, {
    authorization: headers.authorization,
  });
  await stream.subscribe({ topic: 'ammInstructions' });
  const instruction = {
    commandType: 'V3CreateAMMInstruction',
    symbol: 'BTCUSDC',
    baseQuantity: '1',
    quoteQuantity: '60000',
    upperBound: '66000',
    lowerBound: '54000',
    feeTierId: '1',
    tradingAccountId: ACCOUNT,
  };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(instruction) });
  const { instructionId } = (await answer.json()) as { instructionId: string };
  expect(answer.status).toBe(200);
  const update = await stream.find(({ type }) => type === 'update');
  expect(update.data).toMatchObject({ instructionId, status: 'OPEN' });

  const ended = stream.closed;
  expect(await gateway.interrupt()).toBe(0);
  expect(await ended).toBe(1001);
  expect(gateway.process.lines.join('\n')).not.toContain(token);

  const journal = await openJournal({
    directory: join(home.state, 'journal'),
    segmentBytes: 67_108_864,
    now: Date.now,
  });
  const audited: string[] = [];
  for await (const { record } of journal.entries()) {
    if (record.kind === 'audit') audited.push(`${record.who}: ${record.action} ${record.detail}`);
    expect(JSON.stringify(record)).not.toContain(token);
  }
  await journal.close();
  const own = audited.filter((entry) => entry.startsWith('desk: '));
  expect(own).toHaveLength(2);
  expect(own[0]).toContain('"lowerBound":"54000"');
  expect(own[1]).toContain(`bridge: outcome accepted`);
  expect(own[1]).toContain(`instructionId=${instructionId}`);
});
