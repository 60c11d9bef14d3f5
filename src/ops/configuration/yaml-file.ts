// Reads one YAML file into plain values and remembers where each stands. Refuses ambiguous configuration: duplicate
// keys, aliases, several documents, tags. Leaves meaning to the schema.

import { isUtf8 } from 'node:buffer';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from 'yaml';
import { type ConfigProblem, firstProblems, keyPath, type Place } from './config-problem.ts';
import { handwritten } from './file-states.ts';

/** A running gateway reads it beside its orders: so much takes half a second, a stray file must not take more. */
const FILE_BYTES_MAX = 262_144;
const DEPTH_MAX = 32;
const NEWLINE = 0x0a;

/** Where the library speaks to a programmer. */
const WORDS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here (`---`)',
  RESOURCE_EXHAUSTION: 'brackets or dashes are nested too deeply here',
  TAG_RESOLVE_FAILED: 'tags (`!!binary`, `!secret`) are not used here, or this value does not fit its tag',
};

export interface YamlFile {
  /** As the operator knows it. */
  readonly file: string;
  /** The mapping in the file; empty for an empty file or one with problems. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
  /** Where a path of keys stands; the nearest enclosing key if it is absent. */
  place(path: readonly (string | number)[]): Place;
}

/** Files that were read before. */
export interface FileMemory {
  /** The file of that name with exactly these bytes, read now if it is not known. */
  file(shown: string, bytes: Buffer, read: () => YamlFile): YamlFile;
}

/** Read a file, or take it as it is known. Never throws: faults are in `problems`. */
export function readYamlFile(path: string, file: string, known?: FileMemory): YamlFile {
  try {
    const bytes = handwritten(path, FILE_BYTES_MAX);
    if (bytes === 'endless') return broken(file, 'this is no file but a pipe or a device', 'put a file into its place');
    if (bytes === 'too large') {
      return broken(file, 'the file is larger than 256 KiB', 'check that this is a configuration file');
    }
    return known?.file(file, bytes, () => parseBytes(bytes, file)) ?? parseBytes(bytes, file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return broken(file, `the file cannot be read (${code})`, 'create it, or make it readable for this user');
  }
}

function broken(file: string, problem: string, remedy: string): YamlFile {
  const place: Place = { file, line: null, column: null };
  return { file, values: {}, problems: [{ ...place, key: '', value: null, problem, remedy }], place: () => place };
}

/** YAML here is UTF-8: a value of another encoding would be taken with other characters in it. */
function parseBytes(bytes: Buffer, file: string): YamlFile {
  const problem = encodingProblem(bytes, file);
  return problem === null ? parseYaml(bytes.toString('utf8'), file) : { ...broken(file, '', ''), problems: [problem] };
}

/** The first line that is not UTF-8 text, as a problem; null if all are. */
export function encodingProblem(bytes: Buffer, file: string): ConfigProblem | null {
  if (isUtf8(bytes) && !bytes.includes(0)) return null;
  let line = 1;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length;
    const part = bytes.subarray(at, end);
    if (!isUtf8(part) || part.includes(0)) break;
    at = end;
  }
  const remedy = 'save it as UTF-8';
  return { file, line, column: 1, key: '', value: null, problem: 'this line is not UTF-8 text', remedy };
}

/** Read the text of a file. */
export function parseYaml(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  // Tags beyond the core schema make bytes, times and sets of a value: only plain values go on.
  // A key that stands twice is found below: the library compares each with all others, for minutes in a long list of aliases.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, resolveKnownTags: false };
  const document = parseDocument(text, options);
  const reader = new ValueReader((offset) => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  });
  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    const problem = `not readable as YAML: ${WORDS[code] ?? message}`;
    reader.refuse(pos[0], '', problem, 'correct the line (indentation, quotes)');
  }
  const values = reader.problems.length > 0 ? {} : reader.valueOf(document.contents, [], 0);
  const isMapping = typeof values === 'object' && values !== null && !Array.isArray(values);
  if (!isMapping && values !== null) reader.refuse(0, '', 'not a list of keys', 'write `key: value` lines');
  return {
    file,
    values: isMapping ? (values as Record<string, unknown>) : {},
    problems: firstProblems(reader.problems),
    place(path) {
      for (let length = path.length; length > 0; length--) {
        const found = reader.places.get(keyPath(path.slice(0, length)));
        if (found !== undefined) return found;
      }
      return { file, line: 1, column: 1 };
    },
  };
}

/** Makes plain values of nodes, and keeps the place and the fault of each. */
class ValueReader {
  readonly problems: ConfigProblem[] = [];
  /** By the path of keys. */
  readonly places = new Map<string, Place>();
  readonly #at: (offset: number) => Place;

  constructor(at: (offset: number) => Place) {
    this.#at = at;
  }

  refuse(offset: number, key: string, problem: string, remedy: string): undefined {
    this.problems.push({ ...this.#at(offset), key, value: null, problem, remedy });
    return undefined;
  }

  /** @param from where the value begins, or its key */
  valueOf(node: ParsedNode | null, path: readonly (string | number)[], from: number): unknown {
    const key = keyPath(path);
    this.places.set(key, this.#at(from));
    if (path.length > DEPTH_MAX) return this.refuse(from, key, 'nested too deeply', 'remove a level');
    if (isAlias(node)) {
      return this.refuse(from, key, 'aliases are not used here', 'write the value out, or put it into defaults.yaml');
    }
    if (isMap(node)) return this.#mappingOf(node, path, from);
    if (isSeq(node)) {
      return node.items.map((item, index) => this.valueOf(item as ParsedNode, [...path, index], item.range[0]));
    }
    return isScalar(node) ? node.value : null;
  }

  #mappingOf(node: YAMLMap.Parsed, path: readonly (string | number)[], from: number): Record<string, unknown> {
    const key = keyPath(path);
    const values: Record<string, unknown> = Object.create(null);
    for (const { key: name, value } of node.items) {
      if (!isScalar(name) || name.value === null || typeof name.value === 'object') {
        this.refuse(from, key, 'a key is not a plain word', 'write `key: value`');
        continue;
      }
      // A key such as 100: is a number to YAML; `source` has it as written.
      const word = typeof name.value === 'string' ? name.value : (name.source ?? String(name.value));
      if (word === '__proto__') this.refuse(from, key, 'this key is not possible', 'remove it');
      else if (word in values) this.refuse(name.range[0], word, 'this key stands twice', 'keep one of the two');
      else values[word] = this.valueOf(value as ParsedNode | null, [...path, word], name.range[0]);
    }
    return { ...values };
  }
}
