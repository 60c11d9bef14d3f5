// Endpoints of custody (`/v1/wallets/...`): instructions, limits, withdrawals, self-hosted wallets, history. ECDSA
// logins only. products/custody.ts moves the money.

import { Decimal } from '../../base/decimal.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import { WITHDRAWAL_PATH } from '../../exchange/mod.ts';
import { parseBody, verifyWithdrawal } from '../access/authentication.ts';
import { LOCK_MS, withdrawable } from '../products/custody.ts';
import { type CustodyTransaction, type Destination, invented } from '../products/custody-book.ts';
import type { AssetSpec } from '../world/world.ts';
import { historyRange, isWithin, onlyFilters, page, timeRange } from './page.ts';
import { invalidRequest, notFound, Refusal } from './refusal.ts';
import { amount, type Json } from './rendering.ts';
import { loginOf, type Route, type RouteRequest } from './route.ts';

/**
 * Refusals of custody carry the codes of their registry (exchange catalogue, Appendix D). Which cause has which of them is
 * **assumed**: the documents give the codes alone.
 */
const refused = (code: number, name: string, message: string): Refusal => new Refusal(400, code, name, message);

const userOf = (request: RouteRequest): string => loginOf(request).key.user.name;

/** Where custody keeps a user's money: the primary account, else the first. @throws Refusal if there is none */
function custodyAccount(request: RouteRequest): string {
  const user = userOf(request);
  const own = request.floor.world.accounts.filter((account) => account.user === user);
  const account = own.find(({ isPrimaryAccount }) => isPrimaryAccount) ?? own[0];
  if (account === undefined) throw refused(8306, 'INVALID_CUSTODY_USER', 'The user has no trading account');
  return account.tradingAccountId;
}

/** The asset in the path. @throws Refusal 404 */
function assetOf(request: RouteRequest): AssetSpec {
  const asset = request.floor.asset(request.params.symbol ?? '');
  if (asset === null) throw notFound('Asset not found');
  return asset;
}

function limits(request: RouteRequest): Json {
  const asset = assetOf(request);
  const left = withdrawable(request.floor, userOf(request), custodyAccount(request), asset, request.now);
  return {
    symbol: asset.symbol,
    available: amount(left, asset.precision),
    twentyFourHour: amount(Decimal.of(asset.withdrawalLimit), asset.precision),
  };
}

function cryptoDeposits(request: RouteRequest): Json[] {
  const asset = assetOf(request);
  if (asset.isFiat) throw notFound('Not a coin or token');
  if (asset.networks.length === 0) {
    throw refused(8316, 'UNABLE_TO_ALLOCATE_DEPOSIT_ADDRESS', 'No network carries this asset');
  }
  const user = userOf(request);
  return asset.networks.map((network) => ({
    network,
    symbol: asset.symbol,
    memo: invented('memo', user).slice(0, 9).toUpperCase(),
    address: depositAddress(user, network),
    minimumDepositAmount: amount(Decimal.of('0.001'), asset.precision),
  }));
}

function depositAddress(user: string, network: string): string {
  return `0x${invented('deposit address', user, network).slice(0, 40)}`;
}

const BANK = { name: 'Simulated Bank', physicalAddress: '1 Example Street', routingCode: '000000000' } as const;

function fiatDeposits(request: RouteRequest): Json[] {
  const asset = assetOf(request);
  if (!asset.isFiat) throw notFound('Not a fiat currency');
  const user = userOf(request);
  return asset.networks.map((network) => ({
    network,
    symbol: asset.symbol,
    accountNumber: String(BigInt(`0x${invented('venue account', network).slice(0, 12)}`)),
    name: 'Simulated Exchange',
    physicalAddress: '2 Example Street',
    memo: invented('memo', user).slice(0, 9).toUpperCase(),
    bank: BANK,
  }));
}

function flagFilter(request: RouteRequest, name: string): boolean | null {
  const value = request.query[name];
  if (value === undefined) return null;
  if (value !== 'true' && value !== 'false') throw invalidRequest(`${name} must be true or false`);
  return value === 'true';
}

const isLocked = ({ lockedUntil }: Destination, now: EpochMs): boolean => lockedUntil !== null && lockedUntil > now;

