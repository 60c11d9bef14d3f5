// Schema of `cluster`: this node as one of several that share partitions over PostgreSQL. Leaves checks over several keys to
// ops/checks/cluster-check.ts.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, choice, NAME, passphrase, secret, text, whole } from '../../base/schema-node.ts';

const ClusterTls = Type.Object(
  {
    certificate: secret(
      'Certificate chain of this node in PEM, by reference: for its `address`, as server and as client.',
      { requiredWhen: 'always' },
    ),
    key: secret('Private key in PEM, by reference.', { requiredWhen: 'always' }),
    passphrase: Type.Optional(passphrase()),
    clientAuthority: secret(
      'Certificates that sign those of the nodes, PEM. An authority of the cluster only: every certificate of it may hand connections over.',
      { requiredWhen: 'always' },
    ),
  },
  { ...CLOSED, description: 'Nodes prove themselves to each other (mutual TLS 1.3).', requiredWhen: 'always' },
);

export const ClusterSchema = Type.Object(
  {
    node: text(NAME, 'Name of this node, unlike that of every other one.', { requiredWhen: 'always' }),
    host: text('^[A-Za-z0-9_.:-]{1,255}$', 'Address to listen on for the other nodes.', { default: '0.0.0.0' }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'TCP port for the other nodes; 0 for any free one.',
      requiredWhen: 'always',
    }),
    address: text('^[A-Za-z0-9_.:-]{1,255}$', 'Name or address under which the other nodes reach this one.', {
      requiredWhen: 'always',
    }),
    weight: whole(1, 1_000, 1, 'Share of the partitions: a node of weight 2 serves twice as many as one of weight 1.'),
    heartbeatMs: whole(
      100,
      10_000,
      1_000,
      'Time between two heartbeats and looks at the other nodes. A node without heartbeat for `store.leaseMs` is gone.',
    ),
    rebalance: choice(
      ['auto', 'manual'],
      'Whether a node that joins receives partitions of others by itself, one after the other, or by `crossgate cluster rebalance`. Each move logs its counterparties out for about a second.',
      'auto',
    ),
    settleMs: whole(0, 86_400_000, 30_000, 'A node that joins receives partitions of others after this time.'),
    addressGroup: Type.Optional(
      text(
        NAME,
        'Nodes that send to the exchange from one network address have the same name here: their partitions share its rate. Absent: this node has an address of its own.',
      ),
    ),
    connectionsMax: whole(
      1,
      100_000,
      2_000,
      'Most connections of counterparties that it takes from, or hands to, other nodes.',
    ),
    tls: ClusterTls,
  },
  { ...CLOSED, description: 'Makes this gateway a node of a cluster over PostgreSQL; absent: it is none.' },
);

export type ClusterSettings = Static<typeof ClusterSchema>;
