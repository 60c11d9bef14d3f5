// Records what the description of the bridge shows: the schema of every answer and stream frame, and one of each as the
// simulated exchange gave it. `npm run docs:samples` writes it; samples.test.ts says when a schema has changed since.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TSchema } from 'typebox';
import type { Json } from '../simulator/exchange-caller.ts';
import { answerSchema, askedByCaller, type EndpointRow, nameOf } from './endpoint-row.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import { arrange } from './situation.ts';
import { frameSchema, STREAM_TABLE, type StreamRow, triggerMmp } from './stream-table.ts';

export const SAMPLES_FILE = fileURLToPath(new URL('../../src/bridge/description/samples.json', import.meta.url));

/** By endpoint or topic: the name of its schema, the schema, and an example of it. */
export interface Sample {
  readonly name: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/** Endpoints that the bridge has, and some more: logins and custody writes stay out. */
export const answered: readonly EndpointRow[] = ENDPOINT_TABLE.filter(
  (row) => row.kind !== 'login' && row.schema !== null && row.method !== 'DELETE' && !/nonce|idb/.test(row.path),
);
export const framed: readonly StreamRow[] = STREAM_TABLE.filter(({ frames }) => frames !== null);
export const topicName = ({ stream, topic }: StreamRow): string => `${stream} ${topic}`;

const withoutToken = (key: string, value: unknown): unknown => {
  if (key === 'rateLimitToken') return undefined;
  // Clients must tolerate new fields (exchange reference §1.1).
  if (key === 'additionalProperties' && value === false) return undefined;
  return key === 'required' && Array.isArray(value) ? value.filter((name) => name !== 'rateLimitToken') : value;
};
/** A schema or an answer as plain JSON, without the token that the bridge keeps to itself (rule B4). */
export const plainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value, withoutToken));

/** The first of a list is enough to read. */
function shortened(json: unknown): unknown {
  if (Array.isArray(json)) return json.slice(0, 1).map(shortened);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, shortened(value)]));
}

const sample = (name: string, schema: TSchema, json: unknown): Sample => ({
  name,
  schema: plainJson(schema),
  example: shortened(plainJson(json)),
});

async function main(): Promise<void> {
  const situation = await arrange();
  const samples: Record<string, Sample> = {};
  for (const row of answered) {
    const { json } = await askedByCaller(row, situation);
    samples[nameOf(row)] = sample(row.answers, answerSchema(row)!, json);
  }
  await triggerMmp(situation);
  situation.advance(40_000);
  for (const row of framed) {
    const stream = await situation.demo.stream(row.stream);
    await stream.subscribe({ topic: row.topic, ...row.params });
    const isData = (frame: Json): boolean => frame.dataType === row.frames!.dataType;
    const wanted = row.frames!.first === 'none' ? 'update' : row.frames!.first;
    const frame = await stream.find((one) => isData(one) && one.type === wanted);
    samples[topicName(row)] = sample(row.frames!.dataType, frameSchema(row, wanted), frame);
    stream.close();
  }
  await situation.simulator.close();
  const lines = Object.entries(samples).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  writeFileSync(SAMPLES_FILE, `{\n${lines.join(',\n')}\n}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
