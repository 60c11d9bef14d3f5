// The workflows of GitHub cannot run here: they are read as GitHub reads them, and what they call is there.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string;
  readonly 'runs-on': string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '..');
const folder = join(root, '.github/workflows');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

function workflow(name: string): Workflow {
  const document = parseDocument(readFileSync(join(folder, name), 'utf8'), { uniqueKeys: true });
  expect(document.errors).toEqual([]);
  return document.toJS() as Workflow;
}

describe.each(readdirSync(folder))('%s', (name) => {
  const { on, permissions, jobs } = workflow(name);

  test('starts on something, and may read only unless a job says more', () => {
    expect(on).toBeTruthy();
    expect(permissions).toEqual({ contents: 'read' });
  });

  test('needs jobs that exist, and each step either uses an action of a stated version or runs a command', () => {
    for (const job of Object.values(jobs)) {
      if (job.needs !== undefined) expect(Object.keys(jobs)).toContain(job.needs);
      expect(job['runs-on']).toBeTruthy();
      for (const step of job.steps) {
        expect([step.uses, step.run].filter((one) => one !== undefined)).toHaveLength(1);
        if (step.uses !== undefined) expect(step.uses).toMatch(/^[\w-]+\/[\w./-]+@v\d+$/);
      }
    }
  });

  test('runs scripts that exist, and refers to steps of its own job', () => {
    for (const { steps } of Object.values(jobs)) {
      const commands = steps.map(({ run = '' }) => run).join('\n');
      for (const [, script] of commands.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty(script!);
      for (const [file] of commands.matchAll(/^\.[\w./-]+/gm)) {
        expect(existsSync(join(root, file))).toBe(true);
        expect(statSync(join(root, file)).mode & 0o100).toBe(0o100);
      }
      const ids = steps.flatMap(({ id }) => (id === undefined ? [] : [id]));
      for (const [, id] of JSON.stringify(steps).matchAll(/steps\.(\w+)\./g)) expect(ids).toContain(id);
    }
  });
});

test('the release pins the base image by digest; the Dockerfile keeps the tag', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, tag] = /^ARG BASE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
  const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(froms)).toEqual(new Set([`\${BASE_IMAGE}`]));
  const text = readFileSync(join(folder, 'release.yml'), 'utf8');
  expect(text).toContain(`BASE_TAG: ${tag}\n`);
  expect(text).toContain(`build-args: BASE_IMAGE=\${{ steps.base.outputs.image }}`);
  const uses = workflow('release.yml').jobs.image!.steps.map(({ uses }) => uses);
  expect(uses).toEqual(expect.arrayContaining(['actions/attest-sbom@v2', 'actions/attest-build-provenance@v2']));
});
