// The settings of `alarms` as ops/alarms takes them, with addresses and headers by reference.

import type { AlarmReceiver, AlarmsConfig } from '../../runtime/mod.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import type { Secret } from './tls-config.ts';

export function toAlarms({ alarms }: GatewaySettings, secret: Secret): AlarmsConfig {
  const { documentation = null, receivers, ...rules } = alarms;
  const toReceiver = ({ url, authorization, ...rest }: (typeof receivers)[number]): AlarmReceiver => ({
    ...rest,
    url: secret(url),
    authorization: authorization === undefined ? null : secret(authorization),
  });
  return { ...rules, documentation, receivers: receivers.map(toReceiver) };
}
