// The configuration of a container image without a mounted one: it runs, and says that it is the samples.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationFolder } from '../configuration-folder.ts';
import { eventually, runningGateway, sessionFile, watchingGateway } from '../running-gateway.ts';

const SAMPLES = "the configuration is the samples' of the image, and none of yours";

test("the image's samples run with warnings in console, readyz and log until replaced", async () => {
  const samples = configurationFolder();
  const environment = { CROSSGATE_SAMPLES: join(samples.path, 'sessions') };
  const gateway = await watchingGateway({}, environment, (path) => {
    cpSync(join(path, 'sessions'), environment.CROSSGATE_SAMPLES, { recursive: true });
  });
  const own = join(gateway.folder.path, 'sessions');
  const { warnings } = gateway.folder.load({ environment });
  expect(warnings.map(({ file, problem, remedy }) => [file, problem, remedy])).toEqual([
    [own, SAMPLES, `mount yours at ${own}, or name its folder in CROSSGATE_SESSIONS`],
  ]);
  const said = [
    expect.stringMatching(/^The configuration is the samples' of the image, and none of yours: mount yours at /),
  ];
  expect((await gateway.ask('/api/overview')).body.notices).toEqual(said);
  expect((await gateway.ask('/readyz')).body.notices).toEqual(said);
  gateway.folder.write('sessions/NEW.yaml', sessionFile('NEW'));
  await eventually('the change', () => gateway.logged.some((line) => line.includes('configuration applied')));
  expect((await gateway.ask('/api/overview')).body.notices).toEqual([]);
});

test('outside an image, and with unreadable samples, says nothing of them', async () => {
  const gateway = await runningGateway();
  expect((await gateway.ask('/api/overview')).body.notices).toEqual([]);
  const { warnings } = gateway.folder.load({ environment: { CROSSGATE_SAMPLES: '/nowhere' } });
  expect(warnings).toEqual([]);
});
