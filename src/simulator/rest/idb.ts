// Endpoints of inter-dealer brokers: OTC trades entered for two clients at once, and the accounts that let them.
// How such a trade proceeds is otc.ts.

import { invented } from '../products/custody-book.ts';
import { isCancellable } from '../products/otc.ts';
import { mirrored, type NewOtcTrade, type OtcTrade } from '../products/otc-book.ts';
import type { DelegationSpec } from '../world/world.ts';
import type { CommandFields } from './command-reading.ts';
import {
  checkRoom,
  commandFields,
  expectCommand,
  filtered,
  legJson,
  otcFields,
  otcRefusal,
  readLegs,
  remark,
  sharedMatchKey,
} from './otc.ts';
import { onlyFilters, page } from './page.ts';
import { unauthorizedCommand } from './refusal.ts';
import type { Json } from './rendering.ts';
import { loginOf, type Route, type RouteRequest } from './route.ts';

/** The broker's short code. @throws Refusal 403 for anybody else */
function brokerOf(request: RouteRequest): string {
  const code = loginOf(request).key.user.idbShortCode;
  if (code === null) throw unauthorizedCommand('This login is not that of a broker');
  return code;
}

function delegationsOf(request: RouteRequest): DelegationSpec[] {
  const code = brokerOf(request);
  return request.floor.world.delegations.filter(({ idbShortCode }) => idbShortCode === code);
}

function delegatedAccounts(request: RouteRequest): unknown {
  onlyFilters(request, []);
  const { tradingAccountId } = request.query;
  const found = delegationsOf(request).filter(
    (delegation) => tradingAccountId === undefined || delegation.tradingAccountId === tradingAccountId,
  );
  return page(
    request,
    found,
    (delegation) => delegation.tradingAccountId,
    ({ idbShortCode: _code, institutionRegistrationNumber, ...delegation }) => ({
      ...delegation,
      ...(institutionRegistrationNumber === null ? {} : { institutionRegistrationNumber }),
    }),
  );
}

interface Side {
  readonly delegation: DelegationSpec;
  readonly remarks: string | null;
}

/** One client's side of the command. @throws Refusal if the account does not let this broker */
function readSide(request: RouteRequest, fields: CommandFields, name: 'maker' | 'taker'): Side {
  const given: unknown = fields.fields[name];
  if (typeof given !== 'object' || given === null) throw otcRefusal(9001, 'MISSING_FIELDS', `${name} is missing`);
  const { tradingAccountId, remarks } = given as Readonly<Record<string, unknown>>;
  const delegation = delegationsOf(request).find((candidate) => candidate.tradingAccountId === tradingAccountId);
  if (delegation === undefined) {
    throw otcRefusal(9010, 'INVALID_TRADING_ACCOUNT', `${name} is not an account delegated to this broker`);
  }
  return { delegation, remarks: remark(remarks, 'remarks') };
}

function create(request: RouteRequest): Json {
  const fields = commandFields(request);
  expectCommand(fields, ['V1IdbCreateOtcTrade']);
  const brokeredBy = brokerOf(request);
  checkRoom(request.floor);
  const maker = readSide(request, fields, 'maker');
  const taker = readSide(request, fields, 'taker');
  if (maker.delegation === taker.delegation) {
    throw otcRefusal(9031, 'SAME_ACCOUNT', 'maker and taker are the same account');
  }
  if (maker.delegation.institutionName === taker.delegation.institutionName) {
    throw otcRefusal(9040, 'SAME_INSTITUTION', 'maker and taker are of the same institution');
  }
  const legs = readLegs(fields);
  const idbRemarks = remark(fields.fields.idbRemarks, 'idbRemarks');
  const refuseWith = request.host.faults.takeRejection('otcTrade');
  const key = invented('brokered', fields.nextId()).slice(0, 32);
  const side = ({ delegation, remarks }: Side, isTaker: boolean): NewOtcTrade => ({
    otcTradeId: fields.nextId(),
    requestId: fields.nextId(),
    clientOtcTradeId: null,
    tradingAccountId: delegation.tradingAccountId,
    sharedMatchKey: key,
    isTaker,
    remarks,
    idbRemarks,
    brokeredBy,
    legs: isTaker ? mirrored(legs) : legs,
    status: delegation.approvalMethod === 'APPROVAL_REQUIRED' ? 'APPROVAL_PENDING' : 'COUNTERPARTY_PAIRED',
    refuseWith,
  });
  const sides = [side(maker, false), side(taker, true)];
  request.host.runner.execute({ kind: 'otcCreate', sides });
  return answer('IdbCreateOtcTrade', key, sides);
}

