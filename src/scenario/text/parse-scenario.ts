// Reads a scenario text: cases and fragments with their attributes, files that it includes. Reports every fault at once.

import { didYouMean } from '../../base/did-you-mean.ts';
import type { FieldNames } from '../field-names.ts';
import type { Fragment, Role, Scenario, ScenarioCase, ScenarioProblem, Step, Template } from '../model.ts';
import { type LogicalLine, logicalLines } from './logical-line.ts';
import { parseStep, type StepLanguage } from './parse-step.ts';
import { parseTemplate } from './template.ts';
import type { Verb } from './verbs.ts';

export interface ParseOptions {
  readonly names: FieldNames;
  readonly verbs?: Iterable<Verb>;
  /** Text and full name of an included file; null if there is none. */
  readonly include?: (name: string, from: string) => { readonly file: string; readonly text: string } | null;
}

export interface ParsedScenario {
  readonly scenario: Scenario;
  /** Empty if the text is right; the scenario must not run otherwise. */
  readonly problems: readonly ScenarioProblem[];
}

/** Files that include each other at most. */
const INCLUDE_DEPTH_MAX = 8;
const PROBLEMS_MAX = 100;
const TOP_WORDS = ['suite', 'versions', 'timeout', 'let', 'include', 'fragment', 'case'];
const ATTRIBUTES = ['rule', 'mandatory', 'optional', 'versions', 'role', 'timeout', 'strict', 'tags'];

/** Parse a scenario and the files that it includes. Never throws. */
export function parseScenario(text: string, file: string, options: ParseOptions): ParsedScenario {
  const parser = new ScenarioParser(options);
  parser.file(text, file, 0);
  return { scenario: parser.scenario(file), problems: parser.problems };
}

interface Attributes {
  rule: string | null;
  mandatory: boolean;
  versions: readonly string[] | null;
  role: Role | null;
  timeout: Template | null;
  strict: boolean;
  tags: readonly string[];
}

class ScenarioParser {
  readonly problems: ScenarioProblem[] = [];
  private readonly language: StepLanguage;
  private readonly include: ParseOptions['include'];
  private readonly variables = new Map<string, Template>();
  private readonly files = new Set<string>();
  private readonly fragments: Fragment[] = [];
  private readonly cases: ScenarioCase[] = [];
  private name: string | null = null;
  private title = '';

  constructor({ names, verbs = [], include }: ParseOptions) {
    this.language = { names, verbs: new Map([...verbs].map((verb) => [verb.name, verb])) };
    this.include = include;
  }

