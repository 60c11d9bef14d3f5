// The elements of a QuickFIX XML data dictionary with their places, and what is wrong with them, collected. Leaves what the
// elements mean to quickfix-xml.ts and member-resolver.ts.

import { SaxesParser } from 'saxes';
import { CrossgateError } from '../base/errors.ts';

/** A dictionary file: its text and the name for error messages. */
export interface DictionarySource {
  readonly xmlText: string;
  readonly fileName: string;
}

/** An element with its place. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Reported problems per file: a file that is no dictionary has thousands. */
const TOLD_MAX = 50;

/** All that is wrong with a dictionary and its overlays. */
export class DictionaryInvalid extends CrossgateError {
  /** `file:line:column: what is wrong` each. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super('XG_DICTIONARY_INVALID', problems.join('\n'));
    this.problems = problems;
  }
}

/** Collects what is wrong, each once, `file:line:column: what is wrong`. */
export class Faults {
  private readonly problems = new Map<string, Place>();
  private readonly doubts = new Map<string, Place>();
  /** While it is above 0, nothing is wrong enough to refuse the file: what is read there is not used. */
  private lenient = 0;

  get isClean(): boolean {
    return this.problems.size === 0;
  }

  problem(place: Place, what: string): void {
    (this.lenient > 0 ? this.doubts : this.problems).set(inWords(place, what), place);
  }

  warning(place: Place, what: string): void {
    this.doubts.set(inWords(place, what), place);
  }

  /** Take what `read` finds for warnings. */
  leniently(read: () => void): void {
    this.lenient += 1;
    read();
    this.lenient -= 1;
  }

  refusal(): DictionaryInvalid {
    return new DictionaryInvalid(firstOf(this.problems));
  }

  /** The warnings. @throws DictionaryInvalid if there are problems */
  settle(): readonly string[] {
    if (this.problems.size > 0) throw this.refusal();
    return firstOf(this.doubts);
  }
}

type Place = Pick<Element, 'file' | 'line' | 'column'>;

const inWords = ({ file, line, column }: Place, what: string): string => `${file}:${line}:${column + 1}: ${what}`;

/** As they stand in the files. */
function firstOf(found: ReadonlyMap<string, Place>): string[] {
  const files = [...new Set([...found.values()].map(({ file }) => file))];
  const sorted = [...found].sort(
    ([, a], [, b]) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  );
  const lines = sorted.map(([line]) => line);
  const more = lines.length - TOLD_MAX;
  return more > 0 ? [...lines.slice(0, TOLD_MAX), `and ${more} more`] : lines;
}

/**
 * The root of a file, or null if it is none; for text that is no XML only the first fault is reported, as the others
 * follow from it.
 */
export function parse(source: DictionarySource, faults: Faults): Element | null {
  const parser = new SaxesParser({ position: true });
  const open: Element[] = [];
  let root: Element | null = null;
  let line = 1;
  let column = 0;
  let isBroken = false;
  const fail = (what: string): void => {
    if (!isBroken) faults.problem({ file: source.fileName, line: parser.line, column: parser.column }, what);
    isBroken = true;
  };
  parser.on('error', (error) => fail(error.message.replace(/^\d+:\d+: /, '')));
  parser.on('doctype', () => fail('a DOCTYPE is not allowed: it could define or fetch entities'));
  parser.on('opentagstart', ({ name }) => {
    // Called once the name and one further character are read: that character may have ended the line.
    const start = parser.column - name.length - 2;
    line = start < 0 ? parser.line - 1 : parser.line;
    column = Math.max(0, start);
  });
  parser.on('opentag', (tag) => {
    const attributes = tag.attributes as Record<string, string>;
    const element: Element = { name: tag.name, attributes, children: [], file: source.fileName, line, column };
    const parent = open.at(-1);
    if (parent === undefined) root ??= element;
    else parent.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.write(source.xmlText).close();
  if (isBroken) return null;
  const found = root as Element | null;
  if (found === null) fail('the file is empty');
  else if (found.name !== 'fix') faults.problem(found, `the root must be <fix>, not <${found.name}>`);
  return found?.name === 'fix' ? found : null;
}

export function child(parent: Element, name: string): Element | undefined {
  return parent.children.find((element) => element.name === name);
}

/** The value of an attribute; empty, and a problem, if there is none. */
export function required(element: Element, attribute: string, faults: Faults): string {
  const value = element.attributes[attribute] ?? '';
  if (value === '') faults.problem(element, `<${element.name}> needs the attribute ${attribute}`);
  return value;
}

export function yes(element: Element, attribute: string): boolean {
  const value = element.attributes[attribute];
  return value !== undefined && /^(y|yes|true)$/i.test(value);
}
