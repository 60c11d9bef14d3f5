// The session layer of a session's rules of engagement: connection, Logon, hours, heartbeats, recovery and rates.

import { applicationVersion } from '../../dictionary/mod.ts';
import { sendsLogonText } from '../../engine/mod.ts';
import { dailyResetOf } from './engine-files.ts';
import type { KitSession } from './kit-session.ts';
import { bullets, table } from './markdown.ts';

const yes = (is: boolean | undefined): string => (is === true ? 'yes' : 'no');
const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** The session at a glance. */
export function overview({ session, door, config }: KitSession): string {
  const { session: fix, gateway } = session;
  const version = applicationVersion(fix.beginString, fix.defaultApplVerID);
  const ids: readonly (readonly [string, string | null | undefined])[] = [
    ['your SenderSubID(50)', fix.targetSubID],
    ['your SenderLocationID(142)', fix.targetLocationID],
    ['your TargetSubID(57)', fix.senderSubID],
    ['your TargetLocationID(143)', fix.senderLocationID],
  ];
  const isSimulated = config.simulator !== null && config.exchange.baseUrl === null;
  const environment = { test: 'test', production: 'production', any: 'test or production' }[fix.environment];
  return table(
    ['', ''],
    [
      ['Kind', gateway.kind === 'dropCopy' ? 'drop copy: it receives reports and enters no orders' : 'orders'],
      ['BeginString(8)', fix.beginString],
      ...(fix.beginString === 'FIXT.1.1'
        ? [['DefaultApplVerID(1137)', `${fix.defaultApplVerID ?? '9'}, ${version}`]]
        : []),
      ['Dialect', gateway.dialect === 'venue' ? "`venue`: the exchange's own tags and values" : '`standard`'],
      ['your SenderCompID(49)', fix.targetCompID],
      ['your TargetCompID(56)', fix.senderCompID],
      ...ids.filter(([, id]) => (id ?? '') !== '').map(([what, id]) => [what, id!]),
      [fix.role === 'acceptor' ? 'Connect to' : 'We connect to you at', `${door.host}, port ${door.port}`],
      ['TLS', door.tls === null ? 'none' : `${door.tls.minVersion.replace('v', ' ')} or later`],
      [
        'Environment',
        isSimulated ? `${environment}; the exchange behind it is simulated, and no order is real` : environment,
      ],
      ['Accounts', gateway.accounts.map(({ account }) => `\`${account}\``).join(', ')],
      ['Symbols', gateway.symbols === null ? 'all' : gateway.symbols.join(', ')],
      ...(Object.keys(gateway.symbolAliases).length === 0
        ? []
        : [
            [
              'Your names of symbols',
              Object.entries(gateway.symbolAliases)
                .map(([own, name]) => `${own} = ${name}`)
                .join(', '),
            ],
          ]),
    ],
  );
}

