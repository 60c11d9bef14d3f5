// The contract of the exchange's streams: a test per row of stream-table.ts, over real WebSockets, field by field.
// Table, simulator and catalogue name the same topics, so that none lacks a test.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/simulator/streams/topics.ts';
import type { Json, Stream } from '../simulator/exchange-caller.ts';
import { CATALOGUE_TOPICS } from './catalogue.ts';
import { streamCoverage } from './coverage.ts';
import { ErrorFrame } from './order-schemas.ts';
import { AccountId, exactly, Word } from './scalars.ts';
import { arrange, type Situation } from './situation.ts';
import {
  frameSchema,
  STREAM_TABLE,
  StreamAcknowledgement,
  StreamPong,
  StreamRefusal,
  type StreamRow,
  triggerMmp,
} from './stream-table.ts';
import { deviations } from './validation.ts';

let situation: Situation;
beforeAll(async () => {
  situation = await arrange();
  await triggerMmp(situation);
  // Past the freeze, so that protected orders are taken again.
  situation.advance(40_000);
});
afterAll(() => situation.simulator.close());

const nameOf = ({ stream, topic }: StreamRow): string => `${stream} ${topic}`;

async function withStream(stream: string, run: (opened: Stream) => Promise<void>): Promise<void> {
  const opened = await situation.demo.stream(stream);
  try {
    await run(opened);
  } finally {
    opened.close();
  }
}

const served = STREAM_TABLE.filter(({ frames }) => frames !== null);
const refused = STREAM_TABLE.filter(({ frames }) => frames === null);

describe.each(served.map((row) => [nameOf(row), row] as const))('%s', (_name, row) => {
  const { dataType, first, cause } = row.frames!;

  test(`acknowledges, then sends ${dataType} frames, field by field`, () =>
    withStream(row.stream, async (stream) => {
      const answer = await stream.subscribe({ topic: row.topic, ...row.params });
      expect(deviations(StreamAcknowledgement, answer)).toEqual([]);
      const isData = (frame: Json): boolean => frame.dataType === dataType;
      let at = stream.frames.length;
      if (first !== 'none') {
        const snapshot = await stream.find(isData);
        expect(deviations(frameSchema(row, first), snapshot)).toEqual([]);
        const { data } = snapshot;
        if (Array.isArray(data)) expect(data.length).toBeGreaterThan(0);
        await stream.ping();
        at = stream.frames.length;
      }
      await cause(situation);
      const update = await stream.find((frame) => isData(frame) && frame.type === 'update', at);
      expect(deviations(frameSchema(row, 'update'), update)).toEqual([]);
    }));

  test('ends by unsubscribing', () =>
    withStream(row.stream, async (stream) => {
      const { id } = await stream.subscribe({ topic: row.topic, ...row.params });
      const params = row.stream === 'private-data' ? { subscriptionId: id } : { topic: row.topic, ...row.params };
      const ended = stream.send('unsubscribe', params as Json);
      expect(deviations(StreamAcknowledgement, await stream.find((frame) => frame.id === ended))).toEqual([]);
      const again = stream.send('unsubscribe', params as Json);
      expect(deviations(StreamRefusal, await stream.find((frame) => frame.id === again))).toEqual([]);
    }));
});

describe.each(refused.map((row) => [nameOf(row), row] as const))('%s', (_name, row) => {
  test('is deprecated and refused with 29013', () =>
    withStream(row.stream, async (stream) => {
      const answer = await stream.subscribe({ topic: row.topic, ...row.params });
      expect(deviations(StreamRefusal, answer)).toEqual([]);
      expect((answer.error as Json).errorCode).toBe('29013');
    }));
});

describe.each([...TOPICS.keys()])('%s', (path) => {
  test('keepalivePing is answered, an unknown topic refused, in the documented frames', () =>
    withStream(path, async (stream) => {
      const id = stream.send('keepalivePing');
      expect(deviations(StreamPong, await stream.find((frame) => frame.id === id))).toEqual([]);
      expect(deviations(StreamRefusal, await stream.subscribe({ topic: 'abcde' }))).toEqual([]);
    }));
});

test('private-data reports a refusal after the acknowledgement with V1TAErrorResponse', () =>
  withStream('private-data', async (stream) => {
    await stream.subscribe({ topic: 'orders' });
    await situation.demo.create({ side: 'BUY', price: '30000.0' });
    const frame = await stream.find(({ dataType }) => dataType === 'V1TAErrorResponse');
    const whole = exactly({ type: Word, dataType: Word, tradingAccountId: AccountId, data: ErrorFrame });
    expect(deviations(whole, frame)).toEqual([]);
  }));

describe('no topic is without a test', () => {
  const rows = STREAM_TABLE.map(nameOf);

  test('the simulated exchange serves exactly the table', () => {
    const topics = [...TOPICS].flatMap(([path, names]) => [...names.keys()].map((name) => `${path} ${name}`));
    expect(topics.sort()).toEqual(served.map(nameOf).sort());
  });

  test('every topic of the exchange catalogue’s Appendix C is in the table', () => {
    expect(CATALOGUE_TOPICS.filter((topic) => !rows.includes(topic))).toEqual([]);
    expect(new Set(rows).size).toBe(rows.length);
  });
});

test('the coverage of the topics', () => {
  const table = streamCoverage();
  console.log(`\n${table}`);
  expect(table.split('\n').length).toBe(STREAM_TABLE.length + 2);
});
