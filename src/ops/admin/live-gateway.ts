// The live data of a console's page from one gateway, read where its orders are.

import type { Administration } from '../../administration/mod.ts';
import type { Certifications } from '../../certification/mod.ts';
import type { OrderHops } from '../metrics/order-hops.ts';
import type { LiveOverview } from './live-overview.ts';
import { LIVE_LIMIT, type LiveSource } from './live-stream.ts';
import { ordStatusOf } from './order-status.ts';

interface GatewaySourceOptions {
  readonly administration: Administration;
  readonly overview: LiveOverview;
  readonly hops: OrderHops;
  readonly certifications?: Certifications;
}

export function gatewaySource({ administration, overview, hops, certifications }: GatewaySourceOptions): LiveSource {
  return {
    overview: () => overview.pieces(),
    orders: ({ orders: sessionId, clOrdID, orderID, symbol, status, open }) => {
      const ordStatus = status === undefined ? undefined : (ordStatusOf(status) ?? status);
      const given = { sessionId, clOrdID, orderID, symbol, status: ordStatus };
      const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const found = administration.orders.search({ ...filter, openOnly: open, limit: LIVE_LIMIT });
      return { orders: found.orders.map(({ timeline: _, ...order }) => order), more: found.more };
    },
    order: (session, clOrdID) => {
      const order = administration.orders.find(session, clOrdID);
      const first = order?.chain[0];
      return { order, hops: order === null || first === undefined ? null : hops.of(order.sessionId, first) };
    },
    messages: (session, after) => administration.messages(session, after, LIVE_LIMIT) ?? [],
    certification: async (name) => {
      try {
        return (await certifications?.ask(name, { kind: 'view', brief: true })) ?? null;
      } catch {
        return null;
      }
    },
  };
}
