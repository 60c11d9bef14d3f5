// Alarms over HTTP: those that were raised, the open ones, acknowledging and silencing them. Each action is audited.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { didYouMean } from '../../../base/did-you-mean.ts';
import { type Static, Type } from '../../../base/schema.ts';
import { formatIso } from '../../../base/time.ts';
import type { AlarmDesk } from '../../alarms/alarm-desk.ts';
import { ALARM_NAMES, severityOf } from '../../alarms/alarm-severity.ts';
import { problem } from '../problem.ts';

const WHY = Type.String({ maxLength: 500, default: '' });
const ID = Type.String({ minLength: 1, maxLength: 20 });
const AlarmsQuery = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }) });
const AcknowledgeBody = Type.Object({ id: ID, why: WHY }, { additionalProperties: false });
const SilenceBody = Type.Object(
  {
    alarm: Type.String({ minLength: 1, maxLength: 100 }),
    session: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    minutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
    why: WHY,
  },
  { additionalProperties: false },
);
const EndBody = Type.Object({ id: ID, why: WHY }, { additionalProperties: false });

const SAY_WHY = 'Say why: the audit trail has it.';

interface AlarmRoutesOptions {
  readonly administration: Administration;
  readonly desk: AlarmDesk;
}

/** Add the routes below /api/alarms. `who`: the caller, for the audit trail. */
export function addAlarmRoutes(
  app: FastifyInstance,
  { administration, desk }: AlarmRoutesOptions,
  who: (request: FastifyRequest) => string,
): void {
  const explained = <A extends { readonly alarm: string }>(alarm: A) => ({
    ...alarm,
    runbook: desk.runbook(alarm.alarm),
  });
  app.get<{ Querystring: Static<typeof AlarmsQuery> }>(
    '/api/alarms',
    { schema: { querystring: AlarmsQuery } },
    async ({ query }) => ({
      alarms: administration
        .alarms(query.limit)
        .map((alarm) => explained({ ...alarm, severity: severityOf(alarm.alarm) })),
    }),
  );
  app.get('/api/alarms/open', async () => ({ alarms: desk.open().map(explained) }));
  app.get('/api/alarms/silences', async () => ({ silences: desk.silences() }));
  app.post<{ Body: Static<typeof AcknowledgeBody> }>(
    '/api/alarms/acknowledge',
    { schema: { body: AcknowledgeBody } },
    async (request, reply) => {
      const { id, why } = request.body;
      if (why === '') return problem(reply, 409, SAY_WHY);
      const alarm = desk.acknowledge(id, { by: who(request), why });
      if (alarm === null) {
        return problem(reply, 404, `No alarm ${id} is open; \`crossgate alarms list\` shows those that are.`);
      }
      administration.audit(who(request), 'alarm acknowledged', `${about(alarm)}: ${why}`);
      return { done: true, text: `Acknowledged: ${alarm.alarm} is sent again only if it escalates.` };
    },
  );
  app.post<{ Body: Static<typeof SilenceBody> }>(
    '/api/alarms/silences',
    { schema: { body: SilenceBody } },
    async (request, reply) => silence(request, reply, { administration, desk }, who(request)),
  );
  app.post<{ Body: Static<typeof EndBody> }>(
    '/api/alarms/silences/end',
    { schema: { body: EndBody } },
    async (request, reply) => {
      const { id, why } = request.body;
      const known = desk.silences().find((one) => one.id === id);
      if (known === undefined || !desk.endSilence(id)) {
        return problem(reply, 404, `There is no silence ${id}; \`crossgate alarms silences\` shows them.`);
      }
      administration.audit(who(request), 'alarm silence ended', `${known.alarm} ${why}`.trim());
      return { done: true, text: `${known.alarm} is sent again.` };
    },
  );
}

function silence(
  { body }: { readonly body: Static<typeof SilenceBody> },
  reply: FastifyReply,
  { administration, desk }: AlarmRoutesOptions,
  by: string,
): FastifyReply | { readonly done: true; readonly text: string } {
  const { alarm, session: named, minutes, why } = body;
  if (why === '') return problem(reply, 409, SAY_WHY);
  if (!ALARM_NAMES.includes(alarm)) {
    const meant = didYouMean(alarm, ALARM_NAMES);
    return problem(reply, 404, `There is no alarm "${alarm}"${meant === null ? '' : `; did you mean ${meant}?`}`);
  }
  const session = named === undefined ? null : administration.idOf(named);
  if (named !== undefined && session === null) {
    return problem(
      reply,
      404,
      `There is no session "${named}", or not one only; \`crossgate sessions list\` shows them.`,
    );
  }
  const made = desk.silence({ alarm, session, by, why }, minutes * 60_000);
  if (made === null) return problem(reply, 409, 'There are 100 silences: end one, or wait until one is over.');
  const until = formatIso(made.until).slice(0, 16).replace('T', ' ');
  const of = session === null ? alarm : `${alarm} of ${session}`;
  administration.audit(by, 'alarm silenced', `${of} until ${until} UTC: ${why}`);
  return {
    done: true,
    text: `Silenced until ${until} UTC: ${of} is not sent, and stays on the log, in metrics and the console.`,
  };
}

function about({
  alarm,
  fields,
}: {
  readonly alarm: string;
  readonly fields: Readonly<Record<string, string>>;
}): string {
  return [alarm, fields.session ?? fields.credential ?? ''].join(' ').trim();
}
