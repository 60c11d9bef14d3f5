// Schema of one of `admin.users` in gateway.yaml: a person with a token of their own. Leaves checking them to admin-users.ts.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, choice, NAME, secret, text } from './schema-node.ts';

const ROLES =
  '`operate`: sessions, orders, configuration. `lift`: lift a kill switch, together with another user. Who has neither may look and throw one, as everybody may, but for two roles that stand alone: `look` may look at everything and do nothing, `metrics` may read `/metrics` and nothing else, as for Prometheus.';

/** One user of gateway.yaml. */
export const AdminUserSchema = Type.Object(
  {
    name: text(
      NAME,
      'Name of the person, for the audit trail and `crossgate kill-switch status`: counterparties are not told.',
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
    roles: Type.Array(choice(['operate', 'lift', 'look', 'metrics'], ROLES), {
      maxItems: 2,
      uniqueItems: true,
      default: ['operate', 'lift'],
      description: ROLES,
    }),
  },
  CLOSED,
);

export type AdminRole = Static<typeof AdminUserSchema>['roles'][number];
