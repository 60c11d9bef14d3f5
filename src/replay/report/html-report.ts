// The result of a replay as one HTML page for people, without anything to load: each order with its requests, the
// log's answers beside those of the run, and the tags that differ marked.

import { formatIso } from '../../base/time.ts';
import { type DecodedField, describe } from '../../dictionary/mod.ts';
import { Tag } from '../../wire/mod.ts';
import type { KeptMessage } from '../kept-message.ts';
import type { AnswerPair, ReplayDifference, ReplayResult, RequestResult } from '../target/replay-run.ts';
import { messageName, says } from './difference-lines.ts';
import { STYLE } from './html-style.ts';
import { type OrderSection, orderSections } from './order-sections.ts';
import { countResults, nothingSent, type ReplayContext } from './replay-report.ts';

/** Most orders on the page, those that differ first; a browser shows no day of a million. */
const SECTIONS_MAX = 2_000;
/** Most answers of one request. */
const PAIRS_MAX = 200;
/** Framing and addresses, equal by construction. */
const NOT_SHOWN: ReadonlySet<number> = new Set([8, 9, 10, 35, 49, 56]);

/** The page, in pieces. */
export function* replayHtml(result: ReplayResult, context: ReplayContext): Generator<string> {
  const all = orderSections(result);
  const different = all.filter(({ isDifferent }) => isDifferent);
  const same = all.filter(({ isDifferent }) => !isDifferent);
  const shown = new Set([...different, ...same].slice(0, SECTIONS_MAX));
  yield head(result, context);
  if (all.length > shown.size)
    yield `<p class="untried">${all.length - shown.size} further orders are left out; --json has all.</p>\n`;
  for (const section of all) if (shown.has(section)) yield sectionHtml(section, context);
  yield '</body>\n</html>\n';
}

function head(result: ReplayResult, { plan, target, prefix, startedAt, endedAt, unread = [] }: ReplayContext): string {
  const { same, different, notComparable, notSent } = countResults(result);
  const counts = [
    ['same', same, 'answered as in the log'],
    [different > 0 ? 'different' : 'soft', different, 'answered differently'],
    ...(notComparable > 0 ? [['untried', notComparable, 'not comparable'] as const] : []),
    ...(notSent > 0 ? [['untried', notSent, 'not sent'] as const] : []),
    ['soft', plan.unrelated, 'messages of the log answer no request'],
    ['soft', result.foreign, 'messages came for no request of this run'],
  ] as const;
  const isGood = different + notComparable + notSent === 0;
  const reason = nothingSent(result);
  const title = `Replay of ${plan.senderCompID} at ${target}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${html(title)} <span class="badge ${isGood ? 'same' : 'different'}">${isGood ? 'as in the log' : 'differs'}</span></h1>
<p class="soft">${html(plan.beginString)}, ${html(plan.senderCompID)} → ${html(plan.targetCompID)}, ${formatIso(startedAt)} to ${formatIso(endedAt)}, ClOrdIDs sent as ${html(prefix)}…</p>
${reason === null ? '' : `<p class="reason">Nothing was sent: ${html(reason)}</p>\n`}<ul class="counts">
${counts.map(([kind, count, name]) => `<li class="${kind}"><b>${count}</b> ${name}</li>`).join('\n')}
</ul>
${unread.map((each) => `<p class="untried">Not read: ${html(each)}</p>\n`).join('')}<p><label><input type="checkbox" id="only"> only orders that differ</label></p>
`;
}

function sectionHtml({ clOrdIDs, requests, isDifferent }: OrderSection, context: ReplayContext): string {
  const [first] = requests;
  const name =
    clOrdIDs.length === 0
      ? `${messageName(first!.request.msgType, context.dictionaries)} ${first!.request.label}`
      : `Order ${clOrdIDs.join(' → ')}`;
  const symbol = first!.request.message.view().string(Tag.Symbol);
  const badge = isDifferent ? '<span class="badge different">differs</span>' : '<span class="badge same">same</span>';
  const kind = isDifferent ? 'different-order' : 'same-order';
  return `<details class="order ${kind}"${isDifferent ? ' open' : ''}>
<summary><h2>${html(name)}</h2>${symbol === null ? '' : ` <span class="soft">${html(symbol)}</span>`}${badge}</summary>
<div>
${requests.map((each) => requestHtml(each, context)).join('')}</div>
</details>
`;
}

