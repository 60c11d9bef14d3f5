// Carries out one signed command: checks its permission, keeps the audit trail before and after, and returns its
// outcome. Sent once, whatever happens; an unknown outcome is answered as such (rules U1, U3).

import { Ajv, type ValidateFunction } from 'ajv';
import { SlidingWindow } from '../../base/collections/sliding-window.ts';
import {
  type CancelCommand,
  type CommandOutcome,
  type CreateOrderCommand,
  parseExactJson,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import type { Caller } from '../access.ts';
import type { BridgeOptions, UpstreamCommand } from '../port.ts';
import { Problem } from '../problem.ts';
import { isPage, printable, problemOf, refused } from '../reads/upstream.ts';
import { complaint } from '../validation.ts';
import { type CommandFields, type CommandSpec, READING } from './command-spec.ts';
import { commandAt, commandSchema } from './commands.ts';

const MINUTE_MS = 60_000;

/** Answer to a command that was not refused. */
export interface CommandAnswer {
  readonly status: 200 | 202;
  readonly json: string;
  /** Where to ask, for an unknown outcome. */
  readonly location: string | null;
}

type CommandOptions = Pick<
  BridgeOptions,
  | 'audit'
  | 'cancel'
  | 'orders'
  | 'delayedCancelRefusalOf'
  | 'killSwitchOf'
  | 'legRefusalOf'
  | 'limits'
  | 'log'
  | 'now'
  | 'tradeRefusalOf'
>;

export class CommandCalls {
  private readonly options: CommandOptions;
  /** Negotiated trades of the last minute, by trading account: those of the callers, which are configured. */
  private readonly negotiated = new Map<string, SlidingWindow>();
  private readonly ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  /** By commandType, compiled at its first call. */
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly run: string;
  private count = 0;
  /** Commands without an outcome, including those with a record being made. */
  inFlight = 0;

  constructor(options: CommandOptions) {
    this.options = options;
    this.run = options.now().toString(36);
  }

  /** @throws Problem */
  async call(path: string, caller: Caller, body: unknown): Promise<CommandAnswer> {
    const fields = commandIn(body);
    const takesOrders = this.options.orders?.takes(toText(fields.tradingAccountId) ?? '') === true;
    const spec = commandAt(path, toText(fields.commandType) ?? '', takesOrders);
    caller.requireFunction(spec.needs);
    const validate = this.validatorOf(spec);
    if (!validate(fields)) throw new Problem('malformed', complaint(spec.commandType, validate.errors ?? []));
    const fault = spec.fault?.(fields) ?? null;
    if (fault !== null) throw new Problem('malformed', fault);
    caller.requireAccount(String(fields.tradingAccountId));
    const bar = this.barOf(spec, fields);
    if (bar !== null) throw bar;
    this.inFlight++;
    try {
      if (spec.idsAt !== undefined) await requireOwnIds(spec, caller, fields);
      if (spec.needs === 'otc-write' && spec.bringsRisk) this.takeNegotiated(String(fields.tradingAccountId));
      if (spec.cancels !== undefined) return await this.cancel(spec, spec.cancels(fields), caller, fields);
      if (spec.orders !== undefined) return await this.enter(spec, spec.orders(fields), caller, fields);
      return await this.carryOut(spec, path, caller, fields);
    } finally {
      this.inFlight--;
    }
  }

  /** Send a cancel at once: neither a limit nor the record of it holds it up (rules B5, J2). */
  private async cancel(
    spec: CommandSpec,
    command: CancelCommand,
    caller: Caller,
    fields: CommandFields,
  ): Promise<CommandAnswer> {
    const account = command.tradingAccountId;
    const barred = command.kind === 'delayedCancelAll' ? this.options.delayedCancelRefusalOf(account) : null;
    if (barred !== null) {
      const text = `${spec.commandType} is not sent: ${barred}. An operator lists it in \`exclusiveAccounts\` of its credential, or send V1CancelAllOrders.`;
      throw new Problem('account-not-exclusive', text);
    }
    const commandId = `bridge-${this.run}-${++this.count}`;
    const detail = `${commandId} ${JSON.stringify(ordered(spec, fields))}`;
    void this.options.audit(caller.name, `bridge: ${spec.commandType}`, detail);
    const outcome = await this.options.cancel(commandId, caller, command);
    const text = outcome.kind === 'accepted' ? ` requestId=${outcome.requestId}` : ` ${printable(outcome.message)}`;
    void this.options.audit(caller.name, `bridge: outcome ${outcome.kind}`, `${commandId}${text}`);
    return answerOf(spec, fields, { caller, commandId, sent: { outcome, result: null } });
  }

  /** Enter an order: recorded before it leaves, and sent once (rules O12, U1). */
  private async enter(
    spec: CommandSpec,
    command: CreateOrderCommand,
    caller: Caller,
    fields: CommandFields,
  ): Promise<CommandAnswer> {
    const commandId = `bridge-${this.run}-${++this.count}`;
    await this.record(spec, caller, commandId, fields);
    const outcome = await this.options.orders!.enter(caller, command);
    const text = outcome.kind === 'accepted' ? ` orderId=${outcome.orderId}` : '';
    void this.options.audit(caller.name, `bridge: outcome ${outcome.kind}`, `${commandId}${text}`);
    if (outcome.kind === 'notSent') throw new Problem('order-refused', `The order is not sent: ${outcome.text}.`);
    return answerOf(spec, fields, { caller, commandId, sent: { outcome, result: null } });
  }

  /** Put a command on record. @throws Problem audit-impossible */
  private async record(spec: CommandSpec, caller: Caller, commandId: string, fields: CommandFields): Promise<void> {
    const detail = `${commandId} ${JSON.stringify(ordered(spec, fields))}`;
    if (await this.options.audit(caller.name, `bridge: ${spec.commandType}`, detail)) return;
    // The record may be late only.
    const why = `${commandId} not sent: it could not be recorded in time`;
    void this.options.audit(caller.name, 'bridge: outcome refused', why);
    throw new Problem(
      'audit-impossible',
      'The journal cannot record the command, so it was not sent. Try again later.',
    );
  }

  private async carryOut(
    spec: CommandSpec,
    path: string,
    caller: Caller,
    fields: CommandFields,
  ): Promise<CommandAnswer> {
    const commandId = `bridge-${this.run}-${++this.count}`;
    await this.record(spec, caller, commandId, fields);
    const since = this.barOf(spec, fields);
    if (since !== null) {
      // While the disk was waited for.
      void this.options.audit(caller.name, 'bridge: outcome refused', `${commandId} ${since.message}`);
      throw since;
    }
    const command = spec.meaning?.(fields) ?? ({ kind: 'raw', path, fields: ordered(spec, fields) } as const);
    let late: Problem | null = null;
    // While it waited for its turn in the rate, too.
    const barred = (): string | null => {
      late = this.barOf(spec, fields);
      return late === null ? null : late.message;
    };
    const sent = await caller.exchange.send(commandId, command, barred);
    const { outcome } = sent;
    const text = outcome.kind === 'accepted' ? acknowledged(sent) : ` ${printable(outcome.message)}`;
    void this.options.audit(caller.name, `bridge: outcome ${outcome.kind}`, `${commandId}${text}`);
    if (late !== null) throw late;
    return answerOf(spec, fields, { caller, commandId, sent });
  }

  /** One more negotiated trade of an account. @throws Problem too-many-requests */
  private takeNegotiated(tradingAccountId: string): void {
    const { negotiatedPerMinute } = this.options.limits;
    const window = this.negotiated.get(tradingAccountId) ?? new SlidingWindow(negotiatedPerMinute, MINUTE_MS);
    this.negotiated.set(tradingAccountId, window);
    // By a monotonic time.
    const retryAfterS = Math.ceil(window.waitMs(performance.now()) / 1000);
    if (retryAfterS > 0) {
      const text = `At most ${window.max} negotiated trades of one account in a minute: wait ${retryAfterS} seconds.`;
      throw new Problem('too-many-requests', text, { retryAfterS });
    }
    window.take(performance.now());
  }

  /** Why a command that brings risk is not sent now (rule O12). */
  private barOf({ bringsRisk, commandType, legs }: CommandSpec, fields: CommandFields): Problem | null {
    const account = String(fields.tradingAccountId);
    const on = bringsRisk ? this.options.killSwitchOf(account) : null;
    if (on !== null)
      return new Problem(
        'kill-switch',
        `${on}: ${commandType} is not sent; commands that end risk are. Ask an operator to lift the switch.`,
      );
    for (const [i, leg] of legs?.(fields).entries() ?? []) {
      const broken = this.options.legRefusalOf(account, leg);
      if (broken === null) continue;
      return riskLimit(`${commandType} is not sent, for its leg ${i + 1} (${leg.symbol}): ${broken}.`);
    }
    const whole = legs === undefined ? null : this.options.tradeRefusalOf(account, legs(fields));
    return whole === null ? null : riskLimit(`${commandType} is not sent: ${whole}.`);
  }

  private validatorOf(spec: CommandSpec): ValidateFunction {
    const { commandType } = spec;
    const validate = this.validators.get(commandType) ?? this.ajv.compile(commandSchema(spec));
    this.validators.set(commandType, validate);
    return validate;
  }
}

/** A limit forbids it: its caller can change the trade, an operator the limit. */
function riskLimit(text: string): Problem {
  const what = 'Enter a trade within the limit, or ask an operator to change `orders.accountLimits` in gateway.yaml.';
  return new Problem('risk-limit', `${text} ${what}`);
}

/**
 * The ids that a command names are of its account: the exchange is asked before anything is sent. A failed read refuses
 * commands that add risk, and lets pass those that end it: the exchange checks the account then. @throws Problem
 */
async function requireOwnIds(spec: CommandSpec, caller: Caller, fields: CommandFields): Promise<void> {
  for (const target of spec.idsAt?.(fields) ?? []) {
    const read = await caller.exchange.get(target);
    if (read.kind === 'failed' || read.status >= 500 || read.status === 429 || isPage(read)) {
      if (!spec.bringsRisk) continue;
      throw new Problem('exchange-gone', `${spec.commandType} is not sent: its id could not be looked up. Try again.`);
    }
    if (read.status !== 200) throw problemOf(read);
    const answered = parseExactJson(read.body);
    // A list may come in pages.
    const found = [toObject(answered)?.data ?? answered].flat();
    const account = String(fields.tradingAccountId);
    const isOwn = (one: unknown): boolean => (toText(toObject(one)?.tradingAccountId) ?? account) === account;
    if (found.length > 0 && found.every(isOwn)) continue;
    const text = `${spec.commandType} is not sent: the exchange knows no such id of trading account ${account}. Read the ids of that account, and name one of them.`;
    throw new Problem('account-forbidden', text);
  }
}

/** The command of a body: flat, or in `{command}`; signing is the bridge's. @throws Problem malformed */
function commandIn(body: unknown): CommandFields {
  const outer = toObject(body);
  if (outer === null) throw new Problem('malformed', 'The body must be a JSON object: the command.');
  if (!('command' in outer)) return outer;
  const { command, ...rest } = outer;
  const inner = toObject(command);
  if (inner === null) throw new Problem('malformed', 'The command must be an object.');
  const [beside] = Object.keys(rest);
  if (beside !== undefined) {
    const name = printable(beside).slice(0, 40);
    throw new Problem('malformed', `Leave ${name} out: the bridge adds timestamp, nonce, authorizer and signature.`);
  }
  return inner;
}

/** Fields in the documented order, `commandType` first. */
function ordered(spec: CommandSpec, fields: CommandFields): CommandFields {
  const names = ['commandType', ...Object.keys(spec.fields)].filter((name) => fields[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** The exchange's ids of an acknowledged command, for the audit trail. */
function acknowledged({ result }: UpstreamCommand): string {
  const answer = result?.kind === 'answer' ? toObject(parseExactJson(result.body)) : null;
  const ids = ['requestId', 'instructionId', 'otcTradeId'].map((name) => [name, toText(answer?.[name])] as const);
  return ids.map(([name, id]) => (id === null ? '' : ` ${name}=${id}`)).join('');
}

/** The exchange's acknowledgement, as it words it (exchange reference §10); of one order with both names of its reference (rule X2). */
function acknowledgementOf(
  { commandType, fields }: CommandSpec,
  { requestId, orderId, clientOrderId }: Extract<CommandOutcome, { kind: 'accepted' }>,
): Readonly<Record<string, unknown>> {
  const message = `Command acknowledged - ${commandType.replace(/^V\d+/, '')}`;
  const order = { orderId, clientOrderId, handle: clientOrderId };
  // That of a create has no commandType (exchange reference §1.4).
  if (commandType.endsWith('CreateOrder')) return { message, requestId, ...order };
  return { commandType, message, requestId, ...('orderId' in fields ? order : {}) };
}

function answerOf(
  spec: CommandSpec,
  fields: CommandFields,
  { caller, commandId, sent }: { readonly caller: Caller; readonly commandId: string; readonly sent: UpstreamCommand },
): CommandAnswer {
  const { outcome, result } = sent;
  switch (outcome.kind) {
    case 'accepted': {
      const json = result?.kind === 'answer' ? result.body : JSON.stringify(acknowledgementOf(spec, outcome));
      return { status: 200, json, location: null };
    }
    case 'refused': {
      const { httpStatus, errorCode, errorCodeName } = outcome;
      if (httpStatus === null) {
        const why = printable(outcome.message);
        throw new Problem('exchange-gone', `The command was not sent: ${why}. It is safe to send it again.`);
      }
      if (result?.kind === 'answer' && (isPage(result) || httpStatus === 401)) throw problemOf(result);
      const words = { errorCode, errorCodeName, message: printable(outcome.message) };
      throw refused(httpStatus, words, result?.kind === 'answer' ? result : null);
    }
    case 'unknown': {
      const location = spec.askAt(fields);
      const reading = READING[spec.needs];
      const barred = caller.may(reading) ? '' : ` This token may not: use a token with the function "${reading}".`;
      const json = JSON.stringify({
        outcome: 'unknown',
        commandId,
        detail: `The command was sent and no clear answer came: ${printable(outcome.message)}. It may have been carried out. It is not sent again; ask at "askAt" before you do.${barred}`,
        askAt: location,
      });
      return { status: 202, json, location };
    }
  }
}
