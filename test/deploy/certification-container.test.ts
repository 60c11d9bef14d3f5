// `docker run IMAGE crossgate certification serve`: a vendor's continuous integration certifies its OMS against a container. The image
// is the one that CROSSGATE_IMAGE names, else its base with the same files in the same places, as the image takes minutes to make.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FaultyLine } from '../certification/support/faulty-line.ts';
import { laterLine, OmsBrain } from '../certification/support/oms-brain.ts';
import { freePort } from '../support/network/free-port.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { containerEngine, describeWith } from '../support/requirement.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCKERFILE = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
const BASE = 'node:24-bookworm-slim';
const FOLDERS = ['src', 'dictionaries', 'sessions', 'node_modules', 'package.json'];
const CASES = ['session.test-request', 'orders.partial-fill'];
const TIME_LIMIT_MS = 180_000;

/** The image with what `docker run` says before it, and the program in it. */
function image(): readonly string[] {
  const made = process.env.CROSSGATE_IMAGE ?? '';
  if (made !== '') return [made, 'crossgate'];
  const mounts = FOLDERS.flatMap((name) => ['-v', `${join(ROOT, name)}:/app/${name}:ro`]);
  // The variables that the image sets.
  const variables = [...DOCKERFILE.matchAll(/\bCROSSGATE_\w+=\S+/g)].flatMap(([one]) => ['-e', one]);
  return [...mounts, ...variables, '-w', '/app', BASE, 'node', '/app/src/cli/crossgate.js'];
}

describeWith(await containerEngine(), 'an OMS certified against a container', () => {
  let out = '';
  let run: LineProcess;
  let line: FaultyLine;

  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'crossgate-out-'));
    await chmod(out, 0o777);
    const port = await freePort();
    const options = ['--rm', '--init', '--read-only', '--tmpfs', '/tmp', '--user', '1000:1000'];
    const places = ['-p', `127.0.0.1:${port}:9876`, '-v', `${out}:/out`];
    const serve = ['certification', 'serve', '--host', '0.0.0.0', '--oms', 'MY_OMS', '--case', ...CASES];
    const files = ['--junit', '/out/results.xml', '--html', '/out/scorecard.html'];
    run = new LineProcess('docker', ['run', ...options, ...places, ...image(), ...serve, ...files]);
    await run.line(/The OMS connects to 0\.0\.0\.0:9876/, TIME_LIMIT_MS);
    const names = { senderCompID: 'MY_OMS', targetCompID: 'CROSSGATE', password: 'certify' };
    const brain = new OmsBrain(laterLine(() => line));
    line = new FaultyLine({ port, ...names, heartBtIntS: 10, faults: new Map() }, (view) => brain.take(view));
  }, TIME_LIMIT_MS);
  afterAll(async () => {
    await line?.close();
    await run.kill();
    await rm(out, { recursive: true, force: true });
  });

  test(
    'ends with 0 when the cases are passed, and leaves JUnit and the scorecard outside',
    async () => {
      expect(await run.ended(), run.lines.slice(-30).join('\n')).toBe(0);
      expect(run.lines.filter((one) => one.startsWith('passed'))).toEqual(CASES.map((id) => `passed     ${id}`));
      const results = await readFile(join(out, 'results.xml'), 'utf8');
      expect(results).toMatch(/<testcase classname="orders" name="orders\.partial-fill: [^"]*" time="[\d.]+"\/>/);
      expect(await readFile(join(out, 'scorecard.html'), 'utf8')).toContain('Certification of MY_OMS');
    },
    TIME_LIMIT_MS,
  );
});