function destinationsOf(request: RouteRequest, asset: AssetSpec): Destination[] {
  const user = userOf(request);
  return [...request.floor.custody.destinations.values()].filter(
    (destination) => destination.user === user && destination.asset === asset.symbol,
  );
}

function cryptoWithdrawals(request: RouteRequest): Json[] {
  const asset = assetOf(request);
  if (asset.isFiat) throw notFound('Not a coin or token');
  const { now } = request;
  const signed = flagFilter(request, 'signed');
  const locked = flagFilter(request, 'locked');
  return destinationsOf(request, asset)
    .filter((destination) => signed === null || destination.signed === signed)
    .filter((destination) => locked === null || isLocked(destination, now) === locked)
    .map((destination) => ({
      network: destination.network,
      symbol: destination.asset,
      address: destination.address,
      fee: amount(Decimal.of(asset.withdrawalFee), asset.precision),
      memo: destination.memo ?? '',
      label: destination.label,
      destinationId: destination.destinationId,
      ...(destination.isSelfHosted ? {} : { vaspName: 'Simulated custodian' }),
      userWalletType: destination.isSelfHosted ? 'SELF_HOSTED' : 'HOSTED',
      signed: destination.signed,
      locked: isLocked(destination, now),
      ...(isLocked(destination, now) ? { lockExpiryDateTime: formatIso(destination.lockedUntil!) } : {}),
    }));
}

function fiatWithdrawals(request: RouteRequest): Json[] {
  const asset = assetOf(request);
  if (!asset.isFiat) throw notFound('Not a fiat currency');
  return destinationsOf(request, asset).map(({ destinationId, address, network, label, memo }) => ({
    destinationId,
    accountNumber: address,
    network,
    symbol: asset.symbol,
    name: label,
    physicalAddress: '3 Example Street',
    fee: amount(Decimal.of(asset.withdrawalFee), asset.precision),
    memo: memo ?? '',
    bank: BANK,
    intermediaryBank: { ...BANK, name: 'Simulated Correspondent' },
  }));
}

function text(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') {
    throw refused(8311, 'WITHDRAWAL_FIELDS_MISSING', `${name} must be a string`);
  }
  return value;
}

/** A positive amount in the precision of its asset. @throws Refusal 8322 */
function quantityOf(value: string, asset: AssetSpec): Decimal {
  const quantity = Decimal.parse(value);
  if (quantity === null || !quantity.isPositive() || quantity.significantDecimals() > asset.precision) {
    throw refused(8322, 'INVALID_AMOUNT', 'The amount is not positive or finer than the asset');
  }
  return quantity;
}

/** @throws Refusal if the asset is not carried, or its custody is switched off */
function checkCarried(request: RouteRequest, asset: AssetSpec): void {
  if (asset.networks.length === 0) throw refused(8313, 'UNSUPPORTED_COIN', 'No network carries this asset');
  if (request.floor.custody.disabled?.has(asset.symbol) === true) {
    throw refused(8319, 'CUSTODY_OPERATION_DISABLED', 'Custody of this asset has been disabled');
  }
}

/** The destination that a withdrawal names, if money may go there now. @throws Refusal */
function withdrawalDestination(request: RouteRequest, command: Readonly<Record<string, unknown>>): Destination {
  const { floor, now } = request;
  const destinationId = text(command, 'destinationId');
  if (!/^[0-9a-f]{1,128}$/.test(destinationId)) {
    throw refused(8331, 'INVALID_DESTINATION', 'destinationId is not the id of a destination');
  }
  const destination = floor.custody.destinations.get(destinationId);
  if (destination === undefined) throw refused(8310, 'DESTINATION_NOT_FOUND', 'The destination does not exist');
  if (destination.user !== userOf(request)) {
    throw refused(8335, 'DESTINATION_OF_ANOTHER_USER', 'The destination belongs to another user');
  }
  if (destination.asset !== text(command, 'symbol')) {
    throw refused(8333, 'INVALID_SYMBOL', 'The destination is for another asset');
  }
  if (destination.network !== text(command, 'network')) {
    throw refused(8332, 'INVALID_NETWORK', 'The destination is on another network');
  }
  if (!destination.signed || isLocked(destination, now)) {
    throw refused(8336, 'DESTINATION_NOT_USABLE', 'The destination is not signed or still locked');
  }
  if (floor.custody.restricted?.has(destinationId) === true) {
    throw refused(8317, 'RESTRICTED_SWIFT_CODE', 'The bank of the destination is on the restricted list');
  }
  return destination;
}

