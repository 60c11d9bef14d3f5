// The requests of a replay by the order that they concern, so that a report shows each order's whole story.

import { Tag } from '../../wire/mod.ts';
import type { ReplayResult, RequestResult } from '../target/replay-run.ts';

export interface OrderSection {
  /** Every ClOrdID(11) of the order, in the order of the log; none for requests without one. */
  readonly clOrdIDs: readonly string[];
  readonly requests: readonly RequestResult[];
  readonly isDifferent: boolean;
}

/** By OrigClOrdID(41); requests without ClOrdID have a section each. */
export function orderSections({ requests }: ReplayResult): OrderSection[] {
  const rootOf = new Map<string, string>();
  const sections = new Map<string, RequestResult[]>();
  for (const each of requests) {
    const { message, index } = each.request;
    const view = message.view();
    const clOrdID = view.string(Tag.ClOrdID);
    const before = view.string(Tag.OrigClOrdID);
    const root =
      (before === null ? undefined : (rootOf.get(before) ?? before)) ??
      (clOrdID === null ? `\u0000${index}` : (rootOf.get(clOrdID) ?? clOrdID));
    if (clOrdID !== null) rootOf.set(clOrdID, root);
    const section = sections.get(root);
    if (section === undefined) sections.set(root, [each]);
    else section.push(each);
  }
  return [...sections.values()].map((of) => ({
    clOrdIDs: [...new Set(of.flatMap(({ request }) => request.message.view().string(Tag.ClOrdID) ?? []))],
    requests: of,
    isDifferent: of.some(({ differences }) => differences.length > 0),
  }));
}
