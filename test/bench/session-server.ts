// A server of the session benchmark in a process of its own: a bare TCP echo, or our acceptor with an application that
// answers every NewOrderSingle(D) with an ExecutionReport(8). Answers `cpu`, `memory`, `gc`, `delay` on stdin with one line
// of JSON each. Takes its options as JSON in the first argument.

import { fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { BUSY_POLL_MICROS_DEFAULT } from '../../src/engine/sessions/busy-poll.ts';
import { fileStore, MessageDraft, MsgType, memoryStore, startAcceptor, Tag } from '../../src/mod.ts';

export interface ServerOptions {
  /** `group`: an echo that writes and syncs what all connections brought in a turn together before it answers any of them. */
  readonly kind: 'echo' | 'group' | 'fix';
  /** Folder of the journal; null for none. Of an echo: a file of zeros that takes RECORD_BYTES before every answer. */
  readonly store: string | null;
  readonly sessions: number;
  /** Of every session; `process` if absent. An echo with a store syncs unless it is `process`. */
  readonly durability?: 'disk' | 'process';
  /** As the library's option; none if absent. */
  readonly busyPollMicros?: number;
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  /** Password or hash of every session; null for none. */
  readonly password: string | null;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ServerOptions;

/** About what the journal keeps of an order. */
const RECORD_BYTES = 600;

/** About what the journal keeps of an order, in messages of its length: that, the report, and what comes with them. */
const RECORD_TIMES = 3;

/** Work before an answer: none, or one write, and one sync on the spot right after it. */
function floorOf(path: string | null): () => void {
  if (path === null) return () => {};
  const fd = openSync(path, 'r+');
  const { size } = fstatSync(fd);
  const record = Buffer.alloc(RECORD_BYTES, 'r');
  let position = 0;
  return () => {
    writeSync(fd, record, 0, record.length, position);
    if (options.durability !== 'process') fdatasyncSync(fd);
    position = position + 2 * record.length > size ? 0 : position + record.length;
  };
}

/** The floor of a server that shares a sync among its connections. */
function groupOf(path: string): (socket: Socket, chunk: Buffer) => void {
  const fd = openSync(path, 'r+');
  const { size } = fstatSync(fd);
  const group: { readonly socket: Socket; readonly chunk: Buffer }[] = [];
  let position = 0;
  const commit = (): void => {
    const answers = group.splice(0);
    const bytes = Buffer.concat(answers.flatMap(({ chunk }) => Array.from({ length: RECORD_TIMES }, () => chunk)));
    if (position + bytes.length > size) position = 0;
    writeSync(fd, bytes, 0, bytes.length, position);
    fdatasyncSync(fd);
    position += bytes.length;
    for (const { socket, chunk } of answers) socket.write(chunk);
  };
  return (socket, chunk) => {
    if (group.push({ socket, chunk }) === 1) setImmediate(commit);
  };
}

function echoOf(path: string | null): (socket: Socket, chunk: Buffer) => void {
  const record = floorOf(path);
  return (socket, chunk) => {
    record();
    socket.write(chunk);
  };
}

async function echo(): Promise<number> {
  const answerTo = options.kind === 'group' ? groupOf(options.store ?? '') : echoOf(options.store);
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('data', (chunk) => answerTo(socket, chunk));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function fix(): Promise<number> {
  let reports = 0;
  const sessions = Array.from({ length: options.sessions }, (_, i) => ({
    senderCompID: 'SERVER',
    targetCompID: `C${i}`,
    durability: options.durability ?? 'process',
    ...(options.password === null ? {} : { password: options.password }),
  }));
  const acceptor = await startAcceptor({
    port: 0,
    sessions,
    store: options.store === null ? memoryStore(10_000) : await fileStore(options.store),
    limits: { connectionsMax: 20_000, connectionsPerAddressMax: 20_000, logonTimeoutMs: 60_000 },
    onAlarm: ({ text }) => console.error(text),
    busyPollMicros: options.busyPollMicros ?? BUSY_POLL_MICROS_DEFAULT,
    ...(options.tls === null ? {} : { tls: options.tls }),
    application: {
      onMessage(order, session) {
        if (order.msgType !== MsgType.NewOrderSingle) return;
        const id = String(++reports);
        const quantity = order.string(Tag.OrderQty) ?? '0';
        const draft = new MessageDraft(MsgType.ExecutionReport)
          .add(Tag.OrderID, id)
          .add(Tag.ExecID, id)
          .add(Tag.ExecType, '0')
          .add(Tag.OrdStatus, '0')
          .add(Tag.LeavesQty, quantity)
          .add(Tag.CumQty, '0')
          .add(Tag.AvgPx, '0');
        order.copyTo(draft, Tag.ClOrdID, Tag.Symbol, Tag.Side, Tag.OrderQty, Tag.Price, Tag.TransactTime);
        session.send(draft);
      },
    },
  });
  return acceptor.port;
}

const gc = { count: 0, ms: 0, longestMs: 0 };
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    gc.count++;
    gc.ms += duration;
    gc.longestMs = Math.max(gc.longestMs, duration);
  }
}).observe({ entryTypes: ['gc'] });
/** Begun by the first question: it wakes the process 200 times a second, beside any other measurement. */
const delay = monitorEventLoopDelay({ resolution: 5 });

function answer(line: string): unknown {
  switch (line) {
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return { seconds: (user + system) / 1e6, system: system / 1e6 };
    }
    case 'memory': {
      globalThis.gc?.();
      globalThis.gc?.();
      const { rss, heapUsed, external } = process.memoryUsage();
      return { rss, heapUsed, external };
    }
    case 'gc': {
      const now = { ...gc };
      Object.assign(gc, { count: 0, ms: 0, longestMs: 0 });
      return now;
    }
    default: {
      delay.enable();
      const p99Ms = delay.percentile(99) / 1e6 - 5;
      const maxMs = delay.max / 1e6 - 5;
      delay.reset();
      return { p99Ms, maxMs };
    }
  }
}

const port = options.kind === 'fix' ? await fix() : await echo();
createInterface({ input: process.stdin })
  .on('line', (line) => console.log(JSON.stringify(answer(line))))
  .on('close', () => process.exit(0));
console.log(JSON.stringify({ port }));