function withdraw(request: RouteRequest): Json {
  const { host, floor, now } = request;
  const { command, nonce } = verifyWithdrawal(request, loginOf(request));
  if (text(command, 'commandType') !== 'V1Withdrawal') throw invalidRequest('commandType is not valid here');
  const named = floor.asset(text(command, 'symbol'));
  if (named !== null) checkCarried(request, named);
  const destination = withdrawalDestination(request, command);
  const asset = floor.asset(destination.asset)!;
  const quantity = quantityOf(text(command, 'quantity'), asset);
  if (quantity.compare(Decimal.of(asset.withdrawalFee)) <= 0) {
    throw refused(8322, 'INVALID_AMOUNT', 'The amount does not cover the fee');
  }
  const tradingAccountId = custodyAccount(request);
  if (quantity.compare(withdrawable(floor, destination.user, tradingAccountId, asset, now)) > 0) {
    throw refused(8322, 'INVALID_AMOUNT', 'The amount is more than may be withdrawn now');
  }
  const custodyTransactionId = `DB:${invented('withdrawal', floor.identifiers.next(now))}`;
  const { destinationId } = destination;
  host.runner.execute({ kind: 'withdraw', custodyTransactionId, destinationId, tradingAccountId, quantity, nonce });
  return { statusReason: 'Withdrawal accepted', statusReasonCode: 1001, custodyTransactionId };
}

/** Amount added to a verification deposit as a proof: 1 to 99 of the smallest hundredths. */
function verificationAmount(destinationId: string, asset: AssetSpec): Decimal {
  const digits = (Number.parseInt(destinationId.slice(0, 6), 16) % 99) + 1;
  return new Decimal(BigInt(digits), Math.min(asset.precision, 4));
}

function initiateSelfHosted(request: RouteRequest): Json {
  const { host, floor, now } = request;
  const fields = parseBody(request.body);
  const asset = floor.asset(text(fields, 'symbol'));
  if (asset === null) throw refused(8333, 'INVALID_SYMBOL', 'No such coin or token');
  if (asset.isFiat) throw refused(8318, 'UNSUPPORTED_OPERATION', 'Only wallets of coins and tokens are verified');
  checkCarried(request, asset);
  const network = text(fields, 'network');
  if (!asset.networks.includes(network)) throw refused(8332, 'INVALID_NETWORK', 'The asset is not on this network');
  const address = text(fields, 'address');
  if (address.length > 200) throw refused(8320, 'INVALID_ADDRESS', 'The address is not valid');
  const requestedDepositAmount = quantityOf(text(fields, 'requestedDepositAmount'), asset);
  const user = userOf(request);
  const memo = fields.memo === undefined || fields.memo === null ? null : text(fields, 'memo');
  const label = text(fields, 'label').slice(0, 100);
  const destinationId = invented('self-hosted', user, floor.identifiers.next(now));
  const added = verificationAmount(destinationId, asset);
  host.runner.execute({
    kind: 'initiateSelfHosted',
    destination: { destinationId, user, asset: asset.symbol, network, address, memo, label, isSelfHosted: true },
    requestedDepositAmount,
    verificationAmount: added,
  });
  const units = (value: Decimal): string => amount(value, asset.precision);
  return {
    destinationId,
    network,
    symbol: asset.symbol,
    depositAddress: depositAddress(user, network),
    depositMemo: invented('memo', user).slice(0, 9).toUpperCase(),
    requestedDepositAmount: units(requestedDepositAmount),
    verificationAmount: units(added),
    totalDepositAmount: units(requestedDepositAmount.add(added)),
    verificationExpiryTime: formatIso(now + LOCK_MS),
  };
}

