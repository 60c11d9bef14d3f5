// The rules of engagement of exactly one session, in Markdown. The sections stand in the files beside this one.

import type { Dictionary } from '../../dictionary/mod.ts';
import { VERSION } from '../options/version.ts';
import type { KitSession } from './kit-session.ts';
import { sections } from './markdown.ts';
import { messageFields, messageList } from './rules-of-messages.ts';
import {
  auctions,
  cancelOnDisconnect,
  limits,
  orderTypes,
  refusals,
  sessionRejects,
  timesInForce,
} from './rules-of-orders.ts';
import { certificateRules, heartbeats, hours, logonRules, overview, rates, recovery } from './rules-of-session.ts';

export function rulesOfEngagement(kit: KitSession, dictionaries: readonly Dictionary[], madeAt: string): string {
  const entersOrders = kit.session.gateway.kind !== 'dropCopy';
  const ofOrders: readonly (readonly [string, string])[] = entersOrders
    ? [
        ['Order types', orderTypes(kit, dictionaries)],
        ['Time in force', timesInForce(kit)],
        ['Auctions', auctions(kit)],
        ['Cancel on disconnect', cancelOnDisconnect(kit)],
        ['Limits', limits(kit)],
      ]
    : [];
  const head = `# Rules of engagement: ${kit.name}\n\nMade by crossgate ${VERSION} on ${madeAt} from the settings of this session. They hold for this session alone.\n`;
  return `${head}\n${sections([
    ['The session', overview(kit)],
    ['Certificates', certificateRules(kit)],
    ['Logon', logonRules(kit)],
    ['Hours and resets', hours(kit)],
    ['Heartbeats', heartbeats(kit)],
    ...ofOrders,
    ['Rates', rates(kit)],
    ['Recovery', recovery(kit)],
    ['Messages', messageList(kit, dictionaries)],
    ['Fields', messageFields(kit, dictionaries)],
    ['Rejects', sessionRejects(kit, dictionaries)],
    ...(entersOrders ? ([['Reject reasons of orders', refusals(kit)]] as const) : []),
  ])}`;
}
