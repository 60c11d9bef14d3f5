// The configuration over HTTP: what is in effect, what the files would change, taking it over, its versions and the way back.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { CrossgateError } from '../../../base/errors.ts';
import { type Static, Type } from '../../../base/schema.ts';
import type { Caller } from '../../checks/admin-users.ts';
import type { ApplyReport, Reloader } from '../../configuration/reload.ts';
import { problem } from '../problem.ts';
import { RECORDED_MS, UNAUDITED } from '../recorded.ts';
import type { TwoPeople } from '../two-people.ts';

const WHY_MAX = 500;
const ApplyBody = Type.Object(
  { why: Type.String({ maxLength: WHY_MAX, default: '' }) },
  { additionalProperties: false, default: {} },
);
const RollbackBody = Type.Object(
  { version: Type.Integer({ minimum: 1 }), why: Type.String({ minLength: 1, maxLength: WHY_MAX }) },
  { additionalProperties: false },
);

export interface ConfigurationRoutesOptions {
  readonly administration: Administration;
  readonly reloader: Reloader;
  readonly callerOf: (request: FastifyRequest) => Caller;
}

export function addConfigurationRoutes(
  app: FastifyInstance,
  { administration, reloader, callerOf }: ConfigurationRoutesOptions,
  who: (request: FastifyRequest) => string,
  two: TwoPeople,
): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply, report: ApplyReport) => {
    if (report.raised !== null && two.confirmerOf(request) === null) {
      const { limits, digest } = report.raised;
      const proposal = { summary: `limits: ${limits.join(', ')}`, approves: digest };
      return two.propose('limits', callerOf(request), request, reply, proposal);
    }
    if (!report.ok) reply.code(422);
    if (administration.isOver || (await administration.recorded(RECORDED_MS))) return report;
    return { ...report, text: `${report.text} ${UNAUDITED}` };
  };
  app.get('/api/configuration', async (_request, reply) => {
    const effective = await reloader.describe();
    const text = `{"effective":${effective},"last":${JSON.stringify(reloader.last)}}`;
    return reply.type('application/json; charset=utf-8').send(text);
  });
  app.get('/api/configuration/diff', async () => await reloader.preview());
  app.get('/api/configuration/versions', async () => ({ versions: reloader.versions() }));
  app.post<{ Body: Static<typeof ApplyBody> | null }>('/api/configuration/apply', async (request, reply) => {
    const { why = '' } = request.body ?? {};
    if (typeof why !== 'string' || why.length > WHY_MAX)
      return problem(reply, 400, `why is a text of at most ${WHY_MAX}`);
    return await answer(request, reply, await reloader.apply(who(request), two.approvedBy(request), why));
  });
  app.post<{ Body: Static<typeof RollbackBody> }>(
    '/api/configuration/rollback',
    { schema: { body: RollbackBody } },
    async (request, reply) => {
      const { version, why } = request.body;
      try {
        return await answer(
          request,
          reply,
          await reloader.rollback(version, { who: who(request), why, approved: two.approvedBy(request) }),
        );
      } catch (error) {
        if (!(error instanceof CrossgateError)) throw error;
        return problem(reply, error.code === 'XG_NOT_FOUND' ? 404 : 409, error.message);
      }
    },
  );
}