function verificationAttempts(request: RouteRequest): Json[] {
  const { floor, now, query } = request;
  const user = userOf(request);
  return floor.custody.attempts.all.flatMap((attempt) => {
    const destination = floor.custody.destinations.get(attempt.destinationId);
    if (destination?.user !== user) return [];
    if (query.address !== undefined && query.address !== destination.address) return [];
    if (query.destinationId !== undefined && query.destinationId !== destination.destinationId) return [];
    const asset = floor.asset(destination.asset)!;
    const units = (value: Decimal): string => amount(value, asset.precision);
    const open = attempt.expiresAt > now ? 'PENDING_VERIFICATION' : 'VERIFICATION_EXPIRED';
    return [
      {
        destinationId: destination.destinationId,
        network: destination.network,
        symbol: destination.asset,
        address: destination.address,
        memo: destination.memo ?? '',
        verificationStatus: attempt.verified ? 'VERIFIED' : open,
        requestedDepositAmount: units(attempt.requestedDepositAmount),
        verificationAmount: units(attempt.verificationAmount),
        totalDepositAmount: units(attempt.requestedDepositAmount.add(attempt.verificationAmount)),
        verificationExpiryTime: formatIso(attempt.expiresAt),
      },
    ];
  });
}

function deleteDestination(request: RouteRequest): undefined {
  const { floor, host, params } = request;
  const destination = floor.custody.destinations.get(params.destinationId ?? '');
  if (destination?.user !== userOf(request)) throw notFound('Destination not found');
  host.runner.execute({ kind: 'deleteDestination', destinationId: destination.destinationId });
}

function transactionJson(request: RouteRequest, transaction: CustodyTransaction): Json {
  const asset = request.floor.asset(transaction.asset)!;
  const reference = invented('chain', transaction.custodyTransactionId);
  return {
    custodyTransactionId: transaction.custodyTransactionId,
    direction: transaction.direction,
    quantity: amount(transaction.quantity, asset.precision),
    symbol: transaction.asset,
    network: transaction.network,
    fee: amount(transaction.fee, asset.precision),
    memo: transaction.memo ?? '',
    createdAtDateTime: formatIso(transaction.createdAt),
    status: transaction.status,
    transactionDetails: asset.isFiat
      ? { swiftUetr: reference.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5') }
      : { address: transaction.address, blockchainTxId: `0x${reference}` },
  };
}

/** Deposits and withdrawals; the range is optional here (exchange catalogue, Appendix A). */
function transactions(request: RouteRequest): unknown {
  const { from, to } = timeRange(request.query);
  const range = from === null && to === null ? { from, to } : historyRange(request);
  onlyFilters(request, []);
  const user = userOf(request);
  const found = request.floor.custody.transactions.all.filter(
    (transaction) => transaction.user === user && isWithin(range, transaction.createdAt),
  );
  return page(
    request,
    [...found].reverse(),
    ({ custodyTransactionId }) => custodyTransactionId,
    (transaction) => transactionJson(request, transaction),
  );
}

const READ = { method: 'GET', auth: 'login', area: 'custody', limit: 'custody' } as const;
const WRITE = { method: 'POST', auth: 'login', area: 'custody', limit: 'custody', operation: 'command' } as const;
const WALLETS = '/trading-api/v1/wallets';

export const custodyRoutes: readonly Route[] = [
  { ...READ, path: `${WALLETS}/transactions`, handle: transactions },
  { ...READ, path: `${WALLETS}/limits/:symbol`, handle: limits },
  { ...READ, path: `${WALLETS}/deposit-instructions/crypto/:symbol`, handle: cryptoDeposits },
  { ...READ, path: `${WALLETS}/deposit-instructions/fiat/:symbol`, handle: fiatDeposits },
  { ...READ, path: `${WALLETS}/withdrawal-instructions/crypto/:symbol`, handle: cryptoWithdrawals },
  { ...READ, path: `${WALLETS}/withdrawal-instructions/fiat/:symbol`, handle: fiatWithdrawals },
  { ...READ, path: `${WALLETS}/self-hosted/verification-attempts`, handle: verificationAttempts },
  { ...WRITE, path: `${WALLETS}/self-hosted/initiate`, handle: initiateSelfHosted },
  {
    ...WRITE,
    method: 'DELETE',
    path: `${WALLETS}/withdrawal-instructions/:destinationId`,
    handle: deleteDestination,
  },
  { ...WRITE, path: WITHDRAWAL_PATH, handle: withdraw },
];
