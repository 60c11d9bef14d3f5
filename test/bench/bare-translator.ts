// The least that stands between an OMS and the exchange, in a process of its own, as a floor for the stages of an
// order. A D becomes a signed POST, the order's frame becomes an 8, without checks, records, numbers or repetitions.
// Its time is the price of two sockets, one signature, two JSON texts and a waiting process. Marks are kept as in a
// gateway (marks.ts). Takes the exchange's address and the file of an HMAC key; prints its port; ends with SIGINT.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { WebSocket } from 'ws';
import { BUSY_POLL_MICROS_DEFAULT, busyPollOf } from '../../src/engine/sessions/busy-poll.ts';
import { decodeLogin, encodeCommand, nonceRangeOfDay, stringToSign } from '../../src/exchange/mod.ts';
import { createSigner } from '../../src/exchange-client/login/credential.ts';
import type { Credential } from '../../src/exchange-client/mod.ts';
import { fromPrintable } from '../../src/wire/mod.ts';
import { keepMarks } from './marks.ts';

const ACCOUNT = '111000000000001';
/** Reason of the first frame of an order; another one follows, which says that it is open. */
const ACCEPTED = 6014;
/** A stream without a word for longer is closed by the exchange. */
const KEEPALIVE_MS = 10_000;

const mark = keepMarks();
const [url = '', keyFile = ''] = process.argv.slice(2);
const credential = JSON.parse(await readFile(keyFile, 'utf8')) as Credential;
const signer = createSigner(credential, { prehash: 'hexdigest', loginUserId: 'both' });

const login = await signer.login(Date.now());
const { authorizer, token } = decodeLogin(
  await (await fetch(`${url}${login.target}`, { headers: login.headers })).json(),
)!;

const poll = busyPollOf(BUSY_POLL_MICROS_DEFAULT);
const stayAwake = (): void => poll?.stayAwake();
const { hostname, port } = new URL(url);
let http: Socket;
/** The exchange closes what was silent for a while: there is a new one then. */
function openHttp(): void {
  http = connect({ host: hostname, port: Number(port), noDelay: true });
  http.on('data', stayAwake);
  http.on('error', () => {});
  http.once('close', openHttp);
}
openHttp();
await once(http!, 'connect');

let nonce = nonceRangeOfDay(Date.now()).lowerBound;
let oms: Socket | null = null;
let msgSeqNum = 0;

function fieldOf(text: string, tag: string): string {
  const from = text.indexOf(`\u0001${tag}=`) + tag.length + 2;
  return text.slice(from, text.indexOf('\u0001', from));
}

/** Before each message but the first. */
const BEGINS = /(?=8=FIX)/;

function translateOrders(chunk: Buffer): void {
  stayAwake();
  for (const text of chunk.toString('latin1').split(BEGINS)) translateOrder(text);
}

/** ClOrdIDs are numbers here. */
function translateOrder(text: string): void {
  mark('frame in');
  const timestamp = String(Date.now());
  nonce++;
  const { path, body } = encodeCommand(
    {
      kind: 'createOrder',
      clientOrderId: fieldOf(text, '11'),
      symbol: fieldOf(text, '55'),
      type: 'LIMIT',
      side: fieldOf(text, '54') === '1' ? 'BUY' : 'SELL',
      price: fieldOf(text, '44'),
      stopPrice: null,
      quantity: fieldOf(text, '38'),
      timeInForce: 'GTC',
      allowBorrow: false,
      isMMP: null,
      tradingAccountId: ACCOUNT,
    },
    'v2',
    { timestamp, nonce: String(nonce), authorizer },
  );
  const signature = signer.sign(stringToSign({ timestamp, nonce: String(nonce), method: 'POST', path, body }));
  const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\nbx-timestamp: ${timestamp}\r\nbx-nonce: ${nonce}\r\nbx-signature: ${signature}\r\nbx-nonce-window-enabled: true\r\ncontent-length: ${body.length}\r\n\r\n`;
  mark('socket begins');
  http.write(head + body, 'latin1');
  mark('request out');
}

function translateFrame(data: Buffer): void {
  stayAwake();
  mark('stream frame in');
  const {
    dataType,
    type,
    data: order,
  } = JSON.parse(String(data)) as {
    readonly dataType?: string;
    readonly type?: string;
    readonly data: Readonly<Record<string, string | number>>;
  };
  if (dataType !== 'V1TAOrder' || type !== 'update' || order.statusReasonCode !== ACCEPTED || oms === null) return;
  const report = fromPrintable(
    `35=8|49=B|56=A|34=${++msgSeqNum}|52=20261121-10:00:00.000|37=${order.orderId}|11=${order.clientOrderId}|17=${order.orderId}-0|150=0|39=0|55=${order.symbol}|54=${order.side === 'BUY' ? 1 : 2}|38=${order.quantity}|44=${order.price}|14=0|151=${order.quantity}|6=0|`,
    'FIX.4.4',
  );
  mark('socket begins');
  oms.write(report);
  mark('bytes out');
}

const stream = new WebSocket(`${url.replace(/^http/, 'ws')}/trading-api/v1/private-data`, {
  headers: { cookie: `JWT_COOKIE=${token}` },
  perMessageDeflate: false,
});
await once(stream, 'open');
stream.on('message', translateFrame);
let commands = 0;
const say = (method: string, params: object): void =>
  stream.send(JSON.stringify({ jsonrpc: '2.0', type: 'command', method, params, id: String(++commands) }));
say('subscribe', { topic: 'orders', tradingAccountId: ACCOUNT });
setInterval(() => say('keepalivePing', {}), KEEPALIVE_MS);

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', translateOrders);
  oms = socket;
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
process.once('SIGINT', () => process.exit(0));
