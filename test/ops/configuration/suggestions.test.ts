// Suggestions of `check` work as suggested: each key of both schemas misspelt, each word of each list, and each key of
// ours in a settings file of QuickFIX.

import { expect, test } from 'vitest';
import { type SchemaNode, schemaNode } from '../../../src/base/schema-node.ts';
import { schemaChecks } from '../../../src/ops/configuration/schema-check.ts';
import { parseYaml } from '../../../src/ops/configuration/yaml-file.ts';
import { withPrefix } from '../../../src/ops/quickfix-cfg/own-keys.ts';
import { readQuickfixCfg } from '../../../src/ops/quickfix-cfg/quickfix-cfg.ts';
import { GatewayFileSchema } from '../../../src/ops/schema/gateway-schema.ts';
import { NOT_IN_DEFAULTS, SessionFileSchema } from '../../../src/ops/schema/session-schema.ts';

type Step = string | number;
interface At {
  readonly path: readonly Step[];
  readonly node: SchemaNode;
}

const place = () => ({ file: 'f', line: 1, column: 1 });
const { gateway, sessionFile, defaultsFile } = schemaChecks();
const FILES = [
  ['gateway.yaml', schemaNode(GatewayFileSchema), (values: unknown) => gateway(values, place)],
  ['a session file', schemaNode(SessionFileSchema), (values: unknown) => sessionFile(values, place)],
  ['defaults.yaml', schemaNode(SessionFileSchema), (values: unknown) => defaultsFile(values, place)],
] as const;

/** Every key, with the first element of each list on the way. */
function* keysOf(node: SchemaNode, path: readonly Step[] = []): Generator<At> {
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    yield { path: [...path, key], node: property };
    yield* keysOf(property, [...path, key]);
  }
  if (node.items !== undefined) {
    yield { path: [...path, 0], node: node.items };
    yield* keysOf(node.items, [...path, 0]);
  }
}

/** A file with nothing but one value. */
function fileWith(path: readonly Step[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value);
}

const text = (path: readonly Step[]): string =>
  path.reduce<string>(
    (all, step) => (typeof step === 'number' ? `${all}[${step}]` : all === '' ? step : `${all}.${step}`),
    '',
  );

function misspelt(word: string): string[] {
  const at = Math.floor(word.length / 2);
  return [
    `${word}s`,
    word.slice(0, at) + word.slice(at + 1),
    word.toUpperCase(),
    `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`,
  ].filter((one) => one !== '');
}

test.each(FILES)('%s: the key that stands for a misspelt one is known where it is suggested', (name, schema, check) => {
  let suggested = 0;
  for (const { path } of keysOf(schema)) {
    const key = path.at(-1)!;
    if (typeof key === 'number') continue;
    for (const word of misspelt(key)) {
      const wrong = [...path.slice(0, -1), word];
      const found = check(fileWith(wrong, 'x')).find((one) => one.key === text(wrong) && one.problem === 'unknown key');
      const meant = /^did you mean `(.+)`\?$/.exec(found?.remedy ?? '')?.[1];
      if (meant === undefined) continue;
      suggested++;
      const mended = [...path.slice(0, -1), meant];
      const left = check(fileWith(mended, 'x')).filter(({ problem }) => problem === 'unknown key');
      expect(left, `${text(wrong)} → ${meant}`).toEqual([]);
      if (name === 'defaults.yaml' && path.length === 1) expect(NOT_IN_DEFAULTS).not.toContain(mended[0]);
    }
  }
  expect(suggested).toBeGreaterThan(100);
});

test.each(FILES)('%s: a word that is suggested for another is taken as it is written', (_name, schema, check) => {
  let suggested = 0;
  for (const { path, node } of keysOf(schema)) {
    if (node.type !== 'string' || node.enum === undefined) continue;
    for (const word of [...node.enum.flatMap(misspelt), 'nothing like it']) {
      const remedy = check(fileWith(path, word)).find((one) => one.key === text(path))?.remedy ?? '';
      for (const [, shown] of remedy.matchAll(/`([^`]+)`/g)) {
        suggested++;
        const { values } = parseYaml(`value: ${shown}\n`, 'f');
        const left = check(fileWith(path, values.value)).filter((one) => one.key === text(path));
        if (node.form === undefined) expect(left, `${text(path)}: ${shown}`).toEqual([]);
      }
    }
  }
  expect(suggested).toBeGreaterThan(20);
});

test('reports a misspelt key beside the right one as surplus, and suggests each once', () => {
  const [problem] = sessionFile({ heartBtIntS: 30, heartBtInts: 20 }, place);
  expect(problem!.remedy).toBe('`heartBtIntS` stands beside it: remove one of the two');
});

test('a number out of range gets its limits with their unit', () => {
  const told = (values: unknown) => sessionFile(values, place).map(({ key, problem }) => `${key} ${problem}`);
  expect(told({ heartBtIntS: 0, lostAfter: 0.5, connect: { connectTimeoutMs: 5 }, gapQueueMax: -1 })).toEqual([
    'connect.connectTimeoutMs must be at least 100 ms and at most 600000 ms',
    'heartBtIntS must be at least 1 s and at most 3600 s',
    'lostAfter must be at least 1 HeartBtInts and at most 20 HeartBtInts',
    expect.stringMatching(/^gapQueueMax must be at least \d+ and at most \d+$/),
  ]);
  const limits = { frameBytesMax: 1, failedLogonsPerMinute: 0 };
  const ofGateway = gateway({ fix: { limits }, busyPollMicros: -1 }, place).map(({ problem }) => problem);
  expect(ofGateway).toContain('must be at least 1024 bytes and at most 1048576 bytes');
  expect(ofGateway).toContain('must be at least 1 per minute and at most 10000 per minute');
  expect(ofGateway).toContain('must be at least 0 µs and at most 1000000 µs');
});

test('a key of ours in a settings file of QuickFIX works as it is suggested, whatever its case and prefix', () => {
  let suggested = 0;
  const read = (line: string) => readQuickfixCfg(`[SESSION]\nSenderCompID=A\n${line}\n`, 'house.cfg').sessions[0]!;
  for (const { path } of keysOf(schemaNode(SessionFileSchema))) {
    if (path.some((step) => typeof step === 'number')) continue;
    const key = path.join('.');
    for (const written of [key, key.toUpperCase(), `crossgate.${key}`, `CROSSGATE.${key.toLowerCase()}`]) {
      expect(withPrefix(written)).toBe(`Crossgate.${key}`);
      const report = read(`${written}=env:X`).reports.find((one) => one.key === written)!;
      const meant = /`(Crossgate\.[\w.]+)=…`/.exec(report.text)?.[1];
      // One of QuickFIX by its name.
      if (meant === undefined) continue;
      suggested++;
      const { file } = read(`${meant}=env:X`);
      const unknown = sessionFile(file.values, place).filter(({ problem }) => problem === 'unknown key');
      expect(unknown, `${written} → ${meant}`).toEqual([]);
    }
  }
  expect(suggested).toBeGreaterThan(200);
});
