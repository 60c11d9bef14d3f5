// `crossgate replay` of a message log at an acceptor of the library: a log of a house with a dictionary of its own. Days of a
// gateway's journal, and what is compared, are in test/e2e/replay.test.ts.

import { spawn } from 'node:child_process';
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogDictionaries } from '../../../src/cli/log/message-log.ts';
import { type FixEngine, newMessage, startAcceptor } from '../../../src/mod.ts';
import { FieldNames, parseScenario, printScenario } from '../../../src/scenario/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { fromPrintable, MsgType } from '../../../src/wire/mod.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const OVERLAY = `<fix type='FIX' major='4' minor='4'>
  <messages>
    <message name='NewOrderSingle' msgtype='D' msgcat='app'>
      <field name='SealLen' required='N'/><field name='Seal' required='N'/>
    </message>
    <message name='ExecutionReport' msgtype='8' msgcat='app'>
      <field name='SealLen' required='N'/><field name='Seal' required='N'/>
    </message>
  </messages>
  <fields><field number='5101' name='SealLen' type='LENGTH'/><field number='5102' name='Seal' type='DATA'/></fields>
</fix>`;
const SEAL_TAG = 5102;
/** Data with what looks like a quantity in it. */
const SEAL = 'x\u000138=9';

let folder = '';
let engine: FixEngine;
const heard: unknown[] = [];
const heardAt: number[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossgate-replay-'));
  await copyFile(new URL('../../../dictionaries/FIX44.xml', import.meta.url), join(folder, 'FIX44.xml'));
  await writeFile(join(folder, 'FIX44.overlay.xml'), OVERLAY);
  heard.length = 0;
  engine = await startAcceptor({
    port: 0,
    dictionaries: folder,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: {
      onMessage: (order, session) => {
        const seal = order.string(SEAL_TAG);
        heardAt.push(performance.now());
        heard.push([seal, order.string('OrderQty')]);
        const report = newMessage(MsgType.ExecutionReport, {
          OrderID: '1',
          ExecID: '1',
          ExecType: '0',
          OrdStatus: '0',
          ClOrdID: order.string('ClOrdID')!,
          Symbol: 'BTCUSDC',
          Side: '1',
          LeavesQty: order.string('OrderQty')!,
          CumQty: '0',
          AvgPx: '0',
        });
        session.send(report.add(SEAL_TAG - 1, `${seal!.length}`).add(SEAL_TAG, seal!));
      },
    },
  });
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

interface Replayed {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

async function replay(log: readonly string[], ...args: string[]): Promise<Replayed> {
  await writeLog('day.log', log);
  return await replayFiles(['day.log'], args);
}

async function writeLog(name: string, log: readonly string[]): Promise<void> {
  await writeFile(join(folder, name), log.map((body) => fromPrintable(body).toString('latin1')).join('\n'), 'latin1');
}

async function replayFiles(names: readonly string[], args: readonly string[], input = ''): Promise<Replayed> {
  const files = names.map((name) => (name === '-' ? name : join(folder, name)));
  const target = ['--target', `127.0.0.1:${engine.port}`, '--timeout', '1500', '--settle', '50'];
  const child = spawn(process.execPath, [MAIN, 'replay', ...files, ...target, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input, 'latin1');
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err, code: await ended };
}

const LOG = [
  '35=A|49=OMS|56=GATE|34=1|52=20261121-10:11:12.000|98=0|108=30|',
  '35=A|49=GATE|56=OMS|34=1|52=20261121-10:11:12.000|98=0|108=30|',
  `35=D|49=OMS|56=GATE|34=2|52=20261121-10:11:12.345|11=o-1|5101=6|5102=${SEAL}|55=BTCUSDC|54=1|60=20261121-10:11:12|38=1|40=1|`,
  `35=8|49=GATE|56=OMS|34=2|52=20261121-10:11:12.346|37=1|17=1|150=0|39=0|11=o-1|55=BTCUSDC|54=1|151=1|14=0|6=0|5101=6|5102=${SEAL}|`,
];

test('--dictionaries names data fields, for resent messages and answers', async () => {
  const { out, code } = await replay(LOG, '--dictionaries', folder);
  expect(out).toContain(' 1 answered as in the log, 0 differently');
  expect(heard).toEqual([[SEAL, '1']]);
  expect(code).toBe(0);
});

test('S2 received answers are proven: the next replay does not get them again', async () => {
  for (let i = 0; i < 2; i++) {
    const { out } = await replay(LOG, '--dictionaries', folder);
    expect(out.trim()).toMatch(/ 1 answered as in the log, 0 differently$/);
  }
});

test('reports the MsgSeqNum(34) that a log lacks', async () => {
  const lacking = LOG.map((body, i) => (i < 2 ? body : body.replace('34=2', i === 2 ? '34=3' : '34=7')));
  const { err, code } = await replay(lacking, '--dictionaries', folder);
  expect(err.split('\n')).toEqual([
    'crossgate: the log lacks messages of OMS (34=2): their consequences may differ',
    'crossgate: the log lacks messages of GATE (34=2-6): their consequences may differ',
    '',
  ]);
  expect(code).toBe(0);
});

test('--dictionaries names the fields of a house where answers differ', async () => {
  const other = LOG.map((body) => body.replace(`6=0|5101=6|5102=${SEAL}`, '6=0|5101=1|5102=y'));
  const { out, code } = await replay(other, '--dictionaries', folder);
  expect(out).toMatch(/Seal\(5102\) is .*, in the log y/);
  expect(code).toBe(1);
});

test('without a connection, or a Logon, nothing was sent: exit code 3, and the reports say so', async () => {
  const [json, junit] = [join(folder, 'r.json'), join(folder, 'r.xml')];
  const files = ['--json', json, '--junit', junit, '--dictionaries', folder];
  const refused = await replay(LOG, '--sender-comp-id', 'NOBODY', ...files);
  expect(refused.err).toContain('nothing was sent: the Logon was not accepted');
  expect([refused.code, await readFile(junit, 'utf8')]).toEqual([
    3,
    expect.stringContaining('tests="1" failures="0" errors="1"'),
  ]);
  await rm(junit);
  const { port } = engine;
  await engine.close();
  const { err, code } = await replay(LOG, ...files, '--target', `127.0.0.1:${port}`);
  expect([err, code]).toEqual([
    expect.stringMatching(/nothing was sent: cannot connect to .* \[XG_CONNECT_FAILED\]\n$/),
    3,
  ]);
  expect(await readFile(junit, 'utf8')).toContain('<error message="nothing was sent: cannot connect to ');
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ same: 0, different: 0, notSent: 1 });
});

