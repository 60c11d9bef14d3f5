// Fields and values that the exchange's own FIX sends, by its published data dictionary. A session of the `venue`
// dialect with FIX.4.4 receives these and nothing else (rule D1). test/interop/exchange-dictionary.test.ts compares
// this table with that file. The gateway makes a message fit.

/** A message to an OMS in the exchange's own FIX. */
export interface ExchangeMessage {
  /** Tags of the body, those of its groups included: none stands at two levels. */
  readonly tags: ReadonlySet<number>;
  /** Tags that stand in every message. */
  readonly required: readonly number[];
}

function message(tags: string, required: string): ExchangeMessage {
  const numbers = (text: string): number[] => text.split(' ').map(Number);
  return { tags: new Set([...numbers(tags), ...numbers(required)]), required: numbers(required) };
}

/** By MsgType(35), application messages to an OMS. */
export const EXCHANGE_MESSAGES: ReadonlyMap<string, ExchangeMessage> = new Map([
  [
    '8',
    message(
      '11 544 17 1369 378 103 58 44 99 32 31 6 136 137 138 139 381 797 1057 8004 8006 20000 20001',
      '37 1 150 39 55 54 14 60 38 151 40 59',
    ),
  ],
  ['9', message('37', '41 11 39 434 102 1328 60')],
  ['r', message('532 58', '11 1369 530 531 60')],
  ['y', message('1607 893 55 1647 1649 1652 969 8000 8001 8002 8003 8005', '320 560 60 146')],
  ['h', message('58 55', '336 325 340 1368')],
  ['B', message('148', '148')],
]);

const values = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Values that the exchange's own FIX has of fields that list theirs; 59=5 is newer than the published file (exchange reference §7.2). */
export const EXCHANGE_VALUES: ReadonlyMap<number, ReadonlySet<string>> = new Map([
  [39, values('0 1 2 4 6 7 8 C')],
  [40, values('1 2 4 p')],
  [54, values('1 2')],
  [59, values('1 3 4 5')],
  [102, values('0 1 6 99 3034 3035 3036')],
  [
    103,
    values(
      '1 5 6 13 15 18 99 2013 2015 2021 3001 3003 3020 3021 3031 3032 3033 3034 3035 3036 3064 3065 3066 3067 3068 3069',
    ),
  ],
  [139, values('4')],
  [150, values('0 4 5 6 7 8 C D F')],
  [325, values('Y')],
  [340, values('1 2')],
  [378, values('5')],
  [434, values('1 2')],
  [530, values('7')],
  [531, values('0 7')],
  [532, values('99')],
  [544, values('1 2 3')],
  [560, values('0 1 2')],
  [1368, values('0 3')],
  [1652, values('DIGITAL CASH')],
]);

/** The same of session messages: SessionRejectReason(373) and SessionStatus(1409). */
export const EXCHANGE_SESSION_REJECT_REASONS = values('0 1 2 3 4 5 6 8 9 10 11 13 14 15 16 99');
export const EXCHANGE_SESSION_STATUSES = values('0 4 5 6 7 8 101 102');

/** Requests that the exchange's own FIX takes: they are answered by its messages only. */
export const EXCHANGE_REQUESTS: ReadonlySet<string> = values('D F G q x');
