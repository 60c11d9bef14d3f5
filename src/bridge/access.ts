// Identifies callers and their permissions: bearer tokens compared in constant time, permitted functions, permitted
// trading accounts. Tokens are kept as digests only; configuration supplies them.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { SlidingWindow } from '../base/collections/sliding-window.ts';
import { CrossgateError } from '../base/errors.ts';
import { isOwnOrigin } from '../base/host-names.ts';
import { StrangerLog } from '../base/places/stranger-log.ts';
import type { IsNamed, Renewal } from '../base/renewal.ts';
import { BridgeClients } from './passed-client.ts';
import type { BridgeCaller, BridgeExchange, BridgeFunction, BridgeOptions } from './port.ts';
import { Problem } from './problem.ts';

/** Shorter tokens could be guessed. */
const TOKEN_LENGTH_MIN = 24;
/** Longer ones are not looked at. */
const TOKEN_LENGTH_MAX = 1024;
const MINUTE_MS = 60_000;
const TICKET_BYTES = 32;
/** No token has it. */
const NO_DIGEST = Buffer.alloc(32);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Parts of a request that identify its caller. */
interface Request {
  readonly headers: Headers;
  /** The peer's address. */
  readonly ip: string;
}

/** A caller with a valid token. */
export class Caller {
  readonly name: string;
  readonly exchange: BridgeExchange;
  readonly credential: string;
  readonly tradingAccountIds: ReadonlySet<string>;
  /** Its client signs for the exchange: nonce and signature count for nothing here (rule B2). */
  readonly isSignedAnew: boolean;
  private readonly functions: ReadonlySet<BridgeFunction>;
  private readonly newStreams: SlidingWindow;
  /** Requests under way, and streams open. */
  requests = 0;
  streams = 0;

  constructor(token: BridgeCaller, exchange: BridgeExchange, newStreamsPerMinute: number) {
    this.name = token.name;
    this.exchange = exchange;
    this.credential = token.credential;
    this.tradingAccountIds = new Set(token.tradingAccountIds);
    this.isSignedAnew = token.signedCommands === 'signAnew';
    this.functions = new Set(token.functions);
    this.newStreams = new SlidingWindow(newStreamsPerMinute, MINUTE_MS);
  }

  /** Count one more open stream, by a monotonic time. @throws Problem too-many-streams */
  takeStream(elapsedMs: number, openMax: number): void {
    if (this.streams >= openMax) {
      throw new Problem('too-many-streams', `At most ${openMax} open streams of one token.`);
    }
    const retryAfterS = Math.ceil(this.newStreams.waitMs(elapsedMs) / 1000);
    if (retryAfterS > 0) {
      const text = `At most ${this.newStreams.max} new streams of one token in a minute: wait ${retryAfterS} seconds.`;
      throw new Problem('too-many-streams', text, { retryAfterS });
    }
    this.newStreams.take(elapsedMs);
  }

  may(needed: BridgeFunction): boolean {
    return this.functions.has(needed);
  }

  /** @throws Problem function-forbidden */
  requireFunction(needed: BridgeFunction): void {
    if (this.may(needed)) return;
    throw new Problem(
      'function-forbidden',
      `The token "${this.name}" lacks the function "${needed}": an operator adds it to \`bridge.callers\` in gateway.yaml.`,
    );
  }

  /** @throws Problem account-forbidden */
  requireAccount(tradingAccountId: string): void {
    if (this.tradingAccountIds.has(tradingAccountId)) return;
    throw new Problem(
      'account-forbidden',
      `The token "${this.name}" is not for trading account ${tradingAccountId.slice(0, 40)}: name one of its own, as GET /trading-api/v1/accounts/trading-accounts lists them.`,
    );
  }
}

/** Why a token cannot be one of the bridge's, beside those of other callers; null if it can. Says nothing of the token itself. */
export function bridgeTokenFault(token: string, others: readonly string[]): string | null {
  if (token.length < TOKEN_LENGTH_MIN || token.length > TOKEN_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(token)) {
    return `a token of the bridge must have ${TOKEN_LENGTH_MIN} to ${TOKEN_LENGTH_MAX} printable characters`;
  }
  return others.includes(token) ? 'this token of the bridge is the same as another one' : null;
}

interface KnownCaller {
  readonly digest: Buffer;
  readonly token: BridgeCaller['token'];
  readonly caller: Caller;
}

/** All callers that are configured. */
export class Access {
  private callers: readonly KnownCaller[];
  private readonly origins: readonly string[];
  /** Where requests come from. */
  readonly clients: BridgeClients;
  private readonly wrongTokens: StrangerLog;
  /** Good for one request each. */
  private readonly tickets = new Map<string, Caller>();