test('where the result cannot be written nothing is sent: it would be lost, and an order entered for it', async () => {
  const junit = join(folder, 'no-folder', 'r.xml');
  const { err, code } = await replay(LOG, '--dictionaries', folder, '--junit', junit);
  expect([err, code, heard]).toEqual([
    expect.stringContaining(`--junit: ${junit} cannot be written, and nothing was replayed: ENOENT`),
    2,
    [],
  ]);
});

test('--pace recorded keeps the times between requests', async () => {
  const order = (msgSeqNum: number, ms: string): string =>
    LOG[2]!.replace('34=2', `34=${msgSeqNum}`).replace('12.345', ms).replace('11=o-1', `11=p-${msgSeqNum}`);
  const answers = ['2', '3'].map((n) =>
    LOG[3]!.replace('34=2', `34=${n}`).replace('17=1', `17=${n}`).replace('o-1', `p-${n}`),
  );
  const log = [LOG[0]!, LOG[1]!, order(2, '12.000'), answers[0]!, order(3, '12.900'), answers[1]!];
  const startedAt = heardAt.length;
  const { code } = await replay(log, '--dictionaries', folder, '--pace', 'recorded', '--volatile', '17,37');
  expect(code).toBe(0);
  const [first, second] = heardAt.slice(startedAt);
  expect(second! - first!).toBeGreaterThan(800);
  expect(await replay(log, '--pace', 'slow')).toMatchObject({ code: 2, err: expect.stringContaining('--pace slow') });
});

