// A graph of objects as one JSON text and back. Shared objects stay shared, Maps and Sets keep their type, decimals and
// big integers keep every digit, and instances return to the class with their recorded name. memory.ts names the
// classes; this file knows nothing of the venue.

import { Decimal } from '../../base/decimal.ts';
import { CrossgateError } from '../../base/errors.ts';

// biome-ignore lint/suspicious/noExplicitAny: any class at all may be named; its instances are rebuilt without its constructor
export type Class = abstract new (...args: any[]) => object;

/** Plain values stand for themselves; `[kind, …]` is everything else, `['r', n]` the n-th object. */
type Encoded = string | number | boolean | null | readonly [kind: string, ...rest: unknown[]];

type Node =
  | readonly ['a', Encoded[]]
  | readonly ['m', [Encoded, Encoded][]]
  | readonly ['s', Encoded[]]
  | readonly ['o', string | null, Record<string, Encoded>];

function unusable(what: string): CrossgateError {
  return new CrossgateError('XG_SIMULATOR_INVALID', `the books cannot be kept or read: ${what}`);
}

/** Write a graph. @throws CrossgateError for an instance of a class that is not named */
export function encodeGraph(root: unknown, classes: readonly Class[]): string {
  const names = new Map(classes.map((c) => [c.prototype as object, c.name]));
  const numbers = new Map<object, number>();
  const nodes: Node[] = [];
  const open: [object, Node][] = [];
  const reference = (value: object): Encoded => {
    let n = numbers.get(value);
    if (n === undefined) {
      n = nodes.length;
      numbers.set(value, n);
      const node = emptyNode(value, names);
      nodes.push(node);
      open.push([value, node]);
    }
    return ['r', n];
  };
  const encoded = (value: unknown): Encoded => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'bigint') return ['i', value.toString()];
    if (value === undefined) return ['u'];
    if (value instanceof Decimal) return ['d', value.toString()];
    if (typeof value === 'object') return reference(value);
    throw unusable(`a value of type ${typeof value}`);
  };
  const start = encoded(root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) fill(next[0], next[1], encoded);
  return JSON.stringify({ start, nodes });
}

function emptyNode(value: object, names: ReadonlyMap<object, string>): Node {
  if (Array.isArray(value)) return ['a', []];
  if (value instanceof Map) return ['m', []];
  if (value instanceof Set) return ['s', []];
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return ['o', null, {}];
  const name = typeof prototype === 'object' && prototype !== null ? names.get(prototype) : undefined;
  if (name === undefined) throw unusable(`an instance of ${value.constructor.name}`);
  return ['o', name, {}];
}

function fill(value: object, node: Node, encoded: (value: unknown) => Encoded): void {
  switch (node[0]) {
    case 'a':
      for (const item of value as unknown[]) node[1].push(encoded(item));
      return;
    case 'm':
      for (const [key, item] of value as Map<unknown, unknown>) node[1].push([encoded(key), encoded(item)]);
      return;
    case 's':
      for (const item of value as Set<unknown>) node[1].push(encoded(item));
      return;
    case 'o':
      for (const [key, item] of Object.entries(value)) node[2][key] = encoded(item);
      return;
  }
}

/** Read a graph that encodeGraph wrote. @throws CrossgateError if it is anything else */
export function decodeGraph(text: string, classes: readonly Class[]): unknown {
  const prototypes = new Map(classes.map((c) => [c.name, c.prototype as object]));
  let graph: { start: Encoded; nodes: Node[] };
  try {
    graph = JSON.parse(text);
  } catch (cause) {
    throw new CrossgateError('XG_SIMULATOR_INVALID', 'the kept books are not JSON', { cause });
  }
  if (!Array.isArray(graph?.nodes)) throw unusable('no objects in them');
  const objects = graph.nodes.map((node) => shell(node, prototypes));
  const decoded = (value: Encoded): unknown => {
    if (!Array.isArray(value)) return value;
    const [kind, content] = value;
    if (kind === 'r') return objects[content as number];
    if (kind === 'd') return Decimal.of(String(content));
    if (kind === 'i') return BigInt(String(content));
    return undefined;
  };
  for (const [n, node] of graph.nodes.entries()) restore(objects[n]!, node, decoded);
  return decoded(graph.start);
}

function shell(node: Node, prototypes: ReadonlyMap<string, object>): object {
  switch (node[0]) {
    case 'a':
      return [];
    case 'm':
      return new Map();
    case 's':
      return new Set();
    case 'o': {
      const prototype = node[1] === null ? Object.prototype : prototypes.get(node[1]);
      if (prototype === undefined) throw unusable(`an instance of ${node[1]}`);
      return Object.create(prototype) as object;
    }
    default:
      throw unusable('an object of no known kind');
  }
}

function restore(object: object, node: Node, decoded: (value: Encoded) => unknown): void {
  switch (node[0]) {
    case 'a':
      for (const item of node[1]) (object as unknown[]).push(decoded(item));
      return;
    case 'm':
      for (const [key, item] of node[1]) (object as Map<unknown, unknown>).set(decoded(key), decoded(item));
      return;
    case 's':
      for (const item of node[1]) (object as Set<unknown>).add(decoded(item));
      return;
    case 'o':
      for (const [key, item] of Object.entries(node[2])) {
        Object.defineProperty(object, key, {
          value: decoded(item),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return;
  }
}
