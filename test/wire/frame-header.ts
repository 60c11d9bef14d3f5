// The header of a message of ours, as tests of the wire write it.

import type { FrameHeader } from '../../src/wire/mod.ts';

export const HEADER: FrameHeader = {
  beginString: 'FIX.4.4',
  senderCompID: 'XG',
  targetCompID: 'OMS',
  msgSeqNum: 12,
  sendingTime: '20261121-10:00:00.000',
};

/** The same SendingTime as the clock has it. */
export const HEADER_AT = Date.UTC(2026, 10, 21, 10);
