// Reads a script of QuickFIX's acceptance tests (`*.def`) as a case. It expects what those suites agree on: every field of the
// script but Text(58), times of the right form, further fields permitted.

import type { ExpectedField, Scenario, ScenarioCase, Step, StepAction, Template } from '../model.ts';
import { parseTemplate } from './template.ts';

/** A script as a scenario of one case. */
export interface QuickfixScript {
  readonly scenario: Scenario;
  /** BeginString(8) that the script speaks; null if it sends no message. */
  readonly beginString: string | null;
  /** Lines that are no step, `file:line: text`; QuickFIX passes over them too. */
  readonly notes: readonly string[];
}

const SOH = '\u0001';
/** Their values are those of the run that recorded the script. */
const TIME_TAGS = new Set([42, 52, 60, 122]);
const TIME_PATTERN = '.*\\d{8}-\\d{2}:\\d{2}:\\d{2}.*';
const NOT_COMPARED = new Set([9, 10, 58]);
const TITLE_MAX = 200;

/** Read a script. `text` has one character per byte. */
export function parseQuickfixDef(text: string, file: string): QuickfixScript {
  const reader = new DefReader(file);
  text
    .replace(/^\xEF\xBB\xBF/, '')
    .split(/\r?\n/)
    .forEach((line, index) => {
      reader.line(line.trim(), index + 1);
    });
  return reader.result();
}

class DefReader {
  private readonly file: string;
  private readonly steps: Step[] = [];
  private readonly comments: string[] = [];
  private readonly notes: string[] = [];
  /** Variables that hold the counterparty's TestReqIDs, by connection and the script's own id. */
  private readonly testReqIDs = new Map<string, string>();
  private beginString: string | null = null;

  constructor(file: string) {
    this.file = file;
  }

  line(text: string, line: number): void {
    if (text === '') return;
    if (text.startsWith('#')) {
      const comment = text.replace(/^[#\s@-]+/, '').replace(/^testcase *[\w.]+( - )?/, '');
      if (this.steps.length === 0 && comment.trim() !== '') this.comments.push(comment.trim());
      return;
    }
    const sleep = /^sleep\(([\d.]+)\)$/.exec(text);
    const match = /^([IERie])(?:(\d+),)?(.*)$/s.exec(text);
    const [, letter = '', id = '1', body = ''] = match ?? [];
    const connection = id === '1' ? '' : id;
    const action =
      sleep === null ? this.action(letter, body, connection) : ({ kind: 'wait', duration: [`${sleep[1]}s`] } as const);
    if (action === null) {
      this.notes.push(`${this.file}:${line}: is no step and is passed over: ${text.replaceAll(SOH, '|').slice(0, 80)}`);
      return;
    }
    const place = { file: this.file, line, column: 1 };
    this.steps.push({ action, connection, place, text: text.replaceAll(SOH, '|'), rule: null, hint: null });
  }

  private action(letter: string, body: string, connection: string): StepAction | null {
    if (letter === 'I' || letter === 'R') return this.sent(body, connection);
    if (letter === 'E') return this.expected(body, connection);
    if (body === 'CONNECT') return { kind: 'connect', within: null };
    if (body === 'DISCONNECT' && letter === 'i') return { kind: 'disconnect' };
    if (body === 'DISCONNECT') return { kind: 'expectClosed', passesOver: true, within: null };
    const set = /^SET_SESSION (\S+) ([A-Z_]+)=(.*)$/.exec(body);
    return set === null ? null : { kind: 'set', key: `${set[2]} of ${set[1]}`, value: [set[3]!] };
  }

  private sent(body: string, connection: string): StepAction {
    this.beginString ??= body.startsWith('8=') ? body.slice(2).split(SOH)[0]! : null;
    let text = withTimes(body);
    for (const [key, variable] of this.testReqIDs) {
      const [of, id] = key.split(SOH);
      if (of === connection) text = text.replace(`${SOH}112=${id}${SOH}`, `${SOH}112={${variable}}${SOH}`);
    }
    return { kind: 'sendRaw', text: templateOf(text) };
  }

  private expected(body: string, connection: string): StepAction {
    const pairs = body
      .split(SOH)
      .filter((field) => field !== '')
      .map((field): [number, string] => {
        const equals = field.indexOf('=');
        return equals === -1 ? [0, field] : [Number(field.slice(0, equals)), field.slice(equals + 1)];
      });
    const isTestRequest = pairs.some(([tag, value]) => tag === 35 && value === '1');
    const fields = pairs.flatMap(([tag, value]): ExpectedField[] => {
      if (NOT_COMPARED.has(tag)) return [];
      const field = { tag, optional: false, capture: null };
      if (TIME_TAGS.has(tag)) return [{ ...field, expectation: { kind: 'pattern', source: TIME_PATTERN } }];
      if (tag !== 112 || !isTestRequest) {
        return [{ ...field, expectation: { kind: 'equals', value: value === '' ? [] : [value] } }];
      }
      // The counterparty chooses its own TestReqID; the script answers with it.
      const capture = `testReqID${this.testReqIDs.size + 1}`;
      this.testReqIDs.set(`${connection}${SOH}${value}`, capture);
      return [{ ...field, expectation: { kind: 'any' }, capture }];
    });
    // MsgType first: it says most about a message that differs.
    fields.sort((a, b) => Number(b.tag === 35) - Number(a.tag === 35));
    return { kind: 'expect', messages: [{ fields, exact: false }], passesOver: false, within: null };
  }

  result(): QuickfixScript {
    const { file, steps, comments, beginString, notes } = this;
    const id = file.replace(/^.*\//, '').replace(/\.def$/, '');
    const one: ScenarioCase = {
      id,
      title: comments.join(' ').slice(0, TITLE_MAX),
      rule: null,
      mandatory: true,
      versions: null,
      role: null,
      tags: [],
      timeout: null,
      strict: true,
      steps,
      place: { file, line: 1, column: 1 },
    };
    const scenario: Scenario = { name: id, title: '', variables: new Map(), fragments: [], cases: [one] };
    return { scenario, beginString, notes };
  }
}

/** `<TIME>`, `<TIME+3>` as references; braces of the script stay braces. */
function withTimes(body: string): string {
  return body
    .replace(/[{}]/g, '$&$&')
    .replace(/<TIME(?:([+-])(\d+))?>/g, (_, sign: string | undefined, n: string) =>
      sign === undefined ? '{now}' : `{now${sign}${n}s}`,
    );
}

function templateOf(text: string): Template {
  const result = parseTemplate(text);
  return result.ok ? result.value : [text];
}
