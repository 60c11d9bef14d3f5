// A start beside journals of the other kind: sessions never begin without the numbers that they have.

import { expect, test } from 'vitest';
import { partitionsOf } from '../../../src/cluster/partitions/partition.ts';
import { obstacleIn } from '../../../src/cluster/workers/journal-places.ts';
import { configurationFolder, GATEWAY, inShort, SESSION, secretText } from '../../ops/configuration-folder.ts';

const TWO = GATEWAY.replace(
  'simulator:\n',
  `    - name: second
      key: file:second.json
      tradingAccounts: ["333"]
simulator:
`,
);

function parts() {
  const session = (targetCompID: string, account: string): string =>
    SESSION.replace('OMS', targetCompID).replace(/accounts:\n.*\n/, `accounts:\n${account}`);
  const folder = configurationFolder({
    'gateway.yaml': TWO,
    'OMS.yaml': session('OMS', '  - account: "111"\n    credential: primary\n'),
    'DESK.yaml': session('DESK', '  - account: "333"\n    credential: second\n'),
  });
  for (const name of ['key.json', 'second.json', 'oms.password', 'desk.token']) {
    folder.write(`state/${name}`, secretText(name).replace('"p"', `"${name}"`));
  }
  const loaded = folder.load();
  expect(inShort(loaded)).toEqual([]);
  const config = loaded.config!;
  const url = { reference: 'env:DATABASE', read: () => '' };
  const postgres = { url, journal: 'main', leaseMs: 5_000, requestTimeoutMs: 1_000, standsBy: false };
  return { config, postgres, partitions: partitionsOf(config) };
}

const journal = (name: string, ...sessions: string[]) => ({ name, sessions });

test('partitions are refused beside the journal of one process, with the command that brings it to them', () => {
  const at = { ...parts(), isPartitioned: true };
  const [oms, desk] = at.config.sessions.map(({ session }) => session.sessionId).toSorted((a, b) => (a < b ? 1 : -1));
  expect(obstacleIn([], at)).toBeNull();
  expect(obstacleIn([journal('main', oms!), journal('main-primary', oms!)], at)).toBeNull();
  expect(obstacleIn([journal('main', oms!, desk!)], at)).toContain(
    'crossgate store copy --state postgres:env:DATABASE,main --to main-primary,main-second',
  );
  // A partition that was left out, and one that is new.
  const brought = journal('main-primary', oms!, desk!);
  expect(obstacleIn([journal('main', oms!, desk!), brought], at)).toContain('--to main-second`');
});

test('one process is refused beside journals of partitions, and not beside those of other gateways', () => {
  const at = { ...parts(), isPartitioned: false };
  expect(obstacleIn([journal('main'), journal('main-other'), journal('secondary')], at)).toBeNull();
  expect(obstacleIn([journal('main'), journal('main-second')], at)).toContain('journals of partitions (main-second)');
});