  /** @throws CrossgateError XG_CONFIG_INVALID for a token that is too short or used twice; XG_SECRET_MISSING */
  constructor({
    callers,
    exchanges,
    limits,
    origins,
    tls,
    frontToken,
    log,
  }: Pick<BridgeOptions, 'callers' | 'exchanges' | 'limits' | 'origins' | 'tls' | 'frontToken' | 'log'>) {
    this.wrongTokens = new StrangerLog({
      log,
      elapsedMs: () => performance.now(),
      later: (run, ms) => void setTimeout(run, ms).unref(),
    });
    this.origins = origins;
    this.clients = new BridgeClients(frontToken?.() ?? null, tls !== null);
    const tokens: string[] = [];
    this.callers = callers.map((token) => {
      const digest = readToken(token.token, tokens);
      const exchange = exchanges.get(token.credential);
      if (exchange === undefined) {
        throw new CrossgateError('XG_CONFIG_INVALID', `bridge token ${token.name}: no credential ${token.credential}`);
      }
      return { digest, token: token.token, caller: new Caller(token, exchange, limits.newStreamsPerMinute) };
    });
  }

  /**
   * Replace changed tokens; `ended` is called with each removed caller afterwards. @throws CrossgateError as at the
   * start
   */
  renewals(isNamed: IsNamed, ended: (caller: Caller) => void): Renewal[] {
    const tokens: string[] = [];
    const renewals: Renewal[] = [];
    const gone = this.callers.filter(({ token }) => !isNamed(token.reference)).map(({ caller }) => caller);
    for (const { digest, token, caller } of this.callers) {
      if (gone.includes(caller)) continue;
      const read = readToken(token, tokens);
      if (read.equals(digest)) continue;
      const take = (): void => {
        // One token is one caller's: who is named no more has it no more.
        const before = this.callers.filter((known) => gone.includes(known.caller) && known.digest.equals(read));
        this.callers = this.callers.map((known) => {
          if (known.caller === caller) return { ...known, digest: read };
          return before.includes(known) ? { ...known, digest: NO_DIGEST } : known;
        });
        for (const one of [caller, ...before.map((known) => known.caller)]) ended(one);
      };
      renewals.push({ text: `bridge caller ${caller.name} has another token`, take });
    }
    return renewals;
  }

  /** A token for one request as this caller from within the gateway; null if there is none of that name. */
  ticketOf(name: string): string | null {
    const known = this.callers.find(({ caller }) => caller.name === name);
    if (known === undefined) return null;
    const ticket = randomBytes(TICKET_BYTES).toString('hex');
    this.tickets.set(ticket, known.caller);
    return ticket;
  }

  get all(): readonly Caller[] {
    return this.callers.map(({ caller }) => caller);
  }

  /** The caller of a request; a stream may bring its token in the cookie that the exchange's clients use. @throws Problem */
  callerOf(request: Request, isStream: boolean): Caller {
    const { headers } = request;
    const borne = bearer(headers);
    const given = bridgeTokenIn(headers, isStream);
    if (given === null) {
      const or = isStream ? ' or "Cookie: JWT_COOKIE=<TOKEN>"' : '';
      throw new Problem('unauthorized', `Send the bridge token as "Authorization: Bearer <TOKEN>"${or}.`);
    }
    const within = this.tickets.get(given);
    if (within !== undefined) {
      this.tickets.delete(given);
      return within;
    }
    const digest = digestOf(given);
    let found: Caller | null = null;
    const { origin, host = '' } = headers;
    // A browser sends the cookie for every page; a program sends no Origin.
    const isOwn = (): boolean =>
      origin === undefined ||
      isOwnOrigin(String(origin), String(host), this.origins, this.clients.of(request).isSecure);
    if (borne === null && !isOwn()) {
      throw new Problem(
        'origin-forbidden',
        'An operator lists the origin of the page in `bridge.origins` of gateway.yaml, or the page asks a server of its own.',
      );
    }
    // Every digest is compared, so that the time reveals nothing.
    for (const known of this.callers) if (timingSafeEqual(known.digest, digest)) found = known.caller;
    if (found === null) {
      this.tellWrong(this.clients.of(request).address);
      throw new Problem('unauthorized', 'The token is not one of this bridge; a JWT of the exchange is not, either.');
    }
    return found;
  }

  /** Report a wrong token without its value, at a bounded rate: guessing fills no log. */
  private tellWrong(remote: string): void {
    this.wrongTokens.say({ address: remote, text: 'a wrong token was refused', fields: { remote } });
  }
}

/** The digest of a token beside those read before. @throws CrossgateError XG_CONFIG_INVALID, XG_SECRET_MISSING */
function readToken(token: BridgeCaller['token'], others: string[]): Buffer {
  const value = token.read();
  const fault = bridgeTokenFault(value, others);
  if (fault !== null) throw new CrossgateError('XG_CONFIG_INVALID', `${token.reference}: ${fault}`);
  others.push(value);
  return digestOf(value);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The token that a request brings, whether it is one or not: of a stream in the cookie too. Null without one. */
export function bridgeTokenIn(headers: Headers, isStream: boolean): string | null {
  return bearer(headers) ?? (isStream ? cookie(headers) : null);
}

function bearer(headers: Headers): string | null {
  const value = headers.authorization;
  const match = typeof value === 'string' ? /^Bearer ([\x21-\x7e]{1,1024})$/i.exec(value) : null;
  return match?.[1] ?? null;
}

function cookie(headers: Headers): string | null {
  const value = headers.cookie;
  const match = typeof value === 'string' ? /(?:^|;\s*)JWT_COOKIE=([^;\s]{1,1024})/.exec(value) : null;
  return match?.[1] ?? null;
}
