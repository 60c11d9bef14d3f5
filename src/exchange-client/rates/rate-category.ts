// Which of the exchange's rate limits a read or a command counts against (exchange reference §6).

import { type CommandDialect, type ExchangeCommand, isWithdrawal } from '../../exchange/mod.ts';
import type { ClientSettings } from '../options.ts';
import type { RateCategory } from './rate-budget.ts';

const CUSTODY = /^\/trading-api\/v1\/wallets(?:[/?]|$)/;
const ORDERS = /^\/trading-api\/v2\/orders(?:[/?]|$)/;

/** The category of a read that carries a login. */
export function categoryOf(target: string): Exclude<RateCategory, 'public'> {
  if (CUSTODY.test(target)) return 'custody';
  return ORDERS.test(target) ? 'orders' : 'other';
}

/** Key of the endpoint for V2CancelOrder. */
interface CancelPlace {
  readonly dialect: CommandDialect;
  readonly settings: Pick<ClientSettings, 'v2CancelPath'>;
}

/** Whether cancels of single orders go where new orders go, and count with them (rule X2: their path is a setting). */
export function cancelsAmongOrders({ dialect, settings }: CancelPlace): boolean {
  return dialect === 'v2' && categoryOf(settings.v2CancelPath) === 'orders';
}

/** The category of a command; `amongOrders`: cancels count with the orders. */
export function categoryOfCommand(command: ExchangeCommand, amongOrders: boolean): Exclude<RateCategory, 'public'> {
  if (command.kind === 'createOrder' || (command.kind === 'cancelOrder' && amongOrders)) return 'orders';
  return isWithdrawal(command) ? 'custody' : 'other';
}
