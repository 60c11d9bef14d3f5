// A program that keeps parts of the options apart can name their types: a setting need not be written in one piece.

import { expect, test } from 'vitest';
import {
  type Counterparty,
  type EngineLimits,
  type FixSessionOptions,
  type LogonAccess,
  type LogonSignature,
  type MessageRateSettings,
  type ScheduleSettings,
  type SecretReference,
  type SessionNumbers,
  startAcceptor,
} from '../../src/mod.ts';

const schedule: ScheduleSettings = {
  timeZone: 'Europe/London',
  windows: [{ days: ['Mon'], from: '08:00', to: '17:00', toDay: 'Fri' }],
  holidays: ['2026-12-25'],
  resets: [{ days: ['Mon'], at: '07:55' }],
};
const messageRate: MessageRateSettings = {
  messagesMax: 50,
  perMs: 1000,
  excess: 'refuse',
  holdMsMax: 0,
  refusalsMax: 0,
};
const limits: Partial<EngineLimits> = { connectionsMax: 10 };
const key: SecretReference = { reference: 'our vault', read: () => 'a secret that both sides know' };
const signature: LogonSignature = { algorithm: 'hmac-sha256', key, windowMs: 10_000 };
const access: Partial<LogonAccess> = { signature, allowFrom: ['127.0.0.0/8'] };
const passwordOf = ({ targetCompID }: Counterparty): string => `password of ${targetCompID}`;

test('an acceptor from named parts of its options has their sessions', async () => {
  const sessions: FixSessionOptions[] = [
    { senderCompID: 'GATE', targetCompID: 'OMS', schedule, messageRate, access },
    { senderCompID: 'GATE', targetCompID: '*', template: { passwordOf } },
  ];
  const engine = await startAcceptor({ port: 0, sessions, limits, application: { onMessage: () => {} } });
  try {
    const numbers: SessionNumbers = engine.sessions.get('FIX.4.4:GATE->OMS')!.numbers;
    expect(numbers).toEqual({ series: 1, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
  } finally {
    await engine.close();
  }
});
