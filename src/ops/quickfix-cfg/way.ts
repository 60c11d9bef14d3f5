// The way of an initiator's connection in a settings file of QuickFIX: the address on this side, and a proxy. values.ts reads the
// addresses of the counterparty.

import { isIP } from 'node:net';
import { hostPort } from '../../base/host-port.ts';
import { isSecretReference } from './own-keys.ts';
import { isAcceptor } from './role.ts';
import { NOT_CONNECTING } from './values.ts';
import { invalid, type OtherSetting, type SettingVerdict, set } from './verdict.ts';

const PORT = /^\d{1,5}$/;

/** SocketLocalHost of QuickFIX/J, SocketConnectSourceHost of QuickFIX C++. */
export function localHost(value: string, other: OtherSetting): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  const address = /^localhost$/i.test(value) ? '127.0.0.1' : value;
  if (isIP(address) !== 0) return set('connect.localAddress', address, address === value ? 'taken' : 'translated');
  return {
    kind: 'refused',
    text: '`connect.localAddress` is an IP address of this machine: write it in place of the name',
  };
}

export function localPort(value: string, other: OtherSetting): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  return PORT.test(value) ? set('connect.localPort', Number(value)) : invalid('a port is needed');
}

const KINDS: Readonly<Record<string, string>> = { '4': 'socks4', '4a': 'socks4', '5': 'socks5' };

/** Any of the settings of a proxy: they count together, and each says the same. */
export function proxyOf(_value: string, other: OtherSetting, name: string): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  const [type, host, port] = [other('ProxyType')?.toLowerCase(), other('ProxyHost'), other('ProxyPort')];
  if (type === undefined || host === null || host === '' || !PORT.test(port ?? '')) {
    return invalid('ProxyType, ProxyHost and ProxyPort are needed together');
  }
  const kind =
    type === 'http' ? 'http' : type === 'socks' ? KINDS[(other('ProxyVersion') ?? '5').toLowerCase()] : undefined;
  if (kind === undefined) return invalid('ProxyType is http, or socks with ProxyVersion 4, 4a or 5');
  const user = other('ProxyUser') ?? '';
  const password = other('ProxyPassword') ?? '';
  const hasPassword = user !== '' && password !== '' && kind !== 'socks4';
  const proxy = {
    kind,
    address: hostPort(host, port!),
    ...(user === '' ? {} : { user }),
    ...(hasPassword ? { password: isSecretReference(password) ? password : `file:secrets/${name}.proxy` } : {}),
  };
  const copied = hasPassword && !isSecretReference(password);
  const note = copied ? '; put the password into that file of the state folder (chmod 600): it is not copied' : '';
  return {
    kind: 'translated',
    text: `connect.proxy: ${JSON.stringify(proxy)}${note}`,
    values: [[['connect', 'proxy'], proxy]],
  };
}
