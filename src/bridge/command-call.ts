// Carries out one signed command: what it is, whether it may be, the audit trail before and after, and its outcome. Sent
// once, whatever happens; an unknown outcome is answered as such (rules U1, U3).

import { Ajv, type ValidateFunction } from 'ajv';
import { parseExactJson, toObject, toText } from '../exchange/mod.ts';
import type { Caller } from './access.ts';
import { type CommandFields, type CommandSpec, commandAt, commandSchema, READING } from './commands.ts';
import type { BridgeOptions, UpstreamCommand } from './port.ts';
import { Problem } from './problem.ts';
import { isPage, printable, problemOf, refused } from './upstream.ts';
import { complaint } from './validation.ts';

/** What a command is answered with when it was not refused. */
export interface CommandAnswer {
  readonly status: 200 | 202;
  readonly json: string;
  /** Where to ask, for an unknown outcome. */
  readonly location: string | null;
}

export class CommandCalls {
  private readonly options: Pick<BridgeOptions, 'audit' | 'killSwitchOf' | 'legRefusalOf' | 'log'>;
  private readonly ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  /** By commandType, compiled at its first call. */
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly run: string;
  private count = 0;
  /** Commands whose outcome is still open, those included whose record is being made. */
  inFlight = 0;

  constructor(options: Pick<BridgeOptions, 'audit' | 'killSwitchOf' | 'legRefusalOf' | 'log' | 'now'>) {
    this.options = options;
    this.run = options.now().toString(36);
  }

  /** @throws Problem */
  async call(path: string, caller: Caller, body: unknown): Promise<CommandAnswer> {
    const fields = commandIn(body);
    const spec = commandAt(path, toText(fields.commandType) ?? '');
    caller.requireFunction(spec.needs);
    const validate = this.validatorOf(spec);
    if (!validate(fields)) throw new Problem('malformed', complaint(spec.commandType, validate.errors ?? []));
    caller.requireAccount(String(fields.tradingAccountId));
    const bar = this.barOf(spec, fields);
    if (bar !== null) throw bar;
    this.inFlight++;
    try {
      return await this.carryOut(spec, path, caller, fields);
    } finally {
      this.inFlight--;
    }
  }

  private async carryOut(
    spec: CommandSpec,
    path: string,
    caller: Caller,
    fields: CommandFields,
  ): Promise<CommandAnswer> {
    const commandId = `bridge-${this.run}-${++this.count}`;
    const detail = `${commandId} ${JSON.stringify(ordered(spec, fields))}`;
    if (!(await this.options.audit(caller.name, `bridge: ${spec.commandType}`, detail))) {
      // The record may be late only.
      const why = `${commandId} not sent: it could not be recorded in time`;
      void this.options.audit(caller.name, 'bridge: outcome refused', why);
      throw new Problem(
        'audit-impossible',
        'The journal cannot record the command, so it was not sent. Try again later.',
      );
    }
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

  /** Why a command that brings risk is not sent now (rule O12). */
  private barOf({ bringsRisk, commandType, legs }: CommandSpec, fields: CommandFields): Problem | null {
    const account = String(fields.tradingAccountId);
    const on = bringsRisk ? this.options.killSwitchOf(account) : null;
    if (on !== null)
      return new Problem(
        'kill-switch',
        `${on}: ${commandType} is not sent, what ends risk is. Ask an operator to lift the switch.`,
      );
    for (const [i, leg] of legs?.(fields).entries() ?? []) {
      const broken = this.options.legRefusalOf(account, leg);
      if (broken === null) continue;
      return new Problem('risk-limit', `${commandType} is not sent, for its leg ${i + 1} (${leg.symbol}): ${broken}.`);
    }
    return null;
  }

  private validatorOf(spec: CommandSpec): ValidateFunction {
    const { commandType } = spec;
    const validate = this.validators.get(commandType) ?? this.ajv.compile(commandSchema(spec));
    this.validators.set(commandType, validate);
    return validate;
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

function answerOf(
  spec: CommandSpec,
  fields: CommandFields,
  { caller, commandId, sent }: { readonly caller: Caller; readonly commandId: string; readonly sent: UpstreamCommand },
): CommandAnswer {
  const { outcome, result } = sent;
  switch (outcome.kind) {
    case 'accepted': {
      const { kind: _, ...acknowledgement } = outcome;
      const json = result?.kind === 'answer' ? result.body : JSON.stringify(acknowledgement);
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
      const barred = caller.may(reading)
        ? ''
        : ` This token may not: let somebody ask whose token has the function "${reading}".`;
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
