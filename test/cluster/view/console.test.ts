// The console over several partitions in a real browser: a column and a page more than over one gateway, and the same actions.

import { expect, test } from 'vitest';
import type { ViewCluster } from '../../../src/cluster/view/cluster-routes.ts';
import { Tag } from '../../../src/wire/mod.ts';
import {
  browserOfTests,
  browserThere,
  confirmAction,
  cutParts,
  logIn,
  openConsole,
  seriousFindings,
} from '../../ops/console-browser.ts';
import { ACCOUNT, eventually } from '../../ops/running-gateway.ts';
import { describeWith } from '../../support/requirement.ts';
import { OTHER_ACCOUNT, twoPartitions, withoutAnswer } from './two-partitions.ts';

/** Two nodes; each request to them is noted. */
function clusterOf(asked: string[]): ViewCluster {
  const node = { version: '1', weight: 1, isLive: true, isDraining: false, joinedAt: 0 };
  return {
    nodes: () => [
      { ...node, name: 'here' },
      { ...node, name: 'there' },
    ],
    drain: async (name, isDraining, who) => asked.push(`${isDraining ? 'drain' : 'undrain'} ${name} for ${who}`),
    move: async (partition, name, who) => asked.push(`move ${partition} to ${name} for ${who}`) > 0,
    rebalance: async (who) => void asked.push(`rebalance for ${who}`),
  };
}

describeWith(browserThere, 'in Chromium, the console over partitions', () => {
  const held = browserOfTests();

  test('shows the partition of each row, one partition alone, and all of them on a page of their own', async () => {
    const asked: string[] = [];
    const view = await twoPartitions({ cluster: clusterOf(asked) });
    await eventually('both partitions to be ready', async () => (await view.ask('/readyz')).status === 200);
    const [oms, desk] = [await view.alpha.logOn('OMS'), await view.beta.logOn('DESK')];
    for (const [fix, account] of [
      [oms, ACCOUNT],
      [desk, OTHER_ACCOUNT],
    ] as const) {
      fix.send(`35=D|11=c-${account}|1=${account}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
      await fix.expect('New', (message) => message.string(Tag.ExecType) === '0');
    }
    const { page, errors } = await openConsole(held.browser, view);
    await page.setViewportSize({ width: 1600, height: 1000 });
    await logIn(page, view.token);
    await page.getByText('Ready for orders').waitFor();
    const orders = page.locator('#orders tbody tr');
    await eventually('both orders', async () => (await orders.count()) === 2);
    expect(await page.locator('#sessions tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^DESKbeta/),
      expect.stringMatching(/^OMSalpha/),
    ]);
    await page.locator('#messages .line').first().waitFor();
    expect(await cutParts(page)).toEqual([]);
    await page.getByLabel('Partition').selectOption('beta');
    await eventually('the order of beta alone', async () => (await orders.count()) === 1);
    // An order is found, shown and canceled where it is.
    await orders.first().click();
    await page.locator('#order').getByText('What happened').waitFor();
    expect(await page.locator('#order dl').textContent()).toContain('Partitionbeta');
    await page.getByRole('button', { name: 'Cancel …' }).click();
    await confirmAction(page, 'Cancel the order', 'Canceled at the exchange');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Cluster' }).click();
    view.places.push(withoutAnswer('gamma'));
    await page.getByText('does not answer (ECONNREFUSED)', { exact: true }).waitFor();
    expect(await page.locator('#partitions tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^alphahereReady for orders1 of 11/),
      expect.stringMatching(/^betahereReady for orders1 of 10/),
      expect.stringMatching(/^gammatheredoes not answer/),
    ]);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Drain node there').click();
    await confirmAction(page, 'Drain the node', 'Node there drains');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Move partition alpha').click();
    await confirmAction(page, 'Move the partition', 'Partition alpha moves to node there');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(asked).toEqual(['drain there for pat (shared token)', 'move alpha to there for pat (shared token)']);
    await page.locator('#partitions').getByRole('link', { name: 'alpha' }).click();
    await eventually(
      'the session of alpha alone',
      async () => (await page.locator('#sessions tbody tr').count()) === 1,
    );
    expect(errors).toEqual([]);
  });
});
