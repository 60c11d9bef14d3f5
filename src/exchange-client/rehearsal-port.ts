// An exchange that is not there, for a gateway that keeps itself in practice (the engine's idle-rehearsal.ts): commands are
// encoded and signed as those of a login, with a key made for it, and go nowhere; what it says of an order is read from JSON as a
// stream's frame is. One order at a time. Leaves when it says what to its owner.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { EpochMs } from '../base/time.ts';
import {
  type CommandOutcome,
  decodeOrder,
  type EcdsaPrehash,
  type ExchangeCommand,
  type ExchangeEvent,
  type ExchangePort,
  type LookupOutcome,
  type Market,
  parseExactJson,
  toObject,
} from '../exchange/mod.ts';
import { createSigner } from './credential.ts';
import { type Credential, DEFAULT_SETTINGS, type ExchangeClientOptions } from './options.ts';
import { SignedCommands } from './signed-commands.ts';

export interface RehearsalPortOptions
  extends Pick<ExchangeClientOptions, 'dialect' | 'prehash' | 'nonceMode' | 'settings' | 'now'> {
  /** How commands are signed. */
  readonly kind: Credential['kind'];
  /** The one market that there is. */
  readonly market: Market;
}

/** What may become of the order: it is open, or was cancelled (exchange reference §3.2). */
const SAID = {
  open: { status: 'OPEN', statusReason: 'Order accepted', statusReasonCode: 6014 },
  cancelled: { status: 'CANCELLED', statusReason: 'User cancelled', statusReasonCode: 6005 },
} as const;

const TOKEN = { authorizer: randomBytes(32).toString('base64'), token: randomBytes(256).toString('base64') };

type CreateOrder = Extract<ExchangeCommand, { kind: 'createOrder' }>;

export class RehearsalPort implements ExchangePort {
  onEvent: (event: ExchangeEvent) => void = () => {};
  readonly #market: Market;
  readonly #now: () => EpochMs;
  readonly #signed: SignedCommands;
  #nonce = 0n;
  /** The order that was entered last. */
  #entered: { readonly command: CreateOrder; readonly accept: (outcome: CommandOutcome) => void } | null = null;

  /** Makes its key, which takes a moment. */
  constructor({ kind, market, now, dialect, prehash, nonceMode, settings }: RehearsalPortOptions) {
    this.#market = market;
    this.#now = now;
    this.#signed = new SignedCommands({
      options: { dialect, nonceMode, settings: { ...DEFAULT_SETTINGS, ...settings } },
      signer: signerOf(kind, prehash),
      clock: { now },
    });
  }

  async start(): Promise<void> {}

  /** Say that all is heard from now on that it says. */
  goLive(): void {
    for (const feed of ['private', 'auction'] as const) this.onEvent({ kind: 'feed', feed, live: true });
  }

  submit(_commandId: string, command: ExchangeCommand): Promise<CommandOutcome> {
    this.#nonce++;
    this.#signed.request(command, this.#nonce, TOKEN);
    return new Promise((accept) => {
      this.#entered = command.kind === 'createOrder' ? { command, accept } : null;
    });
  }

  /** An order waits for what is said of it. */
  get hasOrder(): boolean {
    return this.#entered !== null;
  }

  /** Say what became of the order that was entered last; nothing is said of it once it was cancelled. */
  say(what: keyof typeof SAID): void {
    const entered = this.#entered;
    if (entered === null) return;
    const orderId = String(900_000_000_000n + this.#nonce);
    const { clientOrderId, tradingAccountId } = entered.command;
    if (what === 'open') entered.accept({ kind: 'accepted', orderId, clientOrderId, requestId: orderId });
    else this.#entered = null;
    const frame = toObject(parseExactJson(this.#frame(entered.command, orderId, what)));
    const order = decodeOrder(frame?.data, tradingAccountId);
    if (order !== null) this.onEvent({ kind: 'order', order, source: 'update' });
  }

  /** A frame of the `orders` topic (exchange reference §4.2). */
  #frame(command: CreateOrder, orderId: string, what: keyof typeof SAID): string {
    const { clientOrderId, symbol, side, price, quantity, timeInForce, tradingAccountId } = command;
    const now = this.#now();
    return JSON.stringify({
      jsonrpc: '2.0',
      type: 'update',
      dataType: 'V1TAOrder',
      tradingAccountId,
      data: {
        handle: clientOrderId,
        orderId,
        clientOrderId,
        symbol,
        price,
        averageFillPrice: null,
        stopPrice: null,
        margin: false,
        quantity,
        quantityFilled: '0.00000000',
        quoteAmount: '0.0000',
        side,
        borrowedBaseQuantity: null,
        borrowedQuoteQuantity: null,
        borrowedQuantity: null,
        isLiquidation: false,
        type: 'LMT',
        timeInForce,
        ...SAID[what],
        createdAtDatetime: new Date(now).toISOString(),
        createdAtTimestamp: String(now),
        publishedAtTimestamp: String(now),
      },
    });
  }

  async lookup(): Promise<LookupOutcome> {
    return { kind: 'failed', message: 'nothing can be asked in a rehearsal' };
  }

  async recent(): Promise<{ readonly orders: readonly []; readonly trades: readonly [] }> {
    return { orders: [], trades: [] };
  }

  markets(): readonly Market[] {
    return [this.#market];
  }

  pastMarkets(): readonly Market[] {
    return [];
  }

  hold(): void {}

  async close(): Promise<void> {}
}

function signerOf(kind: Credential['kind'], prehash: EcdsaPrehash): ReturnType<typeof createSigner> {
  const settings = { prehash, loginUserId: 'both' } as const;
  if (kind === 'hmac') {
    return createSigner({ kind, publicKey: 'rehearsal', secret: randomBytes(32).toString('hex') }, settings);
  }
  const pem = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return createSigner({ kind, ...pem, metadata: null, userId: '1' }, settings);
}
