// Reads one step: `send …`, `expect within 5s …`, `on second connect`, `call logon | heartBtInt=2`, a host's verb.

import { didYouMean } from '../../base/did-you-mean.ts';
import type { FieldNames } from '../field-names.ts';
import type { Step, StepAction, Template } from '../model.ts';
import type { LogicalLine } from './logical-line.ts';
import { type Complain, parseExpected, parseSent } from './message-text.ts';
import { durationMs, parseTemplate } from './template.ts';
import type { Verb } from './verbs.ts';

/** The names and verbs that steps may use. */
export interface StepLanguage {
  readonly names: FieldNames;
  readonly verbs: ReadonlyMap<string, Verb>;
}

const WORD = /^(\S+)(?:\s+|$)/;

/** A cursor over the words of a line. */
class Words {
  readonly line: LogicalLine;
  at = 0;

  constructor(line: LogicalLine) {
    this.line = line;
  }

  get rest(): string {
    return this.line.text.slice(this.at);
  }

  /** The next word; `''` at the end. */
  word(): string {
    const match = WORD.exec(this.rest);
    if (match === null) return '';
    this.at += match[0].length;
    return match[1]!;
  }

  /** Whether the next words are these; they are read then. */
  take(...words: readonly string[]): boolean {
    const before = this.at;
    if (words.every((word) => this.word() === word)) return true;
    this.at = before;
    return false;
  }
}

const STEP_WORDS = [
  'send',
  'expect',
  'await',
  'wait',
  'connect',
  'disconnect',
  'set',
  'let',
  'ignore',
  'say',
  'call',
  'on',
];

/**
 * Parse a step. `block`: the lines indented below it, each a message of `expect any order`.
 * @returns null after a complaint
 */
export function parseStep(
  line: LogicalLine,
  block: readonly LogicalLine[],
  language: StepLanguage,
  complain: (line: LogicalLine, offset: number, text: string) => void,
): Step | null {
  const words = new Words(line);
  const connection = words.take('on') ? words.word() : '';
  const parser = new StepParser(words, block, language, complain);
  const action = parser.action();
  if (action === null) return null;
  const { text } = line;
  return { action, connection, place: line.place(), text, rule: null, hint: null };
}

class StepParser {
  private readonly words: Words;
  private readonly block: readonly LogicalLine[];
  private readonly language: StepLanguage;
  private readonly report: (line: LogicalLine, offset: number, text: string) => void;
  private readonly complain: Complain;

  constructor(
    words: Words,
    block: readonly LogicalLine[],
    language: StepLanguage,
    report: (line: LogicalLine, offset: number, text: string) => void,
  ) {
    this.words = words;
    this.block = block;
    this.language = language;
    this.report = report;
    this.complain = (offset, text) => report(words.line, offset, text);
  }

  action(): StepAction | null {
    const { words, block } = this;
    const at = words.at;
    const word = words.word();
    const takesBlock = (word === 'expect' || word === 'await') && /\bany order$/.test(words.line.text);
    if (block.length > 0 && !takesBlock) {
      this.report(
        block[0]!,
        0,
        'this line is indented below a step that takes no lines. Indent it like the step before.',
      );
    }
    switch (word) {
      case 'send':
        return this.send();
      case 'expect':
      case 'await':
        return this.expect(word === 'await');
      case 'wait':
        return this.ended({ kind: 'wait', duration: this.duration() });
      case 'connect':
        return this.ended({ kind: 'connect', within: this.within() });
      case 'disconnect':
        return this.ended({ kind: 'disconnect' });
      case 'set':
        return { kind: 'set', key: this.named('set next 5'), value: this.template() };
      case 'let':
        return this.variable();
      case 'ignore':
        return { kind: 'ignore', message: { fields: this.expected(), exact: false } };
      case 'say':
        return { kind: 'say', text: this.template() };
      case 'call':
        return this.call();
      default:
        return this.verb(word, at);
    }
  }

  private send(): StepAction {
    const { words } = this;
    if (words.take('raw')) return { kind: 'sendRaw', text: this.templateOf(withSoh(words.rest), words.at) };
    const fields = parseSent(words.line.text, words.at, this.language.names, this.complain);
    if (fields.length > 0 && (fields[0]!.tag !== 35 || fields[0]!.value === null)) {
      this.complain(words.at, 'the message begins with no MsgType. Write its name first: send Heartbeat | TestReqID=a');
    }
    return { kind: 'send', fields };
  }

