// Actions that take two people by setting (`admin.twoPeople`): one operator proposes, another one confirms within a quarter of an
// hour, and the action runs once. Proposals are kept in memory: a restart forgets them, and says so to a later confirmation.

import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EpochMs, formatIso } from '../../base/time.ts';
import type { Caller } from '../checks/admin-users.ts';
import type { TwoPeopleAction } from '../schema/admin-user-schema.ts';
import { problem } from './problem.ts';

/** Time for the second person. */
export const PROPOSAL_MS = 900_000;
const PROPOSALS_MAX = 50;
/** Open proposals of one person. */
const OWN_MAX = 10;
const SUMMARY_MAX = 300;

/** The action of each route that may be guarded; `limits` is found by the reloader. */
const GUARDED: ReadonlyMap<string, TwoPeopleAction> = new Map([
  ['/api/sessions/:name/open', 'open'],
  ['/api/logons/open', 'open'],
  ['/api/sessions/:name/numbers', 'reset'],
  ['/api/orders/resolve', 'resolve'],
  ['/api/orders/adopt', 'adopt'],
]);

export interface ProposalView {
  readonly id: string;
  readonly action: TwoPeopleAction;
  /** The request in words, with its reason. */
  readonly summary: string;
  readonly proposedBy: string;
  readonly proposedAt: EpochMs;
  readonly until: EpochMs;
}

interface Proposal extends ProposalView {
  readonly request: FastifyRequest;
  /** Digest of the configuration that was proposed; null for other actions. */
  readonly approves: string | null;
}

interface Confirmation {
  readonly by: string;
  readonly approves: string | null;
}

export interface TwoPeopleOptions {
  readonly actions: readonly TwoPeopleAction[];
  readonly now: () => EpochMs;
  readonly audit: (who: string, action: string, detail: string) => void;
}

export class TwoPeople {
  private readonly options: TwoPeopleOptions;
  private readonly proposals = new Map<string, Proposal>();
  private readonly confirmed = new WeakMap<FastifyRequest, Confirmation>();

  constructor(options: TwoPeopleOptions) {
    this.options = options;
  }

  takes(action: TwoPeopleAction): boolean {
    return this.options.actions.includes(action);
  }

  /** The action of a request that needs a second person now; null if it runs at once. */
  guards(request: FastifyRequest): TwoPeopleAction | null {
    const action = request.method === 'POST' ? GUARDED.get(request.routeOptions.url ?? '') : undefined;
    return action === undefined || !this.takes(action) || this.confirmed.has(request) ? null : action;
  }

  /** The second person of a request, once confirmed. */
  confirmerOf(request: FastifyRequest): string | null {
    return this.confirmed.get(request)?.by ?? null;
  }

  /** The configuration that a confirmed request may apply. */
  approvedBy(request: FastifyRequest): string | null {
    return this.confirmed.get(request)?.approves ?? null;
  }

  list(): ProposalView[] {
    this.forgetLapsed();
    return [...this.proposals.values()].map(({ request: _, approves: __, ...view }) => view);
  }

  /** For console and overview, one sentence each. */
  notices(): string[] {
    return this.list().map(
      ({ id, summary, proposedBy, until }) =>
        `${proposedBy} proposes ${summary}. Another operator confirms with \`crossgate proposals confirm ${id}\` until ${clockOf(until)} UTC.`,
    );
  }

  /** Keep a request for a second person, and answer its proposer. */
  propose(
    action: TwoPeopleAction,
    { user }: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    { summary, approves = null }: { readonly summary: string; readonly approves?: string | null },
  ): FastifyReply {
    if (user === null) return problem(reply, 403, sharedRefusal(action));
    this.forgetLapsed();
    const proposedBy = `user ${user}`;
    const own = [...this.proposals.values()].filter((one) => one.proposedBy === proposedBy);
    if (this.proposals.size >= PROPOSALS_MAX || own.length >= OWN_MAX) {
      const text = 'Too many proposals wait: confirm or withdraw some of `crossgate proposals list` first.';
      return problem(reply, 409, text);
    }
    let id: string;
    do id = randomBytes(4).toString('hex');
    while (this.proposals.has(id));
    const proposedAt = this.options.now();
    const until = proposedAt + PROPOSAL_MS;
    const view: ProposalView = { id, action, summary: summary.slice(0, SUMMARY_MAX), proposedBy, proposedAt, until };
    this.proposals.set(id, { ...view, request, approves });
    this.options.audit(proposedBy, `${action} proposed`, `${id} ${view.summary}`);
    const text = `Proposed, and not done: another operator confirms with \`crossgate proposals confirm ${id}\` until ${clockOf(until)} UTC.`;
    return reply.code(202).send({ done: false, text, proposal: view });
  }

  /** Run a proposal as its second person. */
  async confirm(id: string, { user }: Caller, reply: FastifyReply): Promise<unknown> {
    const proposal = this.find(id);
    if (proposal === null) return problem(reply, 404, gone(id));
    const { action, proposedBy, summary, request, approves } = proposal;
    if (user === null) return problem(reply, 403, sharedRefusal(action));
    const by = `user ${user}`;
    if (by === proposedBy) {
      this.options.audit(by, `${action} confirmation refused`, `${id} proposed by the same person`);
      return problem(reply, 403, `You proposed this yourself: ${action} takes a second person.`);
    }
    // It runs once, whatever comes of it.
    this.proposals.delete(id);
    this.confirmed.set(request, { by, approves });
    this.options.audit(by, `${action} confirmed`, `${id} of ${proposedBy}: ${summary}`);
    return await request.routeOptions.handler.call(request.server, request, reply);
  }

  /** Take a proposal back, as any operator. */
  withdraw(
    id: string,
    who: string,
    reply: FastifyReply,
  ): FastifyReply | { readonly done: true; readonly text: string } {
    const proposal = this.find(id);
    if (proposal === null) return problem(reply, 404, gone(id));
    this.proposals.delete(id);
    this.options.audit(who, `${proposal.action} withdrawn`, `${id} of ${proposal.proposedBy}`);
    return { done: true, text: 'Withdrawn.' };
  }

  private find(id: string): Proposal | null {
    this.forgetLapsed();
    return this.proposals.get(id) ?? null;
  }

  private forgetLapsed(): void {
    const now = this.options.now();
    for (const [id, { proposedAt }] of this.proposals) {
      // A clock that was set back keeps none alive for longer.
      if (Math.abs(now - proposedAt) >= PROPOSAL_MS) this.proposals.delete(id);
    }
  }
}

/** The request of a guarded route in words. */
export function summaryOf(action: TwoPeopleAction, { params, body }: Pick<FastifyRequest, 'params' | 'body'>): string {
  const { why = '', ...rest } = { ...(params as object), ...(body as object) } as Readonly<Record<string, unknown>>;
  const words = Object.entries(rest).flatMap(([key, value]) => {
    if (value === false || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return value === true ? [key] : [`${key} ${Array.isArray(value) ? value.join(' ') : String(value)}`];
  });
  return `${action}${words.length === 0 ? '' : ` (${words.join(', ')})`}: ${String(why)}`;
}

function clockOf(at: EpochMs): string {
  return formatIso(at).slice(11, 19);
}

function gone(id: string): string {
  return `There is no proposal ${id.slice(0, 20)}: it was confirmed or withdrawn, it lapsed after ${PROPOSAL_MS / 60_000} minutes, or the gateway was started since. Propose it again.`;
}

function sharedRefusal(action: TwoPeopleAction): string {
  return `This takes two people (\`admin.twoPeople\` has \`${action}\`), and the shared token is no person's: use a token of your own (\`--token-file\`).`;
}
