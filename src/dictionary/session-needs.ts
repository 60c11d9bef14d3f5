// Which messages, fields, groups and values a session needs of its dictionaries to log on, recover and trade. Leaves looking them
// up in a dictionary to dictionary-lacks.ts.

import { SCOPES, SENT } from './sent-fields.ts';

/** A session's configured functions, as far as they change the needed parts of a dictionary. */
export interface SessionUse {
  /** Of the application: `FIX.4.4`, `FIX.5.0SP2`. */
  readonly version: string;
  readonly isVenue: boolean;
  /** Whether it enters orders; a drop copy session only receives reports. */
  readonly entersOrders: boolean;
  readonly isAcceptor: boolean;
  readonly hasPassword: boolean;
  readonly hasUsername: boolean;
  readonly changesPassword: boolean;
  readonly isSigned: boolean;
  readonly resetsNumbers: boolean;
  readonly agreesOnNextExpected: boolean;
  readonly agreesOnLastProcessed: boolean;
  readonly isTest: boolean;
  readonly hasSeveralAccounts: boolean;
  readonly hasSeveralVersions: boolean;
  /** Header fields of the SubIDs and LocationIDs that are agreed. */
  readonly identityTags: readonly number[];
}

/** `header`, `trailer` or a MsgType. Without `path` the message itself; with two tags in it, a field of that group. */
export interface Need {
  readonly place: string;
  readonly path: readonly number[];
  /** A value that the enumeration of the last field must have. */
  readonly value?: string;
  /** The session does not work without it; else a feature is lost. */
  readonly isFatal: boolean;
  /** Ends the sentence "the session needs it because …". */
  readonly why: string;
  /** Optional content of the gateway's messages, reported together per message. */
  readonly isTold?: 'together';
}

const numbers = (text: string): number[] => text.split(' ').map(Number);

export function needsOf(use: SessionUse): Need[] {
  const needs = [...headerNeeds(use), ...adminNeeds(use), ...logonNeeds(use)];
  if (use.entersOrders) needs.push(...orderNeeds(use), ...featureNeeds(use));
  return [...needs, ...reportNeeds(use)];
}

/** @param paths tags with blanks between; one in a group as `453/448` */
function need(place: string, paths: string, why: string, isFatal = true): Need[] {
  return paths.split(' ').map((path) => ({ place, path: path.split('/').map(Number), isFatal, why }));
}

function message(place: string, why: string, isFatal = true): Need {
  return { place, path: [], isFatal, why };
}

function values(place: string, tag: number, list: string, why: (value: string) => string, isFatal = true): Need[] {
  return list.split(' ').map((value) => ({ place, path: [tag], value, isFatal, why: why(value) }));
}

function headerNeeds({ identityTags, agreesOnLastProcessed, hasSeveralVersions }: SessionUse): Need[] {
  const resent = 'a message that the counterparty resends carries it';
  return [
    ...need('header', '8 9 35 49 56 34 52', 'every message carries it'),
    ...need('trailer', '10', 'every message carries it'),
    ...need('header', '43 122', resent),
    ...need('header', '97', 'an order that comes again with PossResend(97)=Y would be rejected', false),
    ...identityTags.flatMap((tag) => need('header', String(tag), 'its identity has it')),
    ...(agreesOnLastProcessed ? need('header', '369', 'both sides send it by agreement') : []),
    ...(hasSeveralVersions ? need('header', '1128', 'its `applVerIDs` are told apart by it') : []),
  ];
}

function adminNeeds({ version }: SessionUse): Need[] {
  const unanswered = 'the answer to a TestRequest(1) carries it';
  const gap = 'gaps are asked for by it';
  const fill = 'gaps are filled by it';
  const reason = 'a Reject(3) of the counterparty would be rejected itself';
  return [
    ...[...'012345A'].map((msgType) => message(msgType, 'the session layer speaks it')),
    ...need('0', '112', unanswered),
    ...need('1', '112', unanswered),
    ...need('2', '7 16', gap),
    ...need('4', '36 123', fill),
    ...need('3', '45', reason),
    ...need('3', '58', reason, false),
    ...(version === 'FIX.4.1' ? [] : need('3', '371 372 373', reason, false)),
    ...need('5', '58', 'the counterparty’s reason for a Logout(5) stands there', false),
  ];
}

function logonNeeds(use: SessionUse): Need[] {
  const needs = need('A', '98 108', 'every Logon(A) carries it');
  const resets = 'a Logon(A) that resets the numbers carries it';
  needs.push(...need('A', '141', resets, use.resetsNumbers));
  // Messages that we send as an initiator are not checked here, but the counterparty may have the same file.
  const { isAcceptor } = use;
  const proof = isAcceptor ? 'its counterparty logs on with it' : 'it logs on with it';
  if (use.hasPassword) needs.push(...need('A', '554', proof, isAcceptor));
  if (use.hasUsername) needs.push(...need('A', '553', proof, isAcceptor));
  else if (use.hasPassword && isAcceptor && !use.isVenue) {
    needs.push(...need('A', '553', 'most counterparties send it beside Password(554)', false));
  }
  if (use.isSigned) needs.push(...need('A', '95 96', proof, isAcceptor));
  if (use.changesPassword) needs.push(...need('A', '925', 'a counterparty changes its password by it', false));
  if (use.agreesOnNextExpected) needs.push(...need('A', '789', 'both sides send it by agreement'));
  if (use.isTest) needs.push(...need('A', '464', 'a test session refuses a Logon(A) without it'));
  if (use.version.startsWith('FIX.5')) needs.push(...need('A', '1137', 'every Logon(A) of FIXT.1.1 carries it'));
  return needs;
}

