// Refused connections of several kinds, again and again from several addresses: how many lines the gateway logs about them.

import { once } from 'node:events';
import { connect } from 'node:net';
import { fromPrintable } from '../../src/wire/mod.ts';
import { GATEWAY, House } from './house.ts';

export interface LogFigures {
  readonly refused: number;
  readonly lines: number;
  /** Of the lines, those that count what was left out come a minute later. */
  readonly addresses: number;
}

const logon = (compID: string): Buffer =>
  fromPrintable(
    `35=A|49=${compID}|56=${GATEWAY}|34=1|52=20260105-12:00:00.000|98=0|108=30|553=user|554=wrong-password-0001|`,
    'FIX.4.4',
  );
const KINDS: readonly Buffer[] = [
  Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff]),
  logon('NOBODY'),
  logon('VICTIM'),
];

/** `rounds` connections of each kind from each address; prints a line. */
export async function logFlood(addresses: number, rounds: number): Promise<LogFigures> {
  const house = await House.open([{ compID: 'VICTIM' }]);
  try {
    const before = house.gateway.process.lines.length;
    let refused = 0;
    const attack = async (localAddress: string, bytes: Buffer): Promise<void> => {
      const socket = connect({ port: house.port, host: '127.0.0.1', localAddress }).on('error', () => {});
      await once(socket, 'connect');
      socket.end(bytes);
      await once(socket.resume(), 'close');
      refused++;
    };
    for (let round = 0; round < rounds; round++) {
      const all = Array.from({ length: addresses }, (_, n) => `127.0.3.${n + 1}`);
      await Promise.all(all.flatMap((address) => KINDS.map((bytes) => attack(address, bytes))));
    }
    const lines = house.gateway.process.lines.slice(before).filter((line) => line.includes('127.0.3.')).length;
    console.log(
      `  ${refused} refused connections from ${addresses} addresses: ${lines} lines of log within the minute`,
    );
    return { refused, lines, addresses };
  } finally {
    await house.close();
  }
}
