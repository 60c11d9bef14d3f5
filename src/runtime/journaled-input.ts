// Inputs of the machines as journal records, so that a day can be replayed to the byte from its journal alone. A
// message that a session counted is its own record; every other external input is one of these. The replay room reads
// them and runs the machines again.

import type { EpochMs } from '../base/time.ts';
import type { GatewayConfig, GatewayInput, GatewaySessionConfig } from '../gateway/mod.ts';
import type { Authentication, SessionConfig, SessionEffect, SessionInput } from '../session/mod.ts';
import type { ExchangeInputRecord } from '../store/mod.ts';
import { isSecretTag, type MessageView, MsgType, maskSecrets, Tag } from '../wire/mod.ts';

function recordOf(machine: string, input: unknown): ExchangeInputRecord {
  return { kind: 'exchangeInput', json: JSON.stringify({ machine, input }) };
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/**
 * An external input as a record; null if it is recorded otherwise, or follows from records. `isFirst`: the machine's
 * first input, which wakes the recovered state.
 */
export function inputRecord(
  machine: string,
  input: SessionInput | GatewayInput,
  isFirst: boolean,
): ExchangeInputRecord | null {
  switch (input.kind) {
    case 'send':
    case 'repeat':
    case 'message':
    case 'throttled':
      return null;
    case 'marketDataRoom':
    case 'marketDataLost':
      return null;
    case 'marketData':
      // Market data is numbered and not kept. A refused subject ends subscriptions and changes later requests.
      return input.event.kind === 'marketRefused' ? recordOf(machine, input) : null;
    case 'referencePrice':
      return isFirst ? recordOf(machine, input) : null;
    case 'garbled':
      return recordOf(machine, { ...input, notice: { ...input.notice, bytes: latin1(input.notice.bytes) } });
    case 'outboundLoaded':
      // The messages themselves are in the journal already.
      return recordOf(machine, { kind: input.kind, requestId: input.requestId });
    default:
      return recordOf(machine, input);
  }
}

/**
 * The record of an inbound message that the session did not count (a duplicate, one ahead of a gap, a refused one), or
 * that says more than its bytes, as a Logon does. Null for all others. Secrets masked.
 */
export function uncountedRecord(
  machine: string,
  view: MessageView,
  authentication: Authentication,
  effects: readonly SessionEffect[],
): ExchangeInputRecord | null {
  if (view.msgType !== MsgType.Logon) {
    const msgSeqNum = view.int(Tag.MsgSeqNum);
    for (const effect of effects) {
      if (effect.kind !== 'persist' || effect.record.kind !== 'inbound') continue;
      if (effect.record.msgSeqNum === msgSeqNum) return null;
    }
  }
  return recordOf(machine, {
    kind: 'message',
    raw: latin1(maskSecrets(view.bytes(), view.dataFields)),
    authentication,
  });
}

/** Says that the machines were built anew from what the journal held, with these settings. */
export function startRecord(gateway: GatewayConfig): ExchangeInputRecord {
  return recordOf('engine', { kind: 'start', gateway });
}

/** Says that a session is there with these settings, from now on. */
export function sessionRecord(session: SessionConfig, gateway: GatewaySessionConfig): ExchangeInputRecord {
  const logonFields = session.logonFields?.map(([tag, value]) => [
    tag,
    isSecretTag(tag) ? '*'.repeat(value.length) : value,
  ]);
  return recordOf('engine', { kind: 'session', session: { ...session, logonFields }, gateway });
}

/**
 * Reference prices move far more often than orders come: only those that an order may have been checked against are
 * recorded, together with the order, each with the time at which it was heard.
 */
export class UnrecordedPrices {
  private readonly heard = new Map<string, readonly [price: string, at: EpochMs]>();
  private readonly symbols = new Set<string>();

  note(symbol: string, price: string, at: EpochMs): void {
    this.symbols.add(symbol);
    this.heard.set(symbol, [price, at]);
  }

  /** The record of the price that this order may be checked against; null if nothing new was heard of it. */
  recordFor(order: MessageView): ExchangeInputRecord | null {
    const { msgType } = order;
    if (msgType === MsgType.NewOrderList) return this.recordForHeld();
    if (msgType !== MsgType.NewOrderSingle && msgType !== MsgType.OrderCancelReplaceRequest) return null;
    const symbol = order.string(Tag.Symbol) ?? '';
    // An alias may mean any of them.
    return this.record(this.symbols.has(symbol) ? [symbol] : [...this.heard.keys()]);
  }

  /** Every new price is recorded: the orders that wait and are checked against it are unknown here. */
  recordForHeld(): ExchangeInputRecord | null {
    return this.record([...this.heard.keys()]);
  }

  private record(wanted: readonly string[]): ExchangeInputRecord | null {
    const prices: (readonly [symbol: string, price: string, at: EpochMs])[] = [];
    for (const name of wanted) {
      const heard = this.heard.get(name);
      if (heard === undefined) continue;
      prices.push([name, ...heard]);
      this.heard.delete(name);
    }
    return prices.length === 0 ? null : recordOf('gateway', { kind: 'referencePrices', prices });
  }
}