const EACH_ORDER = 'each order carries it';
const refusedOrder = (name: string) => (value: string) => `an order with ${name}=${value} would be rejected`;

function orderNeeds({ version, isVenue, hasSeveralAccounts }: SessionUse): Need[] {
  const account = hasSeveralAccounts ? 'it may trade more than one account' : 'an order that names its account has it';
  const side = isVenue ? '' : ' 54';
  const tifs = 'an order without TimeInForce(59)=1, 3 or 4 cannot say how long it works';
  const types = refusedOrder('OrdType(40)');
  return [
    message('D', 'orders come by it'),
    message('F', 'orders are cancelled by it'),
    message('G', 'orders are replaced by it'),
    ...need('D', '11 55 54 38 40 44 60', EACH_ORDER),
    ...need('D', '1', account, hasSeveralAccounts),
    ...need('D', '59', tifs, false),
    ...need('D', '99', 'stop orders carry it', false),
    ...(isVenue && version === 'FIX.4.4' ? [] : need('D', '18', 'post-only orders carry it', false)),
    ...(version === 'FIX.4.2' ? need('D', '21', EACH_ORDER) : []),
    ...need('F', `11 41 55 60${side}`, 'each cancel carries it'),
    ...need('G', `11 41 55 38 40 44 60${side}`, 'each replace carries it'),
    ...values('D', 40, '1 2', types),
    ...values('D', 40, '4', types, false),
    ...(isVenue ? [] : values('D', 40, '3', types, false)),
    ...values('D', 54, '1 2', refusedOrder('Side(54)')),
    ...values('D', 59, '1 3 4', refusedOrder('TimeInForce(59)'), false),
    ...values('D', 59, '5', () => 'an order for the auction has TimeInForce(59)=5', false),
    ...(isVenue || version === 'FIX.4.2'
      ? []
      : need('D', '453/448 453/447 453/452', 'orders carry parties in it', false)),
  ];
}

/** Functions that a session has without a setting, by their messages; those behind a blank are not in FIX.4.2. */
const FEATURES: readonly (readonly [msgTypes: string, notIn42: string, why: string])[] = [
  ['H', 'AF', 'it asks for the status of orders'],
  ['', 'q r', 'it cancels all its orders at once'],
  ['E N', '', 'it enters lists of orders'],
  ['V W X Y', '', 'it subscribes to market data'],
  ['c d', 'x y', 'it asks which markets there are'],
  ['e f g h', '', 'it learns of market and auction states'],
  ['j', '', 'requests that are not served are answered by it'],
];
/** Of these, those that the exchange's own FIX has. */
const OF_EXCHANGE = 'qrxyh';

function featureNeeds({ version, isVenue }: SessionUse): Need[] {
  const needs: Need[] = [];
  const isExchanges = isVenue && version === 'FIX.4.4';
  for (const [msgTypes, notIn42, why] of FEATURES) {
    const spoken = `${msgTypes} ${version === 'FIX.4.2' ? '' : notIn42}`.split(' ').filter((one) => one !== '');
    for (const msgType of spoken) {
      if (!isExchanges || OF_EXCHANGE.includes(msgType)) needs.push(message(msgType, why, false));
    }
  }
  if (isExchanges) return needs;
  const why = 'its request cannot name its markets and entries else';
  return [
    ...needs,
    ...need('V', '267/269 146/55', why, false),
    ...need('E', '73/11 73/55 73/54 73/38', 'a list holds its orders in it', false),
  ];
}

/** Without these no engine knows the order of a report, or its result. */
const REPORT = new Set(numbers('37 11 17 150 39 55 54 151 14 6 31 32 20'));
const CANCEL_REJECT = new Set(numbers('37 11 41 39 434'));
const FATAL: Readonly<Record<string, ReadonlySet<number>>> = { 8: REPORT, 9: CANCEL_REJECT };

/** Messages of the gateway: a counterparty with the same file would reject them. */
function reportNeeds({ version, isVenue, entersOrders }: SessionUse): Need[] {
  const needs: Need[] = [message('8', 'executions are reported by it')];
  if (entersOrders) needs.push(message('9', 'a refused cancel or replace is answered by it'));
  const counterparty = 'a counterparty with this file would reject';
  for (const [place, fields] of Object.entries(SENT)) {
    if ('012345A'.includes(place) || place === 'header' || (!entersOrders && place !== '8')) continue;
    for (const [name, sent] of Object.entries(fields)) {
      if (typeof sent !== 'string' && !SCOPES[sent[1]](version, isVenue)) continue;
      const path = name.split('/').map(Number);
      const isFatal = path.length === 1 && FATAL[place]?.has(path[0]!) === true;
      const why = isFatal ? `${counterparty} what is sent with it` : `${counterparty} messages that carry them`;
      needs.push({ place, path, isFatal, why, ...(isFatal ? {} : { isTold: 'together' as const }) });
    }
  }
  const reports = (name: string) => (value: string) => `${counterparty} a report with ${name}=${value}`;
  const fills = version === 'FIX.4.2' ? '1 2' : 'F';
  needs.push(...values('8', 150, `0 4 8 ${fills}`, reports('ExecType(150)')));
  needs.push(...values('8', 39, '0 1 2 4 8', reports('OrdStatus(39)')));
  if (isVenue) return needs;
  needs.push(...values('8', 150, '5 6 A C E', reports('ExecType(150)'), false));
  needs.push(...values('8', 39, '6 A C E', reports('OrdStatus(39)'), false));
  return needs;
}
