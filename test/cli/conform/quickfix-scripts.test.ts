// QuickFIX's own acceptance scripts through `crossgate conform`: the same scripts pass as by the suite's independent runner, at its
// level `core`. Scripts of FIX.4.4 that wait for heartbeats are left out: they take minutes.

import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/network/free-port.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith, type Requirement } from '../../support/requirement.ts';
import { playSuite } from './played-suite.ts';

const SUITE = fileURLToPath(new URL('../../../../shared/conformance', import.meta.url));
const SCRIPTS = join(SUITE, 'quickfix/definitions/fix44');
const DOOR = fileURLToPath(new URL('../../../src/mod.ts', import.meta.url));
/** Settings of our acceptor that do as QuickFIX does where the specification leaves the choice. */
const SETTINGS = [
  'logoutTimeoutMs=50',
  // Forty scripts log on within seconds, twice.
  'logonsPerMinute=0',
  'resendRequestTooLow="answer"',
  'testRequestAhead="wait"',
  'origSendingTimeFault="logout"',
  'unknownTagReason="0"',
  'afterWrongBodyLength="checkSum"',
];

const requirement: Requirement = {
  missing: await access(join(SUITE, 'at-runner.mjs')).then(
    () => null,
    () => `there is no ${SUITE}`,
  ),
  demandedBy: 'REQUIRE_TOOLS',
};

describeWith(requirement, "QuickFIX's scripts of FIX.4.4", () => {
  let folder = '';
  let port = 0;
  let acceptor: LineProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-scripts-'));
    // The acceptor of the suite imports a package: a door to our sources takes its place.
    const name = join(folder, 'node_modules/crossgate');
    await mkdir(name, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"name":"own","type":"module"}');
    await writeFile(join(name, 'package.json'), '{"name":"crossgate","type":"module","exports":"./mod.js"}');
    await writeFile(join(name, 'mod.js'), `export * from ${JSON.stringify(pathToFileURL(DOOR).href)};`);
    port = await freePort();
    acceptor = new LineProcess(process.execPath, [
      ...[join(SUITE, 'echo-acceptor.mjs'), '--port', `${port}`, '--project', folder, '--versions', 'fix44'],
      ...['--dictionaries', join(SUITE, 'quickfix/spec')],
      ...SETTINGS.flatMap((setting) => ['--set', setting]),
    ]);
    await acceptor.line(/^listening on/);
  });
  afterAll(async () => {
    await acceptor.kill();
    await rm(folder, { recursive: true });
  });

  test('pass and fail as by the runner of the suite', async () => {
    const quick: string[] = [];
    for (const name of (await readdir(SCRIPTS)).sort()) {
      const script = await readFile(join(SCRIPTS, name), 'latin1');
      const waits = script.split('\u0001').some((field) => /^108=\d$/.test(field));
      if (!waits) quick.push(name.replace(/\.def$/, ''));
    }
    expect(quick.length).toBeGreaterThan(40);
    const played = await playSuite({
      ...{ port, suite: SCRIPTS, timeoutMs: 2_000 },
      wants: (id) => quick.includes(id),
    });
    const ours = played.filter(({ result }) => result?.outcome === 'passed').map(({ linked }) => linked.id);
    const json = join(folder, 'result.json');
    const runner = new LineProcess(process.execPath, [
      ...[join(SUITE, 'at-runner.mjs'), '--port', `${port}`, '--dir', SCRIPTS, '--level', 'core', '--quiet'],
      ...['--timeout', '2000', '--pattern', quick.map((name) => `${name}.def`).join(','), '--json', json],
    ]);
    await runner.ended();
    const { scripts } = JSON.parse(await readFile(json, 'utf8')) as {
      scripts: { name: string; levels: { core: boolean } }[];
    };
    const theirs = scripts.filter(({ levels }) => levels.core).map(({ name }) => name.replace(/\.def$/, ''));
    expect(scripts.length).toBe(quick.length);
    expect(ours.sort()).toEqual(theirs.sort());
    expect(ours.length).toBeGreaterThanOrEqual(quick.length - 1);
  }, 240_000);
});