/** The fields of the Logon, and the answer to a refused one. */
export function logonRules({ session }: KitSession): string {
  const { session: fix, access, password } = session;
  const isInitiator = fix.role === 'initiator';
  const { cancelOnDisconnect } = fix;
  const rows: string[][] = [
    ['EncryptMethod(98)', 'yes', '0'],
    [
      'HeartBtInt(108)',
      'yes',
      `${fix.heartBtIntMinS} to ${fix.heartBtIntMaxS} seconds${fix.heartBtIntZeroAllowed ? ', or 0' : ''}; usual: ${fix.heartBtIntS}`,
    ],
    ['ResetSeqNumFlag(141)', 'no', fix.resetOnLogonAllowed ? 'Y begins both numbers at 1' : 'Y is refused'],
  ];
  if (fix.username !== null) rows.push(['Username(553)', 'yes', `\`${fix.username}\``]);
  if (password !== null) rows.push(['Password(554)', 'yes', 'handed over apart from this kit']);
  if (access.passwordOverlapMs !== null)
    rows.push([
      'NewPassword(925)',
      'no',
      `12 to 64 characters; the old password stays valid for ${seconds(access.passwordOverlapMs)}`,
    ]);
  if (access.signature !== null) {
    const { algorithm, windowMs } = access.signature;
    const over = 'over 35, 49, 56, 34 and 52 as sent, joined by SOH, in base64';
    rows.push([
      'RawDataLength(95), RawData(96)',
      'yes',
      `${algorithm} ${over}; SendingTime(52) within ${seconds(windowMs)}`,
    ]);
  }
  if (fix.environment !== 'any')
    rows.push(
      fix.environment === 'test'
        ? ['TestMessageIndicator(464)', 'yes', 'Y']
        : ['TestMessageIndicator(464)', 'no', 'absent or N'],
    );
  if (fix.beginString === 'FIXT.1.1')
    rows.push(['DefaultApplVerID(1137)', 'yes', `${fix.defaultApplVerID ?? '9'}; another one is refused`]);
  if (fix.beginString !== 'FIX.4.2')
    rows.push([
      'NextExpectedMsgSeqNum(789)',
      fix.sendsNextExpectedMsgSeqNum === true ? 'yes' : 'no',
      'the number that you expect next',
    ]);
  if (cancelOnDisconnect !== undefined) {
    const { isOn, mayOn, mayOff } = cancelOnDisconnect;
    const may = [...(mayOn ? ['Y switches it on'] : []), ...(mayOff ? ['N switches it off'] : [])];
    const says = may.length === 0 ? 'changes nothing' : may.join(', ');
    rows.push(['CancelOnDisconnect(9001)', 'no', `${says}; without it, it is ${isOn ? 'on' : 'off'}`]);
  }
  const text = sendsLogonText(fix) ? fix.logonText : null;
  const answered = {
    auto: 'A Logon that fails ends the connection without an answer. If it had 141=Y and the session is closed or waits for an operator, a Logout(5) says why.',
    logout: 'A Logon that fails is answered by a Logout(5) with the reason.',
    silence: 'A Logon that fails ends the connection without an answer.',
  }[access.onRefusal];
  return [
    isInitiator ? 'We send the Logon, and you answer with the same.' : '',
    table(['Field', 'Required', 'Value'], rows),
    text === null ? '' : `The answer has Text(58): ${text}`,
    answered,
    'A Logon that fails uses no number and resets nothing. Ten failures within a minute block the address for a minute.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Certificates on both sides. */
export function certificateRules({ door, session }: KitSession): string {
  if (door.tls === null) return 'The connection has no TLS.';
  const { authority, asksClient, serverName } = door.tls;
  const { certificate } = session.access;
  return bullets([
    ...(authority.issuer === '' ? [] : [`Our certificate is signed by \`${authority.issuer}\`.`]),
    authority.pem === null
      ? 'The kit holds no authority: trust the one that signed our certificate.'
      : 'Trust `certificates/authority.pem`.',
    ...(serverName === null ? [] : [`The name in our certificate is \`${serverName}\`.`]),
    ...(asksClient ? ['You show a certificate of your own, which our authority of clients has signed.'] : []),
    ...((certificate?.commonName ?? null) === null ? [] : [`Its common name is \`${certificate?.commonName}\`.`]),
    ...(certificate?.fingerprints ?? []).map(
      (one) => `A certificate with the SHA-256 fingerprint \`${one}\` is taken.`,
    ),
  ]);
}

/** When the session is open, and when its numbers begin again. */
export function hours(kit: KitSession): string {
  const { schedule, resetOn = [] } = kit.session.session;
  const zone = schedule?.timeZone ?? 'UTC';
  const windows = (schedule?.windows ?? []).map(
    ({ days, from, to, toDay }) =>
      `Open ${days.join(', ')} from ${from} to ${toDay ? `${toDay} ` : ''}${to} (${zone}).`,
  );
  const resets = (schedule?.resets ?? []).map(
    ({ days, at, timeZone }) => `Both numbers begin again at 1 on ${days.join(', ')} at ${at} (${timeZone ?? zone}).`,
  );
  const daily = dailyResetOf(kit);
  return bullets([
    ...(windows.length === 0 ? ['Open around the clock, on every day.'] : windows),
    ...(schedule?.holidays ?? []).slice(0, 100).map((day) => `Closed on ${day}.`),
    ...(resets.length === 0 && resetOn.length === 0 ? ['Numbers are never reset by time: log on with 141=N.'] : resets),
    ...resetOn.map((when) => `Both numbers begin again at 1 at every ${when}.`),
    ...(resets.length > 0 && daily === null
      ? ['The files of the engines know one reset of every day only: set yours by hand.']
      : []),
  ]);
}

/** Heartbeats, and when a connection is lost. */
export function heartbeats({ session: { session } }: KitSession): string {
  const { heartBtIntS, testRequestAfter, lostAfter, sendingTimeAccuracyS, logonTimeoutMs, logoutTimeoutMs } = session;
  return bullets([
    `Silence of ${testRequestAfter} intervals brings our TestRequest(1), silence of ${lostAfter} the end of the connection: ${Math.round(heartBtIntS * lostAfter * 10) / 10} s with HeartBtInt(108)=${heartBtIntS}.`,
    sendingTimeAccuracyS === 0
      ? 'SendingTime(52) is not compared with our clock.'
      : `SendingTime(52) may differ from our clock by ${sendingTimeAccuracyS} s.`,
    `A Logon must come within ${seconds(logonTimeoutMs)}, the answer to our Logout within ${seconds(logoutTimeoutMs)}.`,
  ]);
}

/** Gaps, resends, resets, and reports that come again. */
export function recovery({ session: { session, gateway } }: KitSession): string {
  const { resendRequestChunk, closedResendRequests, gapQueueMax, repeatUnprovenReports } = session;
  return bullets([
    'Log on with 141=N after a disconnect, and ask for the gap by ResendRequest(2) with EndSeqNo(16)=0. Reports come again under their old numbers with PossDupFlag(43)=Y and the same ExecID(17). A gap fill stands for session messages and market data.',
    `Our ResendRequest asks ${closedResendRequests === true ? 'for the numbers that are missing' : 'for all from the first missing number on'}${resendRequestChunk === 0 ? '' : `, ${resendRequestChunk} messages at a time`}. We keep ${gapQueueMax} messages of yours behind a gap.`,
    repeatUnprovenReports
      ? 'After a reset, reports that you did not prove to have come again as new messages with PossResend(97)=Y and the same ExecID(17). Drop those that you have.'
      : 'After a reset, only reports that never left come, as first messages. Those that perhaps never left, behind your Logout or a crash of the gateway, come with PossResend(97)=Y and the same ExecID(17).',
    `LastMsgSeqNumProcessed(369) in every header: ${yes(session.sendsLastMsgSeqNumProcessed)}. NextExpectedMsgSeqNum(789) in our Logon: ${yes(session.sendsNextExpectedMsgSeqNum)}.`,
    ...(gateway.kind === 'dropCopy'
      ? []
      : [
          `A D or G with 43=Y or 97=Y that is older than ${seconds(gateway.staleOrderMs)} is refused. F is always processed.`,
          'An order that is known and comes again with 97=Y never makes a second order: it is answered with its state.',
        ]),
  ]);
}

/** How fast messages may come. */
export function rates({ session: { session, gateway } }: KitSession): string {
  const { messageRate, sessionMessagesMax = 0, logonsPerMinute = 0 } = session;
  const perSecond = gateway.limits.ordersPerSecondMax ?? 0;
  if (messageRate === null || messageRate === undefined) return 'Application messages have no limit.';
  const { messagesMax, perMs, excess, holdMsMax, refusalsMax } = messageRate;
  const beyond =
    excess === 'hold'
      ? `wait for their turn, ${seconds(holdMsMax)} at most`
      : 'are refused: D by 8, G by 9, any other by j, each with the wait in Text(58)';
  return bullets([
    `${messagesMax} application messages in any ${perMs} ms; further ones ${beyond}. Cancels (F, q) and session messages never wait.`,
    ...(refusalsMax === 0 ? [] : [`${refusalsMax} refusals within a minute end the session.`]),
    ...(sessionMessagesMax === 0 ? [] : [`${sessionMessagesMax} session messages in a second end the session.`]),
    ...(logonsPerMinute === 0 ? [] : [`${logonsPerMinute} Logons in a minute; further ones are refused.`]),
    ...(perSecond === 0 ? [] : [`${perSecond} orders and replacements in any second go to the exchange.`]),
  ]);
}