test('--cert and --key log on where the session is bound to a certificate', async () => {
  const server = await createSelfSignedCertificate({ commonName: 'localhost' });
  const client = await createSelfSignedCertificate({ commonName: 'oms.test' });
  const files = { ca: server.certificatePem, cert: client.certificatePem, key: client.keyPem };
  for (const [name, pem] of Object.entries(files)) await writeFile(join(folder, name), pem);
  const bound = await startAcceptor({
    port: 0,
    application: { onMessage: () => {} },
    tls: { certificate: server.certificatePem, key: server.keyPem, clientAuthority: client.certificatePem },
    sessions: [
      {
        senderCompID: 'GATE',
        targetCompID: 'OMS',
        access: { certificate: { commonName: 'oms.test', fingerprints: [] } },
      },
    ],
  });
  const given = (...names: string[]): string[] => names.flatMap((name) => [`--${name}`, join(folder, name)]);
  const target = ['--target', `localhost:${bound.port}`, '--timeout', '50'];
  try {
    expect(await replay(LOG, ...target, '--tls', ...given('ca', 'cert', 'key'))).toMatchObject({ code: 1, err: '' });
    expect((await replay(LOG, ...target, '--tls', ...given('ca'))).code).toBe(3);
    expect((await replay(LOG, ...target, '--tls', ...given('ca', 'cert'))).err).toContain('--cert and --key');
    expect((await replay(LOG, ...target, ...given('cert', 'key'))).err).toContain('add --tls');
  } finally {
    await bound.close();
  }
});

test('logs on as in the log: SubIDs, LocationIDs and DefaultApplVerID(1137)', async () => {
  const identity = { senderSubID: 'DESK', senderLocationID: 'LD4', targetSubID: 'T1', targetLocationID: 'NY' };
  const session = { senderCompID: 'GATE', targetCompID: 'OMS', ...identity };
  const seen: (string | null)[] = [];
  const sp1 = await startAcceptor({
    port: 0,
    sessions: [{ ...session, beginString: 'FIXT.1.1', defaultApplVerID: '8' }],
    application: { onMessage: (order) => void seen.push(order.string('ClOrdID'), order.string('SenderSubID')) },
  });
  const ours = '49=OMS|56=GATE|50=T1|142=NY|57=DESK|143=LD4';
  const raw = [
    `35=A|${ours}|34=1|52=20261121-10:11:12.000|98=0|108=30|1137=8|`,
    `35=D|${ours}|34=2|52=20261121-10:11:12.345|11=o-1|55=BTCUSDC|54=1|60=20261121-10:11:12|38=1|40=1|`,
  ];
  const log = raw.map((body) => body.replace(/^/, '8=FIXT.1.1|9=0|'));
  try {
    const { out, err, code } = await replay(log, '--target', `127.0.0.1:${sp1.port}`);
    expect([err, code, out]).toEqual(['', 0, expect.stringContaining(' 1 answered as in the log')]);
    expect(seen).toEqual([expect.stringMatching(/-o-1$/), 'T1']);
  } finally {
    await sp1.close();
  }
});

describe('a log in several files', () => {
  const SECOND = LOG.slice(2).map((body, i) =>
    body
      .replace('34=2', '34=3')
      .replaceAll('o-1', 'o-2')
      .replace('17=1', '17=2')
      .replace(/10:11:12\.\d+/, `10:11:13.00${i}`),
  );
  const all = [...LOG, ...SECOND];
  const args = (): string[] => ['--dictionaries', folder, '--volatile', '17,37'];

  test('one per direction, one of them from standard input, is put together by time', async () => {
    const isOurs = (body: string): boolean => body.includes('|49=OMS|');
    await writeLog('out.log', all.filter(isOurs));
    const incoming = all.filter((body) => !isOurs(body)).map((body) => fromPrintable(body).toString('latin1'));
    const { out, err, code } = await replayFiles(['out.log', '-'], args(), incoming.join('\n'));
    expect([err, code]).toEqual(['', 0]);
    expect(out).toMatch(/^2 requests sent as \S+: 2 answered as in the log, 0 differently\n$/);
    expect((await replayFiles(['-', '-'], args())).err).toContain('- may be named once');
  });

  test('--from and --to leave out earlier and later messages', async () => {
    await writeLog('day.log', all);
    const from = await replayFiles(['day.log'], [...args(), '--from', '2026-11-21T10:11:13']);
    expect(from).toMatchObject({ code: 0, out: expect.stringContaining('1 requests sent') });
    const to = await replayFiles(['day.log'], [...args(), '--to', '2026-11-21T10:11:12.999']);
    expect(to).toMatchObject({ code: 0, out: expect.stringContaining('1 requests sent') });
    expect(heard).toHaveLength(2);
  });

  test('with nothing left to replay names the selection and the number of messages', async () => {
    const nobody = await replay(all, '--session', 'NOBODY');
    expect(nobody.err).toContain('no message of the log is wanted (--session NOBODY: 0 of 6 messages)');
    const later = await replay(all, '--from', '2030-01-01');
    expect(later.err).toContain('nothing to replay (--from 2030-01-01: 2 of 6 messages)');
  });
});

