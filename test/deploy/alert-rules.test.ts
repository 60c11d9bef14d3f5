// The alert rules of deploy/: each fires on the series that it is for and clears again, by Prometheus' own test, and each
// leads to a page that is there.

import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { anchorOf } from '../../docs/.vitepress/anchor.ts';
import { ALARM_NAMES } from '../../src/ops/alarms/alarm-severity.ts';
import { METRICS } from '../../src/ops/metrics/declarations.ts';
import { describeWith, tool } from '../support/requirement.ts';
import { ALERT_CASES, type AlertCase } from './alert-cases.ts';
import { alertRules, DEPLOY } from './monitoring.ts';

const run = promisify(execFile);

test('each alert has a severity, words, a case, and a link to a heading of the documentation', () => {
  const rules = alertRules();
  expect(rules.map(({ alert }) => alert)).toEqual(Object.keys(ALERT_CASES));
  for (const { alert, labels, annotations } of rules) {
    expect(labels.severity, alert).toMatch(/^(critical|warning|\{\{ \$labels\.severity \}\})$/);
    expect(annotations.summary, alert).toMatch(/^.{20,}\.$/);
    const link = /^http:\/\/localhost:8470\/docs\/operate\/(\w+)\.html#(.+)$/.exec(annotations.runbook_url ?? '');
    expect(link, alert).not.toBeNull();
    const [, page, anchor] = link!;
    if (page === 'runbook') {
      if (alert !== 'CrossgateAlarm') expect(ALARM_NAMES, alert).toContain(anchor);
      continue;
    }
    const text = readFileSync(join(DEPLOY, `../docs/operate/${page}.md`), 'utf8');
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchorOf(title!));
    expect(anchors, alert).toContain(anchor);
  }
});

test('the rules ask for metrics of the gateway that exist', () => {
  const names = new Set<string>(Object.values(METRICS).map(({ name }) => name));
  const asked = readFileSync(join(DEPLOY, 'prometheus/rules.yml'), 'utf8').match(/crossgate_\w+/g)!;
  expect(asked.map((name) => name.replace(/_bucket$/, '')).filter((name) => !names.has(name))).toEqual([]);
});

/** One test of promtool: firing at the one time, and not at the other. */
function promtoolTest([alert, { series, firesAt, clearAt, labels }]: [string, AlertCase]): unknown {
  const firing = `ALERTS{alertname="${alert}",alertstate="firing"}`;
  const { severity = '' } = alertRules().find((rule) => rule.alert === alert)!.labels;
  const own = severity.startsWith('{{') ? labels.severity! : severity;
  const words = Object.entries({ ...labels, severity: own, alertname: alert, alertstate: 'firing' })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
  return {
    interval: '10s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      { expr: firing, eval_time: `${firesAt}s`, exp_samples: [{ labels: `ALERTS{${words}}`, value: 1 }] },
      { expr: firing, eval_time: `${clearAt}s`, exp_samples: [] },
    ],
  };
}

describeWith(await tool('promtool', ['--version'], 'promtool'), 'promtool test rules', () => {
  test('each alert fires on its series and clears again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crossgate-rules-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    copyFileSync(join(DEPLOY, 'prometheus/rules.yml'), join(folder, 'rules.yml'));
    const tests = Object.entries(ALERT_CASES).map(promtoolTest);
    const file = join(folder, 'test.yml');
    writeFileSync(file, stringify({ rule_files: ['rules.yml'], evaluation_interval: '10s', tests }));
    const { stdout } = await run('promtool', ['test', 'rules', file]);
    expect(stdout).toMatch(/SUCCESS\s*$/);
  });

  test('Prometheus and Alertmanager take the configuration of deploy/', async () => {
    expect(existsSync(join(DEPLOY, 'prometheus/rules.yml'))).toBe(true);
    await run('promtool', ['check', 'config', '--syntax-only', join(DEPLOY, 'prometheus/prometheus.yml')]);
    await run('amtool', ['check-config', join(DEPLOY, 'alertmanager/alertmanager.yml')]);
  });
});
