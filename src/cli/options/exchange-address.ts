// Where the exchange is for a command that talks to it without the gateway: as an option says, or the configuration.

import { CrossgateError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import type { ExchangePart } from '../../ops/mod.ts';

/** Such as `https://exchange.example`. @throws CrossgateError XG_USAGE if there is none, or it is no address */
export function exchangeAddress(
  { exchange, simulator }: Pick<ExchangePart, 'exchange' | 'simulator'>,
  option: string | undefined,
): string {
  const address = option ?? exchange.baseUrl ?? (simulator === null ? undefined : embedded(simulator));
  if (address === undefined) throw new CrossgateError('XG_USAGE', 'no exchange address: give --url');
  const isHttp = /^https?:\/\/[^/]/.test(address) && URL.canParse(address);
  if (isHttp) return address;
  throw new CrossgateError('XG_USAGE', `--url ${address}: write http://host:port or https://host`);
}

/** For who asked there in vain: the address, and when there is an exchange where it is that of the embedded one. */
export function askedAt(
  { exchange, simulator }: Pick<ExchangePart, 'exchange' | 'simulator'>,
  option: string | undefined,
  address: string,
): string {
  if (option !== undefined || exchange.baseUrl !== null || simulator === null) return `asked at ${address}`;
  const where = 'where the embedded exchange listens while its gateway runs';
  return `asked at ${address}, ${where}; --url says where else, such as where \`crossgate sim\` listens`;
}

function embedded({ host = '127.0.0.1', port = 0 }: NonNullable<ExchangePart['simulator']>): string {
  return `http://${hostPort(host, port)}`;
}