  scenario(file: string): Scenario {
    const { name, title, variables, fragments, cases } = this;
    return { name: name ?? file.replace(/^.*\//, '').replace(/\.\w+$/, ''), title, variables, fragments, cases };
  }

  file(text: string, file: string, depth: number): void {
    this.files.add(file);
    const lines = logicalLines(file, text);
    const shared: { versions: readonly string[] | null; timeout: Template | null } = { versions: null, timeout: null };
    for (let i = 0; i < lines.length; ) {
      const head = lines[i]!;
      const body = bodyOf(lines, i);
      i += 1 + body.length;
      const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(head.text)!;
      const at = head.text.length - rest.length;
      const takesBody = word === 'case' || word === 'fragment';
      if (!takesBody && body.length > 0) {
        this.complain(
          body[0]!,
          0,
          'this line is indented, but stands in no case or fragment. Begin one, or remove the indentation.',
        );
      }
      if (word === 'case') this.case(head, rest, body, shared);
      else if (word === 'fragment') this.fragment(head, rest, at, body);
      else if (word === 'suite') this.suite(rest, depth);
      else if (word === 'versions') shared.versions = rest.split(/\s+/);
      else if (word === 'timeout') shared.timeout = this.template(head, rest, at);
      else if (word === 'let') this.variable(head, rest, at);
      else if (word === 'include') this.included(head, rest, at, depth);
      else this.unknown(head, word, TOP_WORDS, 'begins nothing at the top level of a file');
    }
  }

  private suite(rest: string, depth: number): void {
    if (depth > 0) return;
    const [, name = '', title = ''] = /^(\S*)\s*(.*)$/.exec(rest)!;
    this.name = name;
    this.title = unquoted(title);
  }

  private variable(head: LogicalLine, rest: string, at: number): void {
    const match = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(rest);
    if (match === null) {
      this.complain(head, at, 'the variable is missing. Write let NAME=VALUE.');
      return;
    }
    const [, name, value] = match;
    // The file that includes another one decides.
    if (!this.variables.has(name!))
      this.variables.set(name!, this.template(head, value!, head.text.length - value!.length));
  }

  private included(head: LogicalLine, rest: string, at: number, depth: number): void {
    const name = unquoted(rest);
    if (depth >= INCLUDE_DEPTH_MAX) {
      this.complain(
        head,
        at,
        `files include each other more than ${INCLUDE_DEPTH_MAX} deep. Put their fragments into fewer files.`,
      );
      return;
    }
    const found = this.include?.(name, head.place().file) ?? null;
    if (found === null) {
      this.complain(head, at, `there is no file ${name} to include. Correct the name.`);
      return;
    }
    // Of two files that are included, one may include the other.
    if (!this.files.has(found.file)) this.file(found.text, found.file, depth + 1);
  }

  private fragment(head: LogicalLine, rest: string, at: number, body: readonly LogicalLine[]): void {
    const [name = '', ...list] = rest.split('|').map((part) => part.trim());
    if (!/^[A-Za-z][\w-]*$/.test(name)) {
      this.complain(head, at, 'the name of the fragment is missing. Write for example: fragment logon | heartBtInt=30');
    }
    const parameters = new Map<string, Template | null>();
    for (const parameter of list.filter((one) => one !== '')) {
      const equals = parameter.indexOf('=');
      if (equals === -1) parameters.set(parameter, null);
      else
        parameters.set(parameter.slice(0, equals).trim(), this.template(head, parameter.slice(equals + 1).trim(), at));
    }
    const { attributes, steps } = this.body(body, 'fragment');
    if (this.fragments.some((one) => one.name === name && (one.role === null || one.role === attributes.role))) {
      this.complain(head, at, `there is a fragment ${name} already. Give this one another name, or a role of its own.`);
    }
    this.fragments.push({ name, role: attributes.role, parameters, steps, place: head.place() });
  }

  private case(
    head: LogicalLine,
    rest: string,
    body: readonly LogicalLine[],
    shared: { versions: readonly string[] | null; timeout: Template | null },
  ): void {
    const [, id = '', title = ''] = /^(\S*)\s*(.*)$/.exec(rest)!;
    const at = head.text.length - rest.length;
    if (id === '')
      this.complain(head, at, 'the name of the case is missing. Write for example: case 4b "answers a TestRequest"');
    if (this.cases.some((one) => one.id === id)) {
      this.complain(head, at, `there is a case ${id} already. Give this one another name.`);
    }
    const { attributes, steps } = this.body(body, 'case');
    if (steps.length === 0)
      this.complain(head, 0, `the case ${id} has no steps. Write them on the lines below, indented.`);
    const { versions = null, timeout = null } = shared;
    this.cases.push({
      ...attributes,
      id,
      title: unquoted(title),
      versions: attributes.versions ?? versions,
      timeout: attributes.timeout ?? timeout,
      steps,
      place: head.place(),
    });
  }

  private body(lines: readonly LogicalLine[], kind: 'case' | 'fragment'): { attributes: Attributes; steps: Step[] } {
    const attributes: Attributes = {
      rule: null,
      mandatory: true,
      versions: null,
      role: null,
      timeout: null,
      strict: false,
      tags: [],
    };
    const steps: Step[] = [];
    const [first] = lines;
    for (let i = 0; i < lines.length; ) {
      const line = lines[i]!;
      const block = bodyOf(lines, i);
      i += 1 + block.length;
      if (line.indent < first!.indent) {
        this.complain(line, 0, `this line is indented less than the first line of its ${kind}. Indent both alike.`);
      }
      const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line.text)!;
      const last = steps.at(-1);
      if ((word === 'rule' || word === 'hint') && last !== undefined) {
        steps[steps.length - 1] = { ...last, [word]: unquoted(rest) };
      } else if (ATTRIBUTES.includes(word) && steps.length === 0) this.attribute(line, word, rest, attributes);
      else {
        const step = parseStep(line, block, this.language, (at, offset, text) => this.complain(at, offset, text));
        if (step !== null) steps.push(step);
      }
    }
    return { attributes, steps };
  }

  private attribute(line: LogicalLine, word: string, rest: string, attributes: Attributes): void {
    const at = line.text.length - rest.length;
    if (word === 'rule') attributes.rule = unquoted(rest);
    else if (word === 'mandatory' || word === 'optional') attributes.mandatory = word === 'mandatory';
    else if (word === 'strict') attributes.strict = true;
    else if (word === 'versions') attributes.versions = rest.split(/\s+/);
    else if (word === 'tags') attributes.tags = rest.split(/\s+/);
    else if (word === 'timeout') attributes.timeout = this.template(line, rest, at);
    else if (rest === 'initiator' || rest === 'acceptor') attributes.role = rest;
    else this.complain(line, at, `“${rest}” is no role. Write initiator or acceptor.`);
  }

  private template(line: LogicalLine, text: string, at: number): Template {
    const result = parseTemplate(unquoted(text));
    if (result.ok) return result.value;
    this.complain(line, at + result.offset, `${result.text}.`);
    return [];
  }

  private unknown(line: LogicalLine, word: string, known: readonly string[], what: string): void {
    const meant = didYouMean(word, known);
    const advice = meant === null ? `Words here are: ${known.join(', ')}.` : `Did you mean ${meant}?`;
    this.complain(line, 0, `“${word}” ${what}. ${advice}`);
  }

  private complain(line: LogicalLine, offset: number, text: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ place: line.place(offset), text });
  }
}

/** The lines below one that are indented deeper. */
function bodyOf(lines: readonly LogicalLine[], index: number): LogicalLine[] {
  const { indent } = lines[index]!;
  let end = index + 1;
  while (end < lines.length && lines[end]!.indent > indent) end++;
  return lines.slice(index + 1, end);
}

/** Text without the quotes around it. */
function unquoted(text: string): string {
  const match = /^"(.*)"$/.exec(text.trim());
  return match === null ? text.trim() : match[1]!.replace(/\\(["\\])/g, '$1');
}
