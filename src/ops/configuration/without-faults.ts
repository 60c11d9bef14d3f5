// Leaves out of a session's values what is wrong in itself, so that what spans several keys is looked at in the same run. Takes as
// little as it can: the faulty leaf goes back to its default, and only a group that cannot do without it goes with it.

import { schemaNode } from '../../base/schema-node.ts';
import { SessionFileSchema } from '../schema/session-schema.ts';
import type { ConfigProblem } from './config-problem.ts';
import { fillDefaults, type Path } from './layers.ts';

/** Each round mends one level: no key lies deeper. */
const ROUNDS_MAX = 16;

export interface Remaining {
  /** Never becomes a configuration: there are problems. */
  readonly values: Record<string, unknown>;
  /** The file's path of a path in `values`, with lists that may have lost elements. */
  readonly asWritten: (path: Path) => Path;
}

type Container = Record<string | number, unknown>;
type Check = (values: Record<string, unknown>) => readonly ConfigProblem[];

/** Null if a key that has no default is faulty, but for the accounts, which every new file begins without. */
export function withoutFaults(written: Readonly<Record<string, unknown>>, check: Check): Remaining | null {
  const values: Record<string, unknown> = structuredClone(written);
  // The places in the file of the elements that are left, of each list that lost some.
  const places = new WeakMap<object, number[]>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const faulty = check(values).map(({ key }) => present(values, pathOf(key)));
    const found = [...new Map(faulty.map((path) => [JSON.stringify(path), path])).values()];
    const removable = found.filter((path) => path.length > 0);
    if (removable.length === 0) break;
    // From behind: the elements before keep their places.
    for (const path of removable.sort(fromBehind)) remove(values, path, places);
    fillDefaults(schemaNode(SessionFileSchema), { values, places: new Map() });
  }
  const left = check(values);
  const asWritten = (path: Path): Path => writtenPath(values, path, places);
  if (left.length === 0) return { values, asWritten };
  return left.every(({ key }) => key === 'accounts') ? { values: { ...values, accounts: [] }, asWritten } : null;
}

/** `fix.listen[0].port` → its steps. */
export function pathOf(key: string): (string | number)[] {
  const steps = key.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** As much of a path as there is: of a key that is missing, the group that needs it. */
function present(values: Container, path: Path): Path {
  let node: unknown = values;
  for (const [depth, step] of path.entries()) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return path.slice(0, depth);
    node = (node as Container)[step];
  }
  return path;
}

function fromBehind(a: Path, b: Path): number {
  for (let depth = 0; depth < Math.min(a.length, b.length); depth++) {
    const [one, other] = [a[depth]!, b[depth]!];
    if (one === other) continue;
    return typeof one === 'number' && typeof other === 'number' ? other - one : String(one) < String(other) ? -1 : 1;
  }
  return b.length - a.length;
}

function remove(values: Container, path: Path, places: WeakMap<object, number[]>): void {
  // A longer path below it may have gone before.
  if (present(values, path).length < path.length) return;
  const holder = path.slice(0, -1).reduce<unknown>((node, step) => (node as Container)[step], values) as Container;
  const last = path.at(-1)!;
  if (!Array.isArray(holder)) delete holder[last];
  else {
    const kept = places.get(holder) ?? holder.map((_, at) => at);
    holder.splice(Number(last), 1);
    kept.splice(Number(last), 1);
    places.set(holder, kept);
  }
}

function writtenPath(values: Container, path: Path, places: WeakMap<object, number[]>): Path {
  let node: unknown = values;
  return path.map((step) => {
    const isPlace = typeof step === 'number' && Array.isArray(node);
    const written = isPlace ? (places.get(node as object)?.[step] ?? step) : step;
    node = typeof node === 'object' && node !== null ? (node as Container)[step] : undefined;
    return written;
  });
}
