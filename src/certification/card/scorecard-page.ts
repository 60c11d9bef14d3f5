// The scorecard as one page for people: nothing beside it is needed, and the signed JSON lies in it.

import { totalsInWords } from '../desk/desk-view.ts';
import { decidingStep, type StepResult, type Verdict } from '../run/case-result.ts';
import { GROUP_TITLES, GROUPS } from '../suite/features.ts';
import { EMBEDDED, type Scorecard } from './scorecard.ts';

type Case = Scorecard['cases'][number];

const WORDS: Readonly<Record<Verdict, string>> = {
  pass: 'passed',
  fail: 'failed',
  missing: 'not seen in time',
  broken: 'not judged',
};

const STYLE = `
:root { color-scheme: light dark; --good: #1a7f37; --bad: #cf222e; --wait: #9a6700; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.verdict { display: inline-block; padding: .15rem .6rem; border-radius: .3rem; font-weight: 600; color: #fff; background: var(--bad); }
.verdict.good { background: var(--good); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; } dt { opacity: .7; } dd { margin: 0; }
details { border: 1px solid var(--line); border-radius: .3rem; margin: .3rem 0; }
summary { display: flex; gap: .75rem; padding: .4rem .6rem; cursor: pointer; align-items: baseline; }
summary .id { font: 13px ui-monospace, monospace; min-width: 15rem; } summary .title { flex: 1; }
.mark { font-weight: 600; white-space: nowrap; } .pass { color: var(--good); } .fail { color: var(--bad); }
.missing, .broken { color: var(--wait); } .none { opacity: .6; }
ol { margin: .2rem 0 .8rem; padding-left: 2.4rem; } li { margin: .25rem 0; }
.detail { color: var(--bad); } .hint { font-style: italic; } .rule { padding: 0 .6rem; opacity: .8; }
pre { font: 12px/1.4 ui-monospace, monospace; background: var(--soft); padding: .4rem .6rem; overflow-x: auto; margin: .3rem 0; white-space: pre-wrap; word-break: break-all; }
.key { font: 12px ui-monospace, monospace; word-break: break-all; }
@media print { details { break-inside: avoid; } }
`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export function scorecardPage(card: Scorecard): string {
  const { session, sessionId, beginString, dialect, suite, rules, gateway, issuedAt, certified, totals } = card;
  const facts: readonly (readonly [string, string])[] = [
    ['Session', `${session}, ${sessionId}`],
    ['Version and dialect', `${beginString} ${dialect}`],
    ['Suite', suite],
    ['Rules of engagement', rules],
    ['Issued', `${issuedAt} by Crossgate ${gateway}`],
    ['Mandatory cases', totalsInWords(totals)],
    ['Optional cases', `${totals.optionalPassed} of ${totals.optional} passed; ${totals.notApplicable} do not apply`],
  ];
  const groups = GROUPS.map((group) =>
    groupOf(
      GROUP_TITLES[group],
      card.cases.filter((one) => one.group === group),
    ),
  );
  const json = JSON.stringify(card).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certification of ${escaped(session)}</title><style>${STYLE}</style></head><body>
<h1>Certification of ${escaped(session)}</h1>
<p><span class="verdict${certified ? ' good' : ''}">${certified ? 'Certified' : 'Not certified'}</span></p>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>
${groups.join('\n')}
<h2>Signature</h2>
<p>Ed25519, over the data in this page. Prove it with <code>crossgate certification verify FILE</code>.</p>
<p class="key">${escaped(card.signature.publicKey.replaceAll('\n', ' '))}</p>
<p class="key">${escaped(card.signature.value)}</p>
<script type="application/json" id="${EMBEDDED}">${json}</script>
</body></html>
`;
}

function groupOf(title: string, cases: readonly Case[]): string {
  return cases.length === 0 ? '' : `<h2>${escaped(title)}</h2>\n${cases.map(caseOf).join('\n')}`;
}

function caseOf({ id, title, rule, obligation, result }: Case): string {
  const verdict = result?.verdict ?? null;
  const word = verdict === null ? (obligation === 'not applicable' ? 'does not apply' : 'not played') : WORDS[verdict];
  const mark = `<span class="mark ${verdict ?? 'none'}">${word}</span>`;
  const deciding = result === null ? null : decidingStep(result);
  const why = deciding === null ? '' : ` <span class="detail">${escaped(deciding.detail)}</span>`;
  const optional = obligation === 'optional' ? ' (optional)' : '';
  const head = `<summary><span class="id">${id}</span><span class="title">${escaped(title)}${optional}${why}</span>${mark}</summary>`;
  const steps = result === null ? '' : `<ol>${result.steps.map(stepOf).join('')}</ol>`;
  return `<details>${head}<p class="rule">${escaped(rule)}</p>${steps}</details>`;
}

function stepOf({ text, verdict, detail, hint, evidence }: StepResult): string {
  const mark = verdict === null ? '' : ` <span class="mark ${verdict}">${WORDS[verdict]}</span>`;
  const why = detail === '' ? '' : `<div class="detail">${escaped(detail)}</div>`;
  const advice = hint === '' ? '' : `<div class="hint">${escaped(hint)}</div>`;
  const messages = evidence.length === 0 ? '' : `<pre>${evidence.map(escaped).join('\n')}</pre>`;
  return `<li>${escaped(text)}${mark}${why}${advice}${messages}</li>`;
}
