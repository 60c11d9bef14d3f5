// The shapes in which logs have FIX messages: what stands before a message, behind it, and for its separators. Written after what
// QuickFIX, QuickFIX/J, QuickFIX/n, quickfixgo, OnixS, FIXEdge, log4j, syslog, docker, Kibana and spreadsheets write; the messages are ours.

/** Writes a message, one character per byte, with its time (`20261129-12:00:00.123`); what is written is one character per byte too. */
export type LogShape = (message: string, time: string) => string;

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const iso = (time: string): string => `${time.slice(0, 4)}-${time.slice(4, 6)}-${time.slice(6, 8)}T${time.slice(9)}`;
const between = (mark: string) => (message: string) => message.replaceAll('\u0001', mark);
const json = (value: unknown): string => utf8(JSON.stringify(value));
/** As a printer of C or Python strings has bytes. */
const octets = (prefix: string, radix: number, digits: number) => (message: string) =>
  message
    .replace(/[\\'"]/g, '\\$&')
    .replace(/[^ -~]/g, (one) => `${prefix}${one.charCodeAt(0).toString(radix).padStart(digits, '0')}`);
const catV = (message: string): string =>
  message.replace(/[^\n\t -~]/g, (one) => {
    const code = one.charCodeAt(0);
    const meta = code >= 0x80 ? 'M-' : '';
    const low = code & 0x7f;
    return meta + (low < 0x20 || low === 0x7f ? `^${String.fromCharCode(low ^ 0x40)}` : String.fromCharCode(low));
  });
const url = (message: string): string => message.replace(/[^!-$&-~]/g, (one) => `%${hex(one)}`);
const hex = (one: string): string => one.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase();
const xml = (message: string): string =>
  utf8(
    message
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/[^ -~]/g, (one) => `&#${one.charCodeAt(0)};`),
  );

export const LOG_SHAPES: Readonly<Record<string, LogShape>> = {
  'a QuickFIX file log': (message, time) => `${time} : ${message}\n`,
  'a QuickFIX screen log': (message, time) => `<${time}, FIX.4.4:OMS->XG, outgoing>\n  (${message})\n`,
  'a QuickFIX/J log through SLF4J': (message, time) =>
    `${iso(time).replace('T', ' ').replace('.', ',')} INFO  quickfixj.msg.outgoing - FIX.4.4:OMS->XG: ${message}\n`,
  'a QuickFIX/n screen log': (message, time) => `<${time}, FIX.4.4:OMS->XG, outgoing>\n  (${between('|')(message)})\n`,
  'a quickfixgo file log': (message, time) => `${iso(time).replaceAll('-', '/').replace('T', ' ')}000 ${message}\n`,
  'an OnixS log': (message, time) => `${time} [OUT] ${message}\r\n`,
  'a FIXEdge log': (message, time) => `${iso(time).replace('T', ' ')} [NOTE] [Session] >> ${between('^')(message)}\n`,
  'an Appia log': (message, time) => `${time}|OUT|OMS-XG|${between(';')(message)}\n`,
  'a log4j file with | for SOH': (message, time) =>
    `${iso(time).replace('T', ' ').replace('.', ',')} [main] DEBUG com.house.Fix - sent ${between('|')(message)}\n`,
  'cat -v': (message, time) => `${time} : ${catV(message)}\n`,
  'a syslog of rsyslog': (message, time) =>
    `<14>1 ${iso(time)}Z host fix 77 - - ${message.replace(/[^ -~]/g, (one) => `#${one.charCodeAt(0).toString(8).padStart(3, '0')}`)}\n`,
  'JSON lines of pino': (message, time) => `${json({ level: 30, time: `${iso(time)}Z`, msg: message, side: 'out' })}\n`,
  'a json-file of docker': (message, time) =>
    `${json({ log: `${time} : ${message}\n`, stream: 'stdout', time: `${iso(time)}Z` })}\n`,
  'a json-file of docker around JSON': (message, time) =>
    `${json({ log: `${JSON.stringify({ msg: message })}\n`, stream: 'stdout', time: `${iso(time)}Z` })}\n`,
  'JSON with | for SOH': (message, time) => `${json({ at: `${iso(time)}Z`, fix: between('|')(message) })}\n`,
  'a Kibana export in CSV': (message, time) =>
    `"${iso(time)}Z","fix-1","${between('^A')(message).replaceAll('"', '""')}"\n`,
  'a table in CSV with |': (message, time) => `${iso(time)}Z,out,"${between('|')(message).replaceAll('"', '""')}"\n`,
  'a table separated by tabs': (message, time) => `${iso(time)}\tout\t${between('|')(message)}\n`,
  'bytes as Python prints them': (message, time) => `${iso(time)} b'${octets('\\x', 16, 2)(message)}'\n`,
  'octal escapes': (message, time) => `${iso(time)} "${octets('\\', 8, 3)(message)}"\n`,
  'a URL': (message, time) => `${iso(time)}Z GET /fix?m=${url(message)} 200\n`,
  'XML of a test tool': (message, time) => `<message at="${iso(time)}Z">${xml(message)}</message>\n`,
  'marks of a viewer': (message, time) => `${time} ${between('<SOH>')(message)}\n`,
  'marks in brackets': (message, time) => `${time} ${between('[SOH]')(message)}\n`,
  'pictures of SOH': (message, time) => `${time} ${between('\u00e2\u0090\u0081')(message)}\n`,
  'Latin-1 written as UTF-8': (message, time) => `${time} : ${utf8(message)}\n`,
};
