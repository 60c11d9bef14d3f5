// The configuration over HTTP: what is in effect, what the files would change, taking it over, its versions and the way back.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { CrossgateError } from '../../../base/errors.ts';
import { type Static, Type } from '../../../base/schema.ts';
import type { Caller } from '../../checks/admin-users.ts';
import type { ApplyReport } from '../../configuration/change/apply-report.ts';
import type { WantedFiles } from '../../configuration/change/draft.ts';
import type { Reloader } from '../../configuration/reload.ts';
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

const FileQuery = Type.Object(
  { session: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
  { additionalProperties: false },
);
const VersionQuery = Type.Object({ version: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
/** As long as a request may be; session files are a few hundred bytes. */
const TEXT_MAX = 12_000;
const FILE = {
  name: Type.String({ minLength: 1, maxLength: 64 }),
  /** The whole file, or some settings of it, or its removal. */
  text: Type.Optional(Type.String({ maxLength: TEXT_MAX })),
  /** Values by key in JSON, for a validator that converts types; `null` removes the key. The rest of the file stays. */
  settings: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z]{1,40}(\\.[A-Za-z]{1,40}){0,3}$' }), Type.String({ maxLength: 200 }), {
      maxProperties: 20,
      additionalProperties: false,
    }),
  ),
  remove: Type.Boolean({ default: false }),
  /** Digest of the text that was looked at; absent: the file is new. */
  replaces: Type.Optional(Type.String({ maxLength: 64 })),
};
const DraftBody = Type.Object(FILE, { additionalProperties: false });
const FileBody = Type.Object(
  { ...FILE, why: Type.String({ minLength: 1, maxLength: WHY_MAX }) },
  { additionalProperties: false },
);
const NO_FILES = 'Session files are changed where they lie: `admin.sessionFiles` is false.';

export interface ConfigurationRoutesOptions {
  /** Whether session files may be written here. */
  readonly sessionFiles: boolean;
  readonly administration: Administration;
  readonly reloader: Reloader;
  readonly callerOf: (request: FastifyRequest) => Caller;
}

export function addConfigurationRoutes(
  app: FastifyInstance,
  { administration, reloader, callerOf, sessionFiles }: ConfigurationRoutesOptions,
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
  /** An error of the caller, such as a version that is not kept, as its answer. */
  const answered = async <T>(reply: FastifyReply, run: () => Promise<T>): Promise<T | FastifyReply> => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof CrossgateError)) throw error;
      return problem(reply, error.code === 'XG_NOT_FOUND' ? 404 : 409, error.message);
    }
  };
  const change = (request: FastifyRequest, reply: FastifyReply, wanted: WantedFiles, why: string) =>
    answered(reply, async () => {
      const approved = two.approvedBy(request);
      return await answer(request, reply, await reloader.change(wanted, { who: who(request), why, approved }));
    });
  app.post<{ Body: Static<typeof RollbackBody> }>(
    '/api/configuration/rollback',
    { schema: { body: RollbackBody } },
    async (request, reply) => change(request, reply, { version: request.body.version }, request.body.why),
  );
  app.get<{ Querystring: Static<typeof VersionQuery> }>(
    '/api/configuration/versions/diff',
    { schema: { querystring: VersionQuery } },
    async ({ query }, reply) => answered(reply, () => reloader.previewOf({ version: query.version })),
  );
  // Operators see the text, with its comments; others see the values, with secrets taken out.
  app.get<{ Querystring: Static<typeof FileQuery> }>(
    '/api/configuration/files',
    { schema: { querystring: FileQuery } },
    async (request, reply) => {
      if (!callerOf(request).roles.includes('operate'))
        return problem(reply, 403, 'Session files are shown to users with role `operate`.');
      const { session } = request.query;
      const files = reloader.sessionFiles();
      if (session === undefined) return { names: files.map(({ name }) => name), writable: sessionFiles };
      const file = files.find(({ name }) => name === session);
      if (file === undefined) return problem(reply, 404, `There is no ${session}.yaml.`);
      return { file, limits: reloader.sessionNamed(session)?.gateway.limits ?? null, writable: sessionFiles };
    },
  );
  app.post<{ Body: Static<typeof DraftBody> }>(
    '/api/configuration/files/diff',
    { schema: { body: DraftBody } },
    async ({ body }, reply) => answered(reply, () => reloader.previewOf(wantedOf(body))),
  );
  app.post<{ Body: Static<typeof FileBody> }>(
    '/api/configuration/files',
    { schema: { body: FileBody } },
    async (request, reply) => {
      if (!sessionFiles) return problem(reply, 403, NO_FILES);
      return await answered(reply, () => change(request, reply, wantedOf(request.body), request.body.why));
    },
  );
}

/** @throws CrossgateError XG_USAGE */
function wantedOf({ name, text, settings, remove, replaces }: Static<typeof DraftBody>): WantedFiles {
  if ([text !== undefined, settings !== undefined, remove].filter(Boolean).length !== 1)
    throw new CrossgateError('XG_USAGE', 'send one of `text`, `settings` and `remove`');
  if (settings === undefined) return { session: name, text: text ?? null, replaces: replaces ?? null };
  const values = Object.entries(settings).map(([key, value]) => [key, scalarOf(key, value)] as const);
  return { session: name, text: Object.fromEntries(values), replaces: replaces ?? null };
}

function scalarOf(key: string, text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return value as string | number | boolean | null;
  } catch {}
  throw new CrossgateError('XG_USAGE', `${key}: write its value in JSON, such as "20" or false`);
}