function requestHtml({ request, differences, pairs }: RequestResult, context: ReplayContext): string {
  const { dictionaries } = context;
  const at = request.at === null ? '' : `${formatIso(request.at).slice(11, 23)} `;
  const title = `${messageName(request.msgType, dictionaries)} ${request.label}`;
  const reasons = differences.flatMap((each) => reasonOf(each));
  const left = pairs.length - PAIRS_MAX;
  return `<div class="request">
<p>${html(at)}${html(title)} <span class="soft">34=${request.msgSeqNum} in the log</span></p>
<details><summary class="soft">the request</summary>${fieldTable(rowsOf(request.message, null, context), ['Field', 'In the log'])}</details>
${reasons.map((reason) => `<p class="reason">${html(reason)}</p>\n`).join('')}${pairs
  .slice(0, PAIRS_MAX)
  .map((pair) => pairHtml(pair, context))
  .join(
    '',
  )}${left > 0 ? `<p class="untried">${left} further answers are left out; --json has those that differ.</p>` : ''}</div>
`;
}

function reasonOf(difference: ReplayDifference): string[] {
  if (difference.kind === 'notSent') return [`not sent: ${difference.reason}`];
  if (difference.kind === 'notComparable') return [`not comparable: ${difference.reason}`];
  return difference.kind === 'missing' && difference.reason !== null ? [`missing: ${difference.reason}`] : [];
}

function pairHtml(pair: AnswerPair, context: ReplayContext): string {
  const { recorded, live, fields, isPart } = pair;
  const isOff = recorded === null || live === null || fields.length > 0;
  const note = isPart
    ? '<p class="untried">The log has only a part of this answer; the rest was not compared.</p>'
    : '';
  return `<details class="pair${isOff ? ' off' : ''}"${isOff ? ' open' : ''}>
<summary><span class="sides">${side('in the log', recorded, pair.recordedAfterMs, 'not in the log', context)}${side('now', live, pair.liveAfterMs, 'did not come', context)}</span></summary>
${note}${fieldTable(rowsOf(recorded, live, context, pair), ['Field', 'In the log', 'Now'])}</details>
`;
}

function side(
  name: string,
  message: KeptMessage | null,
  afterMs: number | null,
  none: string,
  { dictionaries }: ReplayContext,
): string {
  const after =
    afterMs === null ? '' : `, after ${afterMs < 10_000 ? `${afterMs} ms` : `${(afterMs / 1000).toFixed(1)} s`}`;
  const text = message === null ? `<b class="different">${none}</b>` : html(says(message, dictionaries));
  return `<span><i>${name}${after}</i>${text}</span>`;
}

interface Row {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly kind: '' | 'off' | 'varies';
  readonly why: string | null;
}

/** Fields of two messages side by side: the nth of a tag beside the nth. Without `pair`, those of one message alone. */
function rowsOf(
  recorded: KeptMessage | null,
  live: KeptMessage | null,
  { dictionaries }: ReplayContext,
  pair: AnswerPair | null = null,
): Row[] {
  const fieldsOf = (message: KeptMessage | null): DecodedField[] =>
    message === null ? [] : describe(message.view(), dictionaries).filter(({ tag }) => !NOT_SHOWN.has(tag));
  const before = fieldsOf(recorded);
  const after = Map.groupBy(fieldsOf(live), ({ tag }) => tag);
  const rows = before.map((field) => rowOf(field, after.get(field.tag)?.shift() ?? null, pair));
  for (const rest of after.values()) for (const field of rest) rows.push(rowOf(null, field, pair));
  return rows;
}

function rowOf(before: DecodedField | null, after: DecodedField | null, pair: AnswerPair | null): Row {
  const field = (before ?? after)!;
  const difference = pair?.fields.find(({ tag }) => tag === field.tag);
  const varies = before?.value !== after?.value;
  const isAlone = pair === null || pair.recorded === null || pair.live === null;
  return {
    name: `${'\u00a0\u00a0'.repeat(field.depth)}${field.name}(${field.tag})`,
    values: pair === null ? [shown(before)] : [shown(before), shown(after)],
    kind: isAlone || !varies ? '' : difference === undefined ? 'varies' : 'off',
    why: isAlone || !varies ? null : (difference?.why ?? null),
  };
}

const shown = (field: DecodedField | null): string | null =>
  field === null ? null : `${field.value}${field.meaning === null ? '' : ` ${field.meaning}`}`;

function fieldTable(rows: readonly Row[], heads: readonly string[]): string {
  const cells = rows.map(({ name, values, kind, why }) => {
    const mark = kind === 'off' ? '≠ ' : '';
    const reason = why === null ? '' : `<small>${html(why)}</small>`;
    const data = values.map((value) => `<td>${value === null ? '–' : html(value)}</td>`).join('');
    return `<tr${kind === '' ? '' : ` class="${kind}"`}><th scope="row">${mark}${html(name)}${reason}</th>${data}</tr>`;
  });
  const columns = heads.map((each) => `<th scope="col">${each}</th>`).join('');
  return `<table><thead><tr>${columns}</tr></thead><tbody>\n${cells.join('\n')}\n</tbody></table>`;
}

/** Text for HTML, control characters as a question mark. */
function html(text: string): string {
  return text
    .replace(/\p{Cc}/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
