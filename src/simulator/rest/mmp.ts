// Endpoints of market maker protection: configure, reset, read (`/v2/mmp-configuration`). products/mmp.ts implements
// it.

import type { Decimal } from '../../base/decimal.ts';
import { type MmpRequestView, type MmpTriggerView, mmpKey } from '../products/mmp-configuration.ts';
import { reasonText } from '../venue/order.ts';
import { CommandFields, type ReadCommand } from './command-reading.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import type { Json } from './rendering.ts';
import { loginOf, queriedAccount, type Route, type RouteRequest } from './route.ts';

/** Longest window and freeze (**assumed**: the documents are cut off where they name them). */
const SECONDS_MAX = 3_600;

function seconds(fields: CommandFields, name: string, least: number): number {
  const text = fields.required(name);
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= SECONDS_MAX)) {
    throw invalidRequest(`${name} must be a whole number from ${least} to ${SECONDS_MAX}`);
  }
  return value;
}

/** An underlying that options are listed on. */
function underlying(fields: CommandFields): string {
  const asset = fields.required('underlyingAssetSymbol');
  const { markets } = fields.host.runner.floor;
  const known = [...markets.values()].some(({ spec }) => spec.marketType === 'OPTION' && spec.baseSymbol === asset);
  if (!known) throw invalidRequest(`underlyingAssetSymbol '${asset.slice(0, 20)}' has no options`);
  return asset;
}

function readSet(fields: CommandFields): ReadCommand {
  const tradingAccountId = fields.account();
  const asset = underlying(fields);
  const windowMs = seconds(fields, 'windowTimeInSeconds', 1) * 1000;
  const frozenMs = seconds(fields, 'frozenTimeInSeconds', 0) * 1000;
  const quantityLimit = fields.decimal('quantityLimit');
  const deltaLimit = fields.decimal('deltaLimit');
  if (quantityLimit === null && deltaLimit === null) {
    throw new Refusal(400, 2104, 'INVALID_MMP_CONFIGURATION', 'Neither quantityLimit nor deltaLimit is set');
  }
  const requestId = fields.nextId();
  return {
    command: { kind: 'setMmp', requestId, tradingAccountId, asset, windowMs, frozenMs, quantityLimit, deltaLimit },
    acknowledgement: { message: 'Command acknowledged - SetMMP', requestId },
  };
}

function readReset(fields: CommandFields): ReadCommand {
  const tradingAccountId = fields.account();
  const asset = underlying(fields);
  const { floor } = fields.host.runner;
  if (!floor.mmp.has(mmpKey(tradingAccountId, asset))) {
    throw new Refusal(400, 2105, 'INVALID_MMP_RESET', 'There is nothing to reset');
  }
  const open = floor.openOrders(tradingAccountId).some(({ isMMP, market }) => isMMP && market.baseSymbol === asset);
  if (open) throw new Refusal(400, 2108, 'MMP_ORDERS_OPEN', 'MMP cannot be reset while MMP orders are open');
  const requestId = fields.nextId();
  return {
    command: { kind: 'resetMmp', requestId, tradingAccountId, asset },
    acknowledgement: { message: 'Command acknowledged - ResetMMP', requestId },
  };
}

function configure(request: RouteRequest): Json {
  const { host, signed, now } = request;
  if (signed === null) throw invalidRequest('The request is not signed');
  const fields = new CommandFields(host, loginOf(request), signed, now);
  const commandType = fields.required('commandType');
  if (commandType !== 'V1SetMMP' && commandType !== 'V1ResetMMP') throw invalidRequest('commandType is not valid here');
  const read = commandType === 'V1SetMMP' ? readSet(fields) : readReset(fields);
  host.runner.execute(read.command);
  return read.acknowledgement;
}

const limit = (value: Decimal | null): string => value?.toString() ?? '';

function configurations(request: RouteRequest): Json {
  const tradingAccountId = queriedAccount(request, 'invalid');
  const { floor, now, query } = request;
  const found = [...floor.mmp.values()]
    .filter((configuration) => configuration.tradingAccountId === tradingAccountId)
    .filter(({ asset }) => query.symbol === undefined || query.symbol === asset);
  return {
    tradingAccountId,
    message: found.length === 0 ? 'There is no market maker protection' : '',
    mmpConfigurations: found.map((configuration) => ({
      underlyingAssetSymbol: configuration.asset,
      windowTimeInSeconds: configuration.windowMs / 1000,
      frozenTimeInSeconds: configuration.frozenMs / 1000,
      quantityLimit: limit(configuration.quantityLimit),
      deltaLimit: limit(configuration.deltaLimit),
      isActive: !(configuration.frozenUntil !== null && configuration.frozenUntil > now),
    })),
  };
}

/** Outcome of a request as the mmpRequest topic carries it. */
export function mmpRequestFrame({ command, configuration, reason, at }: MmpRequestView): Json {
  const isDone = configuration !== null;
  const text = (ms: number | undefined): string | null => (ms === undefined ? null : String(ms / 1000));
  return {
    tradingAccountId: command.tradingAccountId,
    requestId: command.requestId,
    assetSymbol: command.asset,
    windowTimeInSecond: text(configuration?.windowMs),
    frozenTimeInSecond: text(configuration?.frozenMs),
    quantityLimit: configuration?.quantityLimit?.toString() ?? null,
    deltaLimit: configuration?.deltaLimit?.toString() ?? null,
    status: isDone ? 'CLOSED' : 'REJECTED',
    statusReason: reasonText(reason),
    isReset: String(command.kind === 'resetMmp'),
    createdAt: String(at),
  };
}

/** A freeze as the mmpTrigger topic carries it. */
export function mmpTriggerFrame(trigger: MmpTriggerView): Json {
  return {
    tradingAccountId: trigger.tradingAccountId,
    mmpTriggerId: trigger.mmpTriggerId,
    underlyingAssetSymbol: trigger.asset,
    triggeredBy: trigger.triggeredBy,
    frozenTimeInSecond: String(trigger.frozenMs / 1000),
    frozenStartTime: String(trigger.at),
    frozenUntil: String(trigger.at + trigger.frozenMs),
  };
}

const PATH = '/trading-api/v2/mmp-configuration';

export const mmpRoutes: readonly Route[] = [
  { method: 'POST', path: PATH, auth: 'signed', limit: 'other', handle: configure },
  { method: 'GET', path: PATH, auth: 'login', limit: 'other', handle: configurations },
];