function answer(name: string, key: string, sides: readonly Pick<OtcTrade, 'isTaker' | 'requestId' | 'otcTradeId'>[]) {
  const item = (isTaker: boolean): Json => {
    const found = sides.find((side) => side.isTaker === isTaker);
    return found === undefined ? {} : { requestId: found.requestId, otcTradeId: found.otcTradeId };
  };
  return {
    message: `Command acknowledged - ${name}`,
    sharedMatchKey: key,
    maker: item(false),
    taker: item(true),
  };
}

/** Cancel both sides of a trade, or change the broker's remarks on them. */
function command(request: RouteRequest): Json {
  const fields = commandFields(request);
  const code = brokerOf(request);
  const commandType = expectCommand(fields, ['V1IdbCancelOtcTrade', 'V1IdbUpdateRemarks']);
  const key = sharedMatchKey(fields);
  const sides = [...request.floor.otc.trades.values()].filter(
    (trade) => trade.brokeredBy === code && trade.sharedMatchKey === key,
  );
  if (sides.length === 0) throw otcRefusal(9022, 'OTC_TRADE_NOT_FOUND', 'There is no trade under this key');
  const otcTradeIds = sides.map(({ otcTradeId }) => otcTradeId);
  const idbRemarks = remark(fields.fields.idbRemarks, 'idbRemarks');
  const { runner } = request.host;
  if (commandType === 'V1IdbUpdateRemarks') {
    if (idbRemarks === null) throw otcRefusal(9001, 'MISSING_FIELDS', 'idbRemarks is missing');
    runner.execute({ kind: 'otcRemark', otcTradeIds, idbRemarks });
    return answer('IdbUpdateRemarks', key, sides);
  }
  if (!sides.every(isCancellable)) throw otcRefusal(9030, 'NOT_ACCEPTABLE', 'The trade can no longer be cancelled');
  if (idbRemarks !== null) runner.execute({ kind: 'otcRemark', otcTradeIds, idbRemarks });
  runner.execute({ kind: 'otcCancel', otcTradeIds, byBroker: true });
  return answer('IdbCancelOtcTrade', key, sides);
}

function list(request: RouteRequest): unknown {
  const delegations = delegationsOf(request);
  const code = brokerOf(request);
  onlyFilters(request, ['status', 'sharedMatchKey']);
  const { floor, lists } = request;
  const wanted = new Set(lists.tradingAccountId ?? []);
  const found = filtered(request, floor.otc.trades.values()).filter(
    (trade) => trade.brokeredBy === code && (wanted.size === 0 || wanted.has(trade.tradingAccountId)),
  );
  return page(
    request,
    found,
    ({ otcTradeId }) => otcTradeId,
    (trade) => {
      const delegation = delegations.find(({ tradingAccountId }) => tradingAccountId === trade.tradingAccountId);
      return {
        ...otcFields(trade),
        institutionName: delegation?.institutionName ?? '',
        tradingAccountNickname: delegation?.tradingAccountNickname ?? '',
        brokeredBy: code,
        ...(trade.idbRemarks === null ? {} : { idbRemarks: trade.idbRemarks }),
        trades: trade.legs.map((leg, i) => {
          const { tradeRebateAmount: _a, tradeRebateAssetSymbol: _s, ...shown } = legJson(floor, trade, leg, i);
          return shown;
        }),
      };
    },
  );
}

const IDB = '/trading-api/v2/idb';
const READ = { method: 'GET', auth: 'login', area: 'otc', limit: 'other' } as const;
const WRITE = { method: 'POST', auth: 'signed', area: 'otc', limit: 'other' } as const;

export const idbRoutes: readonly Route[] = [
  { ...READ, path: `${IDB}/delegated-accounts`, handle: delegatedAccounts },
  { ...READ, path: `${IDB}/otc-trades`, handle: list },
  { ...WRITE, path: `${IDB}/otc-trades`, handle: create },
  { ...WRITE, path: `${IDB}/otc-command`, handle: command },
];
