// The signed request of a command (exchange document, "Signed commands"; reference §1): headers, body and signature.
// Leaves when it is sent, and under which nonce, to command-lane.ts.

import { randomUUID } from 'node:crypto';
import {
  type ExchangeCommand,
  encodeCommand,
  isWithdrawal,
  ORDERS_PATH,
  stringToSign,
  takesNonceWindow,
} from '../../exchange/mod.ts';
import type { ExchangeClock } from '../exchange-clock.ts';
import type { Signer } from '../login/credential.ts';
import type { LoginToken } from '../login/login.ts';
import type { ResolvedOptions } from '../options.ts';
import type { HttpRequest } from '../reads/http.ts';
import { accountOf } from './command-order.ts';

/** Where BX-REFERRER is taken (exchange reference §1.4). */
const REFERRED_PATHS: ReadonlySet<string> = new Set([ORDERS_PATH, '/trading-api/v2/otc-trades']);

export interface SignedCommandsParts {
  readonly options: Pick<ResolvedOptions, 'dialect' | 'nonceMode' | 'settings'>;
  readonly signer: Signer;
  readonly clock: Pick<ExchangeClock, 'now'>;
}

export class SignedCommands {
  /** BX-RATELIMIT-TOKEN by trading account; empty where none is sent. */
  rateLimitTokens: ReadonlyMap<string, string> = new Map();
  readonly #parts: SignedCommandsParts;
  #bearer = { token: '', value: '' };

  constructor(parts: SignedCommandsParts) {
    this.#parts = parts;
  }

  /** @param ofDay nonce of the day; a withdrawal is numbered by a UUID, and leaves it unused (rule X2) */
  request(command: ExchangeCommand, ofDay: bigint, token: LoginToken): HttpRequest | Promise<HttpRequest> {
    const { options, signer, clock } = this.#parts;
    const timestamp = String(clock.now());
    const nonce = isWithdrawal(command) ? randomUUID() : ofDay.toString();
    const { method, path, body } = encodeCommand(
      command,
      options.dialect,
      { timestamp, nonce, authorizer: token.authorizer },
      { v2CancelPath: options.settings.v2CancelPath },
    );
    const signature = signer.sign(stringToSign({ timestamp, nonce, method, path, body }));
    const headers: Record<string, string> = {
      authorization: this.#authorization(token),
      'content-type': 'application/json',
      'bx-timestamp': timestamp,
      'bx-nonce': nonce,
    };
    // Wherever a cancel of the v2 dialect is configured to go, it is one of the commands that have a window.
    const hasWindow = command.kind !== 'raw' || takesNonceWindow(path);
    if (options.nonceMode === 'window' && hasWindow) headers['bx-nonce-window-enabled'] = 'true';
    if (options.settings.referrer !== null && REFERRED_PATHS.has(path))
      headers['bx-referrer'] = options.settings.referrer;
    const rateLimitToken = this.rateLimitTokens.get(accountOf(command));
    if (rateLimitToken !== undefined) headers['bx-ratelimit-token'] = rateLimitToken;
    const signed = (value: string): HttpRequest => {
      headers['bx-signature'] = value;
      return { method, target: path, headers, body };
    };
    return typeof signature === 'string' ? signed(signature) : signature.then(signed);
  }

  /** One text as long as the token lasts. */
  #authorization({ token }: LoginToken): string {
    if (this.#bearer.token !== token) this.#bearer = { token, value: `Bearer ${token}` };
    return this.#bearer.value;
  }
}
