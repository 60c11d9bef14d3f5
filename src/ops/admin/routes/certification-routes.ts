// Certifications over HTTP: what each has come to, and what the tester is asked to do; start, stop, play a case.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { CrossgateError } from '../../../base/errors.ts';
import { type Static, Type } from '../../../base/schema.ts';
import { type Certifications, type DeskRequest, QUESTIONS } from '../../../certification/mod.ts';
import { problem } from '../problem.ts';

const NAME_MAX = 200;
const Params = Type.Object({ name: Type.String({ minLength: 1, maxLength: NAME_MAX }) });
const RunBody = Type.Object(
  { case: Type.String({ minLength: 1, maxLength: NAME_MAX }) },
  { additionalProperties: false },
);
const ViewQuery = Type.Object({ brief: Type.Boolean({ default: false }) }, { additionalProperties: false });
const InterviewBody = Type.Object(
  {
    can: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { maxItems: 40, uniqueItems: true }),
    answerSeconds: Type.Integer({ minimum: 1, maximum: 3_600, default: 120 }),
  },
  { additionalProperties: false },
);
const NO_BODY = Type.Object({}, { additionalProperties: false });

export interface CertificationRoutesOptions {
  readonly certifications: Certifications;
  readonly administration: Pick<Administration, 'audit'>;
}

export function addCertificationRoutes(
  app: FastifyInstance,
  { certifications, administration }: CertificationRoutesOptions,
  who: (request: FastifyRequest) => string,
): void {
  type Named = { Params: Static<typeof Params> };
  const answer = async <T>(reply: FastifyReply, run: () => Promise<T>): Promise<T | FastifyReply> => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof CrossgateError)) throw error;
      return problem(reply, error.code === 'XG_NOT_FOUND' ? 404 : 409, error.message);
    }
  };
  const ask = (reply: FastifyReply, name: string, request: DeskRequest) =>
    answer(reply, () => certifications.ask(name, request));
  app.get('/api/certifications', async () => ({ certifications: certifications.names() }));
  app.get<Named & { Querystring: Static<typeof ViewQuery> }>(
    '/api/certifications/:name',
    { schema: { params: Params, querystring: ViewQuery } },
    async (request, reply) => ask(reply, request.params.name, { kind: 'view', brief: request.query.brief }),
  );
  app.get<Named>('/api/certifications/:name/scorecard', { schema: { params: Params } }, async (request, reply) =>
    answer(reply, () => certifications.scorecard(request.params.name)),
  );
  app.get<Named>('/api/certifications/:name/interview', { schema: { params: Params } }, async (request, reply) =>
    answer(reply, async () => {
      const { abilities, hasProfile } = await certifications.ask(request.params.name, { kind: 'view', brief: true });
      return { questions: QUESTIONS, can: abilities, hasProfile };
    }),
  );
  app.post<Named & { Body: Static<typeof InterviewBody> }>(
    '/api/certifications/:name/interview',
    { schema: { params: Params, body: InterviewBody } },
    async (request, reply) =>
      answer(reply, async () => {
        const { can, answerSeconds } = request.body;
        await certifications.saveProfile(request.params.name, can, answerSeconds);
        administration.audit(who(request), 'certification profile', `${request.params.name} ${can.join(' ')}`);
        return { done: true, text: `Kept: ${can.length} abilities. They decide which cases are mandatory.` };
      }),
  );
  for (const kind of ['start', 'stop'] as const) {
    const schema = { params: Params, body: NO_BODY };
    app.post<Named>(`/api/certifications/:name/${kind}`, { schema }, async (request, reply) => {
      administration.audit(who(request), `certification ${kind}`, request.params.name);
      return ask(reply, request.params.name, { kind });
    });
  }
  app.post<Named & { Body: Static<typeof RunBody> }>(
    '/api/certifications/:name/run',
    { schema: { params: Params, body: RunBody } },
    async (request, reply) => {
      administration.audit(who(request), 'certification run', `${request.params.name} ${request.body.case}`);
      return ask(reply, request.params.name, { kind: 'run', caseId: request.body.case });
    },
  );
}
