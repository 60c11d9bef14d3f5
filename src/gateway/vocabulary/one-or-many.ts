// Names of an order; most orders have one: that one text, or a list of none or several. A list for each of very
// many orders would be most of their cost.

/** One name as it is; none or several as a list. */
export type Names = string | readonly string[];

/** The names, the first one first. */
export function namesIn(names: Names): readonly string[] {
  return typeof names === 'string' ? [names] : names;
}

/** The first name; undefined where there is none. */
export function firstOf(names: Names): string | undefined {
  return typeof names === 'string' ? names : names[0];
}

/** The names with one more behind them. */
export function withName(names: Names, name: string): Names {
  return toNames([...namesIn(names), name]);
}

/** The names of a list. */
export function toNames(list: readonly string[]): Names {
  return list.length === 1 ? list[0]! : list;
}
