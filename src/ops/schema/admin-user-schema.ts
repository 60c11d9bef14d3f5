// Schema of one of `admin.users` in gateway.yaml: a person with a token of their own. Leaves checking them to admin-users.ts.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, choice, NAME, secret, text } from '../../base/schema-node.ts';

const ROLES =
  '`operate`: sessions, orders, configuration. `lift`: lift a kill switch, together with another user. `kill`: throw one. Each of these three may look at everything and throw a kill switch. Two roles stand alone: `look` may look at everything and do nothing, `metrics` may read `/metrics` and nothing else, as for Prometheus. A user without a role may see and do nothing.';

/** Actions that may take two people; none of them cancels (rule C3). */
const TWO_PEOPLE_ACTIONS = ['adopt', 'resolve', 'reset', 'open', 'limits'] as const;
const TWO_PEOPLE =
  'Actions that take two users with role `operate`: one proposes, another confirms within 15 minutes (`crossgate proposals`). `adopt` and `resolve` orders, `reset` sequence numbers or set them, `open` sessions that are kept out, raise `limits` of sessions by a changed file. The shared token takes part in none.';

export const TwoPeopleSchema = Type.Array(choice([...TWO_PEOPLE_ACTIONS], 'An action.'), {
  maxItems: TWO_PEOPLE_ACTIONS.length,
  uniqueItems: true,
  default: [],
  description: TWO_PEOPLE,
});

export type TwoPeopleAction = (typeof TWO_PEOPLE_ACTIONS)[number];

/** One user of gateway.yaml. */
export const AdminUserSchema = Type.Object(
  {
    name: text(
      NAME,
      'Name of the person, for the audit trail and `crossgate kill-switch status`; never sent to counterparties.',
      {
        requiredWhen: 'always',
      },
    ),
    token: secret(
      'Bearer token of this person alone, by reference: 24 to 256 printable characters, not those of the shared token.',
      {
        requiredWhen: 'always',
      },
    ),
    roles: Type.Array(choice(['operate', 'lift', 'kill', 'look', 'metrics'], ROLES), {
      maxItems: 3,
      uniqueItems: true,
      default: ['operate', 'lift'],
      description: ROLES,
    }),
  },
  CLOSED,
);

export type AdminRole = Static<typeof AdminUserSchema>['roles'][number];
