// Measurements for the plots of the console: the last hour from memory, of the gateway, of one session and of auctions; longer ranges
// from Prometheus.

import type { FastifyInstance } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { CrossgateError } from '../../../base/errors.ts';
import { type Static, Type } from '../../../base/schema.ts';
import type { ConsolePlots } from '../../metrics/console-plots.ts';
import { type PlotRange, type PrometheusAddress, plotsFrom, RANGES } from '../../metrics/prometheus-range.ts';
import { problem } from '../problem.ts';

/** Ranges that are asked for at the same time. */
const RANGES_AT_ONCE = 4;

const CLOSED = { additionalProperties: false };
const NAME = Type.String({ minLength: 1, maxLength: 512 });
const AFTER = Type.Integer({ minimum: 0, default: 0 });
const PlotsQuery = Type.Object({ after: AFTER }, CLOSED);
const SessionQuery = Type.Object({ session: NAME, after: AFTER }, CLOSED);
const AuctionQuery = Type.Object({ symbol: Type.Optional(NAME) }, CLOSED);
const RangeQuery = Type.Object(
  { range: Type.Enum(Object.keys(RANGES) as PlotRange[]), session: Type.Optional(NAME) },
  CLOSED,
);

export interface PlotRoutesOptions {
  readonly administration: Administration;
  readonly plots: ConsolePlots;
  /** Null: longer ranges are not to be had. */
  readonly prometheus: PrometheusAddress | null;
}

/** Add the routes below /api/plots; `after` in milliseconds since 1970. */
export function addPlotRoutes(app: FastifyInstance, options: PlotRoutesOptions): void {
  const { administration, plots, prometheus } = options;
  let asking = 0;
  app.get<{ Querystring: Static<typeof PlotsQuery> }>(
    '/api/plots',
    { schema: { querystring: PlotsQuery } },
    async ({ query }) => plots.gateway.plots(query.after),
  );
  app.get<{ Querystring: Static<typeof SessionQuery> }>(
    '/api/plots/session',
    { schema: { querystring: SessionQuery } },
    async ({ query }, reply) => {
      const id = administration.idOf(query.session);
      if (id === null) return problem(reply, 404, `There is no session "${query.session}", or not one only.`);
      return plots.sessions.plots(id, query.after);
    },
  );
  app.get<{ Querystring: Static<typeof AuctionQuery> }>(
    '/api/plots/auctions',
    { schema: { querystring: AuctionQuery } },
    async ({ query }) => {
      const symbols = plots.auctions.symbols();
      const [first = ''] = symbols;
      return { symbols, auctions: plots.auctions.courses(query.symbol ?? first) };
    },
  );
  app.get<{ Querystring: Static<typeof RangeQuery> }>(
    '/api/plots/range',
    { schema: { querystring: RangeQuery } },
    async ({ query: { range, session } }, reply) => {
      if (prometheus === null)
        return problem(reply, 404, 'The gateway keeps an hour: write `admin.prometheus` for longer ranges.');
      if (asking >= RANGES_AT_ONCE) return problem(reply, 503, 'Prometheus is being asked already: try again.');
      asking += 1;
      try {
        return await plotsFrom(prometheus, { range, session, now: administration.now() });
      } catch (error) {
        if (!(error instanceof CrossgateError)) throw error;
        return problem(reply, 502, `${error.message}.`, error.code);
      } finally {
        asking -= 1;
      }
    },
  );
}
