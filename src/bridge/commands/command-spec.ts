// The bridge knows of each signed command: path, permission, fields, where to ask when its outcome is unknown.

import type { TSchema } from '../../base/schema.ts';
import type { AccountCommand, CancelCommand, CreateOrderCommand } from '../../exchange/mod.ts';
import type { BridgeFunction, TradeLeg } from '../port.ts';

export type CommandFields = Readonly<Record<string, unknown>>;

/** Facts that show a caller whether its command was carried out. */
export const READING = {
  'amm-write': 'amm',
  'otc-write': 'otc',
  'mmp-write': 'mmp',
  cancel: 'orders',
  'order-write': 'orders',
} as const satisfies Readonly<Partial<Record<BridgeFunction, BridgeFunction>>>;

export interface CommandSpec {
  readonly commandType: string;
  readonly path: string;
  readonly needs: keyof typeof READING;
  readonly summary: string;
  /**
   * Commands that trade, or let something trade, are refused while a kill switch is on; those that end trading never
   * are.
   */
  readonly bringsRisk: boolean;
  /** Side, price and quantity of its trade, if it has them: it passes the limits of its account (rule O12). */
  readonly legs?: (fields: CommandFields) => readonly TradeLeg[];
  /** Without `commandType`, in the order in which they are sent. */
  readonly fields: Readonly<Record<string, TSchema>>;
  /** Call of this bridge that shows whether the command was carried out. */
  readonly askAt: (fields: CommandFields) => string;
  /** Reads of the exchange that show the owners of the ids in the command. */
  readonly idsAt?: (fields: CommandFields) => readonly string[];
  /** Fault of a command that fits its schema, in a sentence; null if there is none. */
  readonly fault?: (fields: CommandFields) => string | null;
  /** A cancel, which passes the order registry (rule B5); absent for every other command. */
  readonly cancels?: (fields: CommandFields) => CancelCommand;
  /** A new order, which passes the order registry and its limits (rule B3); absent for every other command. */
  readonly orders?: (fields: CommandFields) => CreateOrderCommand;
  /** Meaning of a field that the exchange's dialects spell differently (rule X2); absent for a single spelling. */
  readonly meaning?: (fields: CommandFields) => AccountCommand;
}
