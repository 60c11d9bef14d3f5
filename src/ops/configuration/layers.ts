// Lays configuration sources over each other and remembers, key by key, which one won: file over defaults file over the
// default of the schema; environment and command line over all. One level of inheritance, no more.

import type { SchemaNode } from '../../base/schema-node.ts';
import { keyPath, type Place } from './config-problem.ts';
import type { YamlFile } from './yaml-file.ts';

export type Path = readonly (string | number)[];

/** One source of values. */
export interface Layer {
  readonly values: Readonly<Record<string, unknown>>;
  /** Where a value of this layer stands, for problems and for the origin shown to people. */
  place(path: Path): Place;
}

/** A tree of values with the place of each leaf, by `keyPath`. */
export interface Layered {
  readonly values: Record<string, unknown>;
  readonly places: Map<string, Place>;
}

export const DEFAULT_PLACE: Place = { file: 'default', line: null, column: null };

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merge layers, the first being the strongest: mappings key by key, lists and plain values as a whole. */
export function mergeLayers(layers: readonly Layer[]): Layered {
  const places = new Map<string, Place>();
  const values: Record<string, unknown> = {};
  for (const layer of layers.toReversed()) mergeInto(values, layer.values, layer, [], places);
  return { values, places };
}

function mergeInto(
  target: Record<string, unknown>,
  source: Readonly<Record<string, unknown>>,
  layer: Layer,
  path: Path,
  places: Map<string, Place>,
): void {
  for (const [key, value] of Object.entries(source)) {
    const here = [...path, key];
    const present = target[key];
    if (isMapping(value) && isMapping(present)) {
      mergeInto(present, value, layer, here, places);
      continue;
    }
    // A key absent from weaker layers has no place yet: searching all of them for each key takes long in a long file.
    if (present !== undefined) forget(keyPath(here), places);
    target[key] = structuredClone(value);
    record(value, here, layer, places);
  }
}

function forget(key: string, places: Map<string, Place>): void {
  for (const known of places.keys()) {
    if (known === key || known.startsWith(`${key}.`) || known.startsWith(`${key}[`)) places.delete(known);
  }
}

function record(value: unknown, path: Path, layer: Layer, places: Map<string, Place>): void {
  places.set(keyPath(path), layer.place(path));
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) record(item, [...path, index], layer, places);
  } else if (isMapping(value)) {
    for (const [key, item] of Object.entries(value)) record(item, [...path, key], layer, places);
  }
}

/** A value to set over everything else, and who says so. */
export interface Override {
  readonly path: Path;
  readonly value: unknown;
  /** Shown as the origin. */
  readonly from: string;
}

/** Lay single values over a tree. Returns those that found no list element to land on. */
export function applyOverrides(layered: Layered, overrides: readonly Override[]): Override[] {
  const homeless: Override[] = [];
  for (const override of overrides) {
    const { path, value, from } = override;
    const place: Place = { file: from, line: null, column: null };
    if (setAt(layered.values, path, value)) {
      forget(keyPath(path), layered.places);
      record(value, path, { values: {}, place: () => place }, layered.places);
    } else homeless.push(override);
  }
  return homeless;
}

/** Set a value in a tree of mappings and lists, creating mappings on the way. False if a list has no such element. */
function setAt(tree: Record<string, unknown>, path: Path, value: unknown): boolean {
  let node: Record<string | number, unknown> = tree;
  for (const step of path.slice(0, -1)) {
    if (!isMapping(node[step]) && !Array.isArray(node[step])) {
      if (typeof step === 'number' || node[step] !== undefined) return false;
      node[step] = {};
    }
    node = node[step] as Record<string | number, unknown>;
  }
  const last = path.at(-1)!;
  if (Array.isArray(node) && (typeof last !== 'number' || last >= node.length)) return false;
  node[last] = value;
  return true;
}

/** Put the schema's defaults where nothing is written, recording them as such. */
export function fillDefaults(schema: SchemaNode, layered: Layered): void {
  fillNode(schema, layered.places, [], layered.values);
}

function fillNode(schema: SchemaNode, places: Map<string, Place>, path: Path, value: unknown): void {
  if (isMapping(value) && schema.properties !== undefined) {
    for (const [key, property] of Object.entries(schema.properties)) {
      const here = [...path, key];
      if (value[key] === undefined && property.default !== undefined) {
        value[key] = structuredClone(property.default);
        places.set(keyPath(here), DEFAULT_PLACE);
      }
      fillNode(property, places, here, value[key]);
    }
  } else if (Array.isArray(value) && schema.items !== undefined) {
    for (const [index, item] of value.entries()) fillNode(schema.items, places, [...path, index], item);
  }
}

/** A file as a layer. */
export function fileLayer(file: YamlFile): Layer {
  return { values: file.values, place: (path) => file.place(path) };
}

/** The place of a key, or of the nearest enclosing one that is known. */
export function placeOf(layered: Layered, path: Path, fallback: Place): Place {
  for (let length = path.length; length > 0; length--) {
    const place = layered.places.get(keyPath(path.slice(0, length)));
    if (place !== undefined && place !== DEFAULT_PLACE) return place;
  }
  return fallback;
}

/** Origins by the key in effect, such as `sessions.ACME_OMS.dialect`. Looked up when asked for: a thousand sessions have a hundred thousand. */
export type Origins = Pick<ReadonlyMap<string, string>, 'get' | 'has'>;

/** The origins in trees by their scope: `gateway`, `sessions.ACME_OMS`. */
export function originsOf(effective: ReadonlyMap<string, Layered>): Origins {
  const get = (key: string): string | undefined => {
    for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
      const place = effective.get(key.slice(0, dot))?.places.get(key.slice(dot + 1));
      if (place !== undefined) return formatPlace(place);
    }
    return undefined;
  };
  return { get, has: (key) => get(key) !== undefined };
}

/** A place as text: `sessions/ACME_OMS.yaml:12`, `default`, `environment CROSSGATE_STATE`. */
function formatPlace({ file, line }: Place): string {
  return line === null ? file : `${file}:${line}`;
}