test('--json - prints only the result; a file with anything else is not overwritten', async () => {
  const { out, err, code } = await replay(LOG, '--dictionaries', folder, '--json', '-');
  expect([JSON.parse(out), code]).toEqual([expect.objectContaining({ different: 0 }), 0]);
  expect(err).toContain('requests sent as ');
  heard.splice(0);
  // As other commands have it: the log behind an option that takes no file there.
  const log = join(folder, 'behind.log');
  await writeFile(log, 'a log');
  const taken = await replay(LOG, '--dictionaries', folder, '--json', log);
  expect([taken.err, taken.code, heard]).toEqual([
    expect.stringMatching(/^crossgate: --json: \S+behind\.log holds something else than a result/),
    2,
    [],
  ]);
  expect(await readFile(log, 'utf8')).toBe('a log');
});

test('--json has the parts of the log that were not read, as FILE:LINE: why', async () => {
  await writeLog('day.log', LOG);
  const file = join(folder, 'day.log');
  await appendFile(file, '\n35=D|49=OMS|56=GATE|34=9|11=lost|\n', 'latin1');
  const { out, code } = await replayFiles(['day.log'], ['--dictionaries', folder, '--json', '-']);
  expect([code, JSON.parse(out).unread]).toEqual([
    1,
    [`${file}: a line with FIX in it is not read`, `${file}:5: fields of a message without its BeginString(8)`],
  ]);
});

test('--shrink writes the fewest requests that still differ as a scenario that reads back', async () => {
  const orders = ['1', '3', '2'].flatMap((qty, i) => {
    const [order, report] = [LOG[2]!, LOG[3]!].map((body) =>
      body
        .replace('34=2', `34=${i + 2}`)
        .replace('11=o-1', `11=o-${i + 1}`)
        .replace('17=1', `17=${i + 1}`),
    );
    return [order!.replace('|38=1|', `|38=${qty}|`), report!.replace('|151=1|', `|151=${qty === '3' ? '4' : qty}|`)];
  });
  const file = join(folder, 'shrunk.scenario');
  const args = ['--dictionaries', folder, '--volatile', '17,37', '--shrink', file];
  const { out, code } = await replay([LOG[0]!, LOG[1]!, ...orders], ...args);
  expect([code, out]).toEqual([
    1,
    expect.stringContaining(`shrunk from 3 to 1 requests that still differ, in 1 attempts: ${file}`),
  ]);
  const scenario = await readFile(file, 'utf8');
  const names = new FieldNames(await new LogDictionaries(folder).of('FIX.4.4'));
  const parsed = parseScenario(scenario, file, { names });
  expect(parsed.problems).toEqual([]);
  expect(printScenario(parsed.scenario, names)).toBe(scenario);
  expect(scenario).toContain('case shrunk "NewOrderSingle ClOrdID=o-2"');
  expect(scenario).toMatch(/send NewOrderSingle \| ClOrdID=\{run\}-o-2 .* OrderQty=3 /);
  expect(scenario).toMatch(/await ExecutionReport \| OrderID=\* as id1 .* LeavesQty=4 /);
});
