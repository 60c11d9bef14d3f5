// Writes a scenario as text that reads back to the same: for tools that make cases, such as a shrunk log.

import type { FieldNames } from '../field-names.ts';
import type {
  ExpectedField,
  ExpectedMessage,
  Fragment,
  Scenario,
  ScenarioCase,
  SentField,
  Step,
  StepAction,
  Template,
} from '../model.ts';
import { printTemplate } from './template.ts';

const MSG_TYPE = 35;

/** Print a scenario. Fields have their names where the dictionary knows them. */
export function printScenario(scenario: Scenario, names: FieldNames): string {
  const printer = new Printer(names);
  const { name, title, variables, fragments, cases } = scenario;
  const head = [`suite ${name}${title === '' ? '' : ` ${quoted(title)}`}`];
  for (const [variable, value] of variables) head.push(`let ${variable}=${quotedIfNeeded(printTemplate(value))}`);
  const blocks = [
    head.join('\n'),
    ...fragments.map((one) => printer.fragment(one)),
    ...cases.map((one) => printer.case(one)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

class Printer {
  private readonly names: FieldNames;

  constructor(names: FieldNames) {
    this.names = names;
  }

  fragment({ name, role, parameters, steps }: Fragment): string {
    const list = [...parameters].map(([parameter, preset]) =>
      preset === null ? ` | ${parameter}` : ` | ${parameter}=${printTemplate(preset)}`,
    );
    const lines = [`fragment ${name}${list.join('')}`];
    if (role !== null) lines.push(`  role ${role}`);
    return [...lines, ...this.steps(steps)].join('\n');
  }

  case(one: ScenarioCase): string {
    const lines = [`case ${one.id}${one.title === '' ? '' : ` ${quoted(one.title)}`}`];
    if (one.rule !== null) lines.push(`  rule ${quoted(one.rule)}`);
    if (!one.mandatory) lines.push('  optional');
    if (one.versions !== null) lines.push(`  versions ${one.versions.join(' ')}`);
    if (one.role !== null) lines.push(`  role ${one.role}`);
    if (one.tags.length > 0) lines.push(`  tags ${one.tags.join(' ')}`);
    if (one.timeout !== null) lines.push(`  timeout ${printTemplate(one.timeout)}`);
    if (one.strict) lines.push('  strict');
    return [...lines, ...this.steps(one.steps)].join('\n');
  }

  private steps(steps: readonly Step[]): string[] {
    return steps.flatMap(({ action, connection, rule, hint }) => [
      `  ${connection === '' ? '' : `on ${connection} `}${this.action(action)}`,
      ...(rule === null ? [] : [`  rule ${quoted(rule)}`]),
      ...(hint === null ? [] : [`  hint ${quoted(hint)}`]),
    ]);
  }

  private action(action: StepAction): string {
    const within = (template: Template | null): string =>
      template === null ? '' : ` within ${printTemplate(template)}`;
    switch (action.kind) {
      case 'send':
        return `send ${this.message(action.fields.map((field) => this.sent(field)))}`;
      case 'sendRaw':
        return `send raw ${rawText(printTemplate(action.text))}`;
      case 'expect': {
        const word = `${action.passesOver ? 'await' : 'expect'}${within(action.within)}`;
        const [first] = action.messages;
        if (action.messages.length === 1) return `${word} ${this.expected(first!)}`;
        return [`${word} any order`, ...action.messages.map((one) => `    ${this.expected(one)}`)].join('\n');
      }
      case 'expectNothing':
        return `expect nothing for ${printTemplate(action.duration)}`;
      case 'expectClosed':
        return `${action.passesOver ? 'await' : 'expect'} closed${within(action.within)}`;
      case 'wait':
        return `wait ${printTemplate(action.duration)}`;
      case 'connect':
        return `connect${within(action.within)}`;
      case 'disconnect':
        return 'disconnect';
      case 'set':
        return `set ${action.key} ${printTemplate(action.value)}`;
      case 'let':
        return `let ${action.name}=${printTemplate(action.value)}`;
      case 'ignore':
        return `ignore ${this.expected(action.message)}`;
      case 'say':
        return `say ${printTemplate(action.text)}`;
      case 'verb':
        return `${action.verb} ${printTemplate(action.argument)}`.trimEnd();
      case 'call': {
        const pairs = [...action.arguments].map(([name, value]) => ` | ${name}=${printTemplate(value)}`);
        return `call ${action.fragment}${pairs.join('')}`;
      }
    }
  }

  private expected({ fields, exact }: ExpectedMessage): string {
    return `${exact ? 'exactly ' : ''}${this.message(fields.map((field) => this.expectedField(field)))}`;
  }

  private message(fields: readonly { tag: number; name: string; value: string | null; mark: string }[]): string {
    const pieces = fields.map(({ tag, name, value, mark }, index) => {
      const type = index === 0 && tag === MSG_TYPE && mark === '' && value !== null ? this.typeName(value) : null;
      if (type !== null) return type;
      return value === null ? `!${name}` : `${name}${mark}=${value}`;
    });
    return pieces.join(' | ');
  }

  private typeName(value: string): string | null {
    return value === '*' ? '*' : this.names.messageName(value);
  }

  private sent({ tag, value }: SentField) {
    const text = value === null ? null : quotedIfNeeded(printTemplate(value));
    return { tag, name: this.fieldName(tag), value: text, mark: '' };
  }

  private expectedField({ tag, optional, expectation, capture }: ExpectedField) {
    const kept = capture === null ? '' : ` as ${capture}`;
    const name = this.fieldName(tag);
    const mark = optional ? '?' : '';
    switch (expectation.kind) {
      case 'absent':
        return { tag, name, value: null, mark };
      case 'any':
        return { tag, name, value: `*${kept}`, mark };
      case 'pattern':
        return { tag, name, value: `/${expectation.source.replaceAll('/', '\\/')}/${kept}`, mark };
      case 'equals': {
        const text = printTemplate(expectation.value);
        const value = kept === '' && !/^[*/]/.test(text) ? quotedIfNeeded(text) : `${quoted(text)}${kept}`;
        return { tag, name, value, mark };
      }
    }
  }

  private fieldName(tag: number): string {
    return this.names.fieldName(tag) ?? `${tag}`;
  }
}

function rawText(text: string): string {
  return text.replaceAll('\u0001', text.includes('|') ? '^A' : '|');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Quotes where the value would otherwise read as something else. */
function quotedIfNeeded(text: string): string {
  return /^\s|\s$|^"|\|/.test(text) ? quoted(text) : text;
}
