// The HTML page of a replay: each order once, answers side by side, the tags that differ marked, nothing to load.

import { expect, test } from 'vitest';
import { LogDictionaries } from '../../../src/cli/log/message-log.ts';
import { ReplayLog } from '../../../src/replay/kept-message.ts';
import { LogSessions } from '../../../src/replay/log-sessions.ts';
import { loggedMessage } from '../../../src/replay/logged-message.ts';
import { replayHtml } from '../../../src/replay/report/html-report.ts';
import { planReplay } from '../../../src/replay/target/replay-plan.ts';
import { ReplayRun } from '../../../src/replay/target/replay-run.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const LOG = [
  '35=D|49=OMS|56=XG|34=1|52=20261121-12:00:00.000|11=a|55=BTC|54=1|38=1|',
  '35=8|49=XG|56=OMS|34=1|52=20261121-12:00:00.015|37=900|17=1|11=a|150=0|39=0|55=BTC|31=60010|58=<b>&"new"|',
  '35=F|49=OMS|56=XG|34=2|52=20261121-12:00:01.000|11=b|41=a|55=BTC|',
  '35=8|49=XG|56=OMS|34=2|52=20261121-12:00:01.020|37=900|17=2|11=b|41=a|150=4|39=4|',
  '35=D|49=OMS|56=XG|34=3|52=20261121-12:00:02.000|11=c|55=ETH|54=1|38=1|',
  '35=8|49=XG|56=OMS|34=3|52=20261121-12:00:02.004|37=901|17=3|11=c|150=0|39=0|',
];
const ANSWERS = [
  '35=8|49=XG|56=OMS|34=1|37=77|17=x|11=R-a|150=0|39=0|55=BTC|31=60020|58=<b>&"new"|',
  '35=8|49=XG|56=OMS|34=3|37=77|17=y|11=R-b|41=R-a|150=4|39=4|',
  '35=8|49=XG|56=OMS|34=4|37=78|17=z|11=R-c|150=0|39=0|',
];

async function pageOf(log: readonly string[], answers: readonly string[]): Promise<string> {
  const [kept, sessions] = [new ReplayLog(), new LogSessions()];
  for (const body of log) {
    const message = loggedMessage(fromPrintable(body), { at: null, session: null, counted: true, note: '' });
    kept.add(message, sessions.directionOf(message));
  }
  const plan = planReplay(kept, null);
  if (typeof plan === 'string') throw new Error(plan);
  const run = new ReplayRun(plan, { prefix: 'R-', volatile: [] });
  for (const answer of answers) {
    run.take(NOW);
    run.received(viewOf(fromPrintable(answer))!, NOW + 12);
  }
  run.take(NOW);
  run.tick(NOW + 6_000);
  const dictionaries = await new LogDictionaries().of('FIX.4.4');
  const context = { plan, target: 'localhost:1', prefix: 'R-', startedAt: NOW, endedAt: NOW + 5, dictionaries };
  return [...replayHtml(run.result('it ended'), context)].join('');
}

test('marks a differing tag, says that others vary, and gives each order once with its chain', async () => {
  const page = await pageOf(LOG, ANSWERS);
  expect(page).toContain('<tr class="off"><th scope="row">≠ LastPx(31)</th><td>60010</td><td>60020</td></tr>');
  expect(page).toContain('<tr class="varies"><th scope="row">OrderID(37)</th><td>900</td><td>77</td></tr>');
  expect(page.match(/<h2>[^<]*/g)).toEqual(['<h2>Order a → b', '<h2>Order c']);
  expect(page.match(/<details class="order [^>]*>/g)).toEqual([
    '<details class="order different-order" open>',
    '<details class="order same-order">',
  ]);
  expect(page).toContain('<i>in the log, after 15 ms</i>');
  expect(page).toContain('<i>now, after 12 ms</i>');
});

test('shows texts as they are, and loads nothing', async () => {
  const page = await pageOf(LOG, ANSWERS);
  expect(page).toContain('&lt;b&gt;&amp;&quot;new&quot;');
  expect(page).not.toContain('<b>&');
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(page).not.toMatch(/https?:|<script|<link|\bsrc=|@import|url\(/);
});

test('a missing answer stands beside an empty side, with the time that it was awaited', async () => {
  const page = await pageOf(LOG, ANSWERS.slice(0, 1));
  expect(page).toContain('<b class="different">did not come</b>');
  expect(page).toContain('missing: waited 5.0 s: --timeout 5000 ms beyond the 0.0 s of the log');
  expect(page).toContain('not sent: it ended');
});

test('an answer that is truncated in the log is compared up to its end, and says so', async () => {
  const cut = LOG.map((body, i) => (i === 1 ? body.replace(/\|31=.*/, '|31=60010|') : body));
  const bytes = fromPrintable(cut[1]!).toString('latin1');
  const [kept, sessions] = [new ReplayLog(), new LogSessions()];
  for (const [i, body] of cut.entries()) {
    const whole = fromPrintable(body);
    // Its trailer is gone: the logger cut the line.
    const raw = i === 1 ? Buffer.from(bytes.slice(0, bytes.lastIndexOf('\u000110=') + 1), 'latin1') : whole;
    const message = loggedMessage(raw, { at: null, session: null, counted: true, note: '' });
    expect(message.isCutShort).toBe(i === 1);
    kept.add(message, sessions.directionOf(message));
  }
  const plan = planReplay(kept, null);
  if (typeof plan === 'string') throw new Error(plan);
  const differencesOf = (answer: string) => {
    const run = new ReplayRun(plan, { prefix: 'R-', volatile: [] });
    run.take(NOW);
    run.received(viewOf(fromPrintable(answer))!, NOW);
    return run.result('').requests[0]!;
  };
  expect(differencesOf(ANSWERS[0]!.replace('60020', '60010'))).toMatchObject({
    differences: [],
    pairs: [{ isPart: true }],
  });
  expect(differencesOf(ANSWERS[0]!).differences).toMatchObject([{ kind: 'fields', fields: [{ tag: 31 }] }]);
});
