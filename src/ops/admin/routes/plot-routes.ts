// Measurements for the plots of the console: the last hour from memory.

import type { FastifyInstance } from 'fastify';
import { type Static, Type } from '../../../base/schema.ts';
import type { PlotRing } from '../../metrics/plot-ring.ts';

const PlotsQuery = Type.Object({ after: Type.Integer({ minimum: 0, default: 0 }) }, { additionalProperties: false });

/** Add GET /api/plots: samples later than `after`, in milliseconds since 1970. */
export function addPlotRoutes(app: FastifyInstance, plots: PlotRing): void {
  app.get<{ Querystring: Static<typeof PlotsQuery> }>(
    '/api/plots',
    { schema: { querystring: PlotsQuery } },
    async ({ query }) => plots.plots(query.after),
  );
}
