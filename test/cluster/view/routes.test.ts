// The admin API of a node has every route that one gateway has: a route that is added there needs its way to the partitions.

import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { addViewRoutes } from '../../../src/cluster/view/view.ts';
import { ViewContext } from '../../../src/cluster/view/view-context.ts';
import { addAdminRoutes } from '../../../src/ops/admin/admin-routes.ts';
import { wholeOps } from '../../../src/ops/mod.ts';

/** Stands for all that a route needs once it is called. */
// biome-ignore lint/suspicious/noExplicitAny: it is anything
const anything: any = new Proxy(() => anything, {
  get: (_, key) => (key === 'then' ? undefined : anything),
  apply: () => anything,
});

function routesOf(add: (app: FastifyInstance) => void): string[] {
  const app = Fastify();
  const found: string[] = [];
  app.addHook('onRoute', ({ method, url }) => void found.push(`${method} ${url}`));
  add(app);
  return found.filter((route) => !route.startsWith('HEAD ')).toSorted();
}

test('a node serves every route of a single gateway, and those of a cluster besides', async () => {
  const ops = await wholeOps();
  const single = routesOf((app) =>
    addAdminRoutes(app, {
      ...{ administration: anything, reloader: anything, desk: anything, plots: anything, hops: anything },
      ...{ certifications: anything, callerOf: anything, isAdmitted: anything },
      ...{ users: [], twoPeople: [], version: '', secretsDirectory: '', prometheus: null },
      ...{ sessionFiles: true, console: 'actions' },
    }),
  );
  const context = new ViewContext({ ...anything, ops, fleet: anything, node: 'here' }, anything);
  const ofNode = (isCluster: boolean): string[] =>
    routesOf((app) =>
      addViewRoutes(
        app,
        context,
        {
          ...{ loaded: anything, certifications: anything, version: '', log: anything, now: () => 0 },
          ...(isCluster ? { cluster: anything } : {}),
        },
        anything,
      ),
    );
  expect(single.length).toBeGreaterThan(50);
  expect(ofNode(false)).toEqual(single);
  const more = [
    'GET /api/cluster',
    ...['drain', 'move', 'rebalance', 'undrain'].map((one) => `POST /api/cluster/${one}`),
  ];
  expect(ofNode(true)).toEqual([...single, ...more].toSorted());
});
