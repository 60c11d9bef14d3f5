// Journal records for the tests of the store room.

import type { JournalRecord } from '../../src/store/mod.ts';

export const SESSION = 'FIX.4.4:XGATE->OMS';
export const OTHER = 'FIX.4.4:XGATE->DESK';

export function rawMessage(text: string): Buffer {
  return Buffer.from(text.replaceAll('|', '\x01'), 'latin1');
}

export function inbound(msgSeqNum: number, sessionId = SESSION, series = 1): JournalRecord {
  const raw = rawMessage(`8=FIX.4.4|9=5|35=D|34=${msgSeqNum}|11=o-${msgSeqNum}|10=000|`);
  return { kind: 'inbound', sessionId, series, msgSeqNum, nextTargetMsgSeqNum: msgSeqNum + 1, msgType: 'D', raw };
}

export function outbound(
  msgSeqNum: number,
  sessionId = SESSION,
  series = 1,
  resendable = true,
): JournalRecord & { kind: 'outbound' } {
  const raw = rawMessage(`8=FIX.4.4|9=5|35=8|34=${msgSeqNum}|17=e-${series}-${msgSeqNum}|10=000|`);
  return { kind: 'outbound', sessionId, series, msgSeqNum, msgType: resendable ? '8' : '0', resendable, raw };
}

export function reset(series: number, sessionId = SESSION): JournalRecord & { kind: 'numbers' } {
  return {
    kind: 'numbers',
    sessionId,
    from: { series: series - 1, nextSenderMsgSeqNum: 9, nextTargetMsgSeqNum: 9 },
    to: { series, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
    who: 'counterparty',
    why: 'ResetSeqNumFlag(141)=Y',
  };
}

/** One record of every kind, with texts that need more than one byte a character and bytes of every value. */
export function everyKind(): JournalRecord[] {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  return [
    { kind: 'damageFound' },
    { kind: 'audit', who: 'Zoë', action: 'reset', detail: '“why” → because 価格' },
    inbound(1),
    outbound(1),
    outbound(2, SESSION, 1, false),
    { kind: 'state', sessionId: SESSION, loggedOn: true },
    { kind: 'state', sessionId: SESSION, loggedOn: false, end: 'logout' },
    { kind: 'state', sessionId: OTHER, loggedOn: false, end: 'disconnect' },
    { kind: 'state', sessionId: OTHER, loggedOn: false, importBegun: true },
    { kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 1 },
    { kind: 'unsequenced', sessionId: null, direction: 'in', raw: everyByte, note: 'no Logon came first' },
    { kind: 'unsequenced', sessionId: OTHER, direction: 'out', raw: Buffer.alloc(0), note: '' },
    { kind: 'order', key: 'order-1', record: '{"clOrdID":"ä"}' },
    { kind: 'exchangeInput', json: `{"text":"${'x'.repeat(70_000)}"}` },
    { kind: 'nonce', credential: 'main', nonce: '1700000000000001' },
    { ...inbound(2), msgType: 'X'.repeat(300) } as JournalRecord,
  ];
}

/** Raw bytes compare by value whatever kind of byte array holds them. */
export function comparable(record: JournalRecord): unknown {
  return 'raw' in record ? { ...record, raw: Buffer.from(record.raw).toString('latin1') } : record;
}
