// The part of a session file that says what the session is for: orders, or copies of what others do (rule S9). Leaves
// everything else of the file to session-schema.ts and what spans several keys to session-kind-check.ts.

import { Type } from '../../base/schema.ts';
import { CLOSED, choice, NAME, text, yesNo } from '../../base/schema-node.ts';

export const SessionKind = choice(
  ['order', 'dropCopy'],
  '`order` enters orders; `dropCopy` receives copies of those on its `accounts` and `symbols`, and enters none (rule S9).',
  'order',
);

export const DropCopy = Type.Object(
  {
    sessions: Type.Array(text(NAME, 'Name of a session.'), {
      maxItems: 1000,
      uniqueItems: true,
      default: [],
      description:
        'Sessions with copied reports, by the names of their files, a template for all that are made from it; empty for all.',
    }),
    elsewhere: yesNo(
      true,
      "Report orders entered by REST or on the exchange's page, and negotiated (OTC) trades, too (rule O11).",
    ),
  },
  { ...CLOSED, default: {}, description: 'For a drop copy session: the sessions that it copies.' },
);
