// The container image: builds from the repository, runs as an ordinary user on a read-only root file system, takes orders,
// and keeps its journal in the volume.

import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { StartedTestContainer } from 'testcontainers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { logOn, openFix, report } from '../support/network/fix-connection.ts';
import { containerEngine, describeWith } from '../support/requirement.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IDENTITY = { senderCompID: 'ACME_OMS', targetCompID: 'EXCHANGE_TEST' };
const IMAGE = 'crossgate-under-test:latest';
const BUILD_TIMEOUT_MS = 600_000;

describeWith(await containerEngine(), 'the container image', () => {
  const volume = `crossgate-test-${randomBytes(6).toString('hex')}`;
  let container: StartedTestContainer;
  let start: (env?: Record<string, string>) => Promise<StartedTestContainer>;

  beforeAll(async () => {
    // No helper containers: this file removes what it makes.
    process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
    process.env.TESTCONTAINERS_HOST_OVERRIDE ??= '127.0.0.1';
    const { GenericContainer, Wait } = await import('testcontainers');
    class ReadOnlyContainer extends GenericContainer {
      protected override async beforeContainerCreated(): Promise<void> {
        this.hostConfig.ReadonlyRootfs = true;
      }
    }
    await GenericContainer.fromDockerfile(ROOT).build(IMAGE, { deleteOnExit: false });
    start = async (env = {}) =>
      await new ReadOnlyContainer(IMAGE)
        .withExposedPorts(9876)
        .withEnvironment(env)
        .withTmpFs({ '/tmp': 'rw,size=16m' })
        .withBindMounts([{ source: volume, target: '/app/.crossgate' }])
        .withWaitStrategy(Wait.forHealthCheck())
        .withStartupTimeout(60_000)
        .start();
    container = await start();
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await container?.stop();
    const { getContainerRuntimeClient } = await import('testcontainers');
    const client = await getContainerRuntimeClient();
    await client.container.dockerode.getVolume(volume).remove();
  });

  async function password(): Promise<string> {
    const { output, exitCode } = await container.exec(['cat', '.crossgate/secrets/ACME_OMS.password']);
    expect(exitCode).toBe(0);
    return output.trim();
  }

  test('takes an order over FIX and reports it', async () => {
    const fix = await openFix(container.getMappedPort(9876), IDENTITY);
    await logOn(fix, { password: await password() });
    fix.send('35=D|11=c-1|1=111000000000001|55=BTCUSDC|54=1|60=20260101-00:00:00.000|38=0.01|40=2|44=50000|59=1');
    const accepted = await fix.expect('New', report('c-1', '0', '0'));
    expect(accepted.string(Tag.OrderID)).toMatch(/^\d+$/);
    fix.send('35=5');
    await fix.expect('Logout', (view) => view.msgType === '5');
    fix.destroy();
  });

  test('names its user by number, suggests the demo, and says it runs samples', async () => {
    const { getContainerRuntimeClient } = await import('testcontainers');
    const { dockerode } = (await getContainerRuntimeClient()).container;
    expect((await dockerode.getImage(IMAGE).inspect()).Config.User).toBe('1000:1000');
    const said = String(await dockerode.getContainer(container.getId()).logs({ stdout: true, stderr: true }));
    expect(said).toContain('Ctrl-C logs every session out and stops.');
    expect(said).toContain('Try `crossgate demo` in this container.');
    const warned = String(await dockerode.getContainer(container.getId()).logs({ stderr: true }));
    expect(warned).toContain(
      "the configuration is the samples' of the image, and none of yours; mount yours at /app/sessions",
    );
  });

  test('imports a FIX Repository', async () => {
    const refused = await container.exec(['crossgate', 'dictionary', 'import', '/app']);
    expect(refused).toMatchObject({ exitCode: 2, output: expect.stringContaining('/app is no FIX Repository') });
    const reads =
      "require('reflect-metadata');require('jspurefix/dist/dictionary/parser/fix-repository/repository-xml-parser.js')";
    expect(await container.exec(['node', '-e', reads])).toMatchObject({ exitCode: 0 });
  });

  test('holds no source maps and no declarations of packages', async () => {
    const found = 'find /app -name "*.map" -o -path "/app/node_modules/*" -name "*.d.ts"';
    expect(await container.exec(['sh', '-c', found])).toMatchObject({ exitCode: 0, output: '' });
  });

  test('has the documentation at /docs', async () => {
    const asked = "fetch('http://127.0.0.1:8470/docs/').then((answer) => console.log(answer.status))";
    expect((await container.exec(['node', '-e', asked])).output.trim()).toBe('200');
  });

  test('keeps its numbers in the volume: a new container goes on where the old one was stopped', async () => {
    const secret = await password();
    await container.stop({ timeout: 10_000 });
    container = await start();
    expect(await password()).toBe(secret);
    const fix = await openFix(container.getMappedPort(9876), IDENTITY);
    fix.nextSenderMsgSeqNum = 4;
    const answer = await logOn(fix, { password: secret, reset: false });
    expect(answer.int(Tag.MsgSeqNum)).toBeGreaterThan(3);
    fix.destroy();
  });

  test('runs the demo of an OMS that is not ours', async () => {
    const { output, exitCode } = await container.exec(['crossgate', 'demo']);
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/ {2}yes$/m)]);
  }, 180_000);

  test('runs as an ordinary user without ownership of the image, on a read-only file system', async () => {
    expect((await container.exec(['id', '-un'])).output.trim()).toBe('node');
    // By owners and modes: in this container the file system refuses writes to all.
    const owned =
      'find /app -path /app/.crossgate -prune -o ! -type l \\( -user node -o -group node -o -perm -o+w \\) -print';
    expect(await container.exec(['sh', '-c', owned])).toMatchObject({ exitCode: 0, output: '' });
    expect((await container.exec(['touch', '/app/.crossgate/x'])).exitCode).toBe(0);
  });

  test('brings its sources as they were compiled: no command translates them', async () => {
    const script = 'NODE_DEBUG_NATIVE=COMPILE_CACHE node src/cli/crossgate.js sessions --help 2>&1';
    const { output } = await container.exec(['sh', '-c', script]);
    const found = [...output.matchAll(/transpile cache for StrippedTypeScript \S+\/(src\/\S+)\.\.\.(.*)/g)];
    expect(found.map(([, source]) => source)).toContain('src/cli/admin/sessions.ts');
    expect(new Set(found.map(([, , said]) => said))).toEqual(new Set(['success']));
  });

  test('is healthy too where its own configuration names other ports', async () => {
    const configure = 'cp -r sessions .crossgate/own && sed -i "s/port: 9876/port: 9000/" .crossgate/own/gateway.yaml';
    expect((await container.exec(['sh', '-c', configure])).exitCode).toBe(0);
    await container.stop({ timeout: 10_000 });
    container = await start({ CROSSGATE_SESSIONS: '/app/.crossgate/own' });
    const knock = "require('node:net').connect(9876).on('connect',()=>process.exit(1)).on('error',()=>process.exit(0))";
    expect((await container.exec(['node', '-e', knock])).exitCode).toBe(0);
  });
});