  private expect(passesOver: boolean): StepAction {
    const { words } = this;
    if (words.take('nothing', 'for')) return this.ended({ kind: 'expectNothing', duration: this.duration() });
    if (words.take('closed')) return this.ended({ kind: 'expectClosed', passesOver, within: this.within() });
    const within = this.within();
    if (words.take('any', 'order')) return this.anyOrder(passesOver, within);
    const exact = words.take('exactly');
    return { kind: 'expect', messages: [{ fields: this.expected(), exact }], passesOver, within };
  }

  private anyOrder(passesOver: boolean, within: Template | null): StepAction {
    const { names } = this.language;
    if (this.block.length === 0) {
      this.complain(this.words.at, '“any order” has no messages. Write each on a line of its own, indented below.');
    }
    const messages = this.block.map((line) => {
      const exactly = /^exactly\s+/.exec(line.text)?.[0] ?? '';
      const complain: Complain = (offset, text) => this.report(line, offset, text);
      return { fields: parseExpected(line.text, exactly.length, names, complain), exact: exactly !== '' };
    });
    return this.ended({ kind: 'expect', messages, passesOver, within });
  }

  private expected() {
    const { words } = this;
    if (words.rest === '') this.complain(words.at, 'the message is missing. Write for example: expect Heartbeat');
    return parseExpected(words.line.text, words.at, this.language.names, this.complain);
  }

  private call(): StepAction {
    const { words } = this;
    const from = words.at;
    const [name = '', ...pairs] = words.rest.split('|');
    const values = new Map<string, Template>();
    let at = from + name.length + 1;
    for (const pair of pairs) {
      const equals = pair.indexOf('=');
      if (pair.trim() !== '' && equals === -1) this.complain(at, `“${pair.trim()}” has no value. Write NAME=VALUE.`);
      else if (equals !== -1)
        values.set(pair.slice(0, equals).trim(), this.templateOf(pair.slice(equals + 1).trim(), at));
      at += pair.length + 1;
    }
    if (name.trim() === '') this.complain(from, 'the name of the fragment is missing. Write for example: call logon');
    return { kind: 'call', fragment: name.trim(), arguments: values };
  }

  private variable(): StepAction {
    const { words } = this;
    const match = /^([A-Za-z_]\w*)\s*=\s*/.exec(words.rest);
    if (match === null) {
      this.complain(words.at, 'the variable is missing. Write let NAME=VALUE.');
      return { kind: 'let', name: '', value: [] };
    }
    words.at += match[0].length;
    return { kind: 'let', name: match[1]!, value: this.template() };
  }

  private verb(word: string, at: number): StepAction | null {
    const { verbs } = this.language;
    const verb = verbs.get(word);
    if (verb === undefined) {
      const known = [...STEP_WORDS, ...verbs.keys()];
      const meant = didYouMean(word, known);
      const advice = meant === null ? `Steps are: ${known.join(', ')}.` : `Did you mean ${meant}?`;
      this.complain(at, `“${word}” is no step. ${advice}`);
      return null;
    }
    const fault = verb.fault(this.words.rest);
    if (fault !== null) this.complain(this.words.at, fault);
    return { kind: 'verb', verb: word, argument: this.template() };
  }

  private named(example: string): string {
    const word = this.words.word();
    if (word === '' || this.words.rest === '')
      this.complain(this.words.at, `the step is not complete. Write for example: ${example}`);
    return word;
  }

  private within(): Template | null {
    return this.words.take('within') ? this.duration() : null;
  }

  private duration(): Template {
    const at = this.words.at;
    const word = this.words.word();
    const literal = !word.includes('{');
    if (literal && durationMs(word) === null) {
      this.complain(at, `“${word}” is no duration up to a day. Write for example 500ms, 2s or 5m.`);
    }
    return this.templateOf(word, at);
  }

  private template(): Template {
    return this.templateOf(this.words.rest, this.words.at);
  }

  private templateOf(text: string, at: number): Template {
    const result = parseTemplate(text);
    if (result.ok) return result.value;
    this.complain(at + result.offset, `${result.text}.`);
    return [];
  }

  /** A step that takes nothing more. */
  private ended<T extends StepAction>(action: T): T {
    const { words } = this;
    if (words.rest !== '') this.complain(words.at, `“${words.rest}” does not belong to this step. Remove it.`);
    return action;
  }
}

/** Separators of raw text as SOH: `|`, or `^A` where the text has one. */
function withSoh(text: string): string {
  return text.includes('^A') ? text.replaceAll('^A', '\u0001') : text.replaceAll('|', '\u0001');
}
