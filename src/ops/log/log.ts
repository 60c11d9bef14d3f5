// The log: pino underneath, every line redacted in the printer. JSON for machines, aligned lines for a terminal. The
// engine decides content and time.

import process from 'node:process';
import { type Level, pino } from 'pino';
import { CrossgateError } from '../../base/errors.ts';
import { terminalText } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { type Severity, severityOf } from '../alarms/alarm-severity.ts';
import { redactText, redactValue } from '../secrets/redaction.ts';
import { LogOutput } from './log-output.ts';

/** `auto`: pretty on a terminal, JSON otherwise. */
export type LogFormat = 'auto' | 'pretty' | 'json';

export interface LogOptions {
  readonly format?: LogFormat;
  /** `debug`, `info`, `warn` or `error`; default `info`. */
  readonly level?: string;
  /** Where the lines go, one `write` each; default the standard error stream. */
  readonly stream?: { write(line: string): void; readonly isTTY?: boolean };
}

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** Create the log. @throws CrossgateError XG_USAGE for an unknown level or format */
export function createLog(options: LogOptions = {}): EngineLog {
  const level = LEVELS.find((known) => known === (options.level ?? 'info'));
  if (level === undefined) throw new CrossgateError('XG_USAGE', `the log level is one of ${LEVELS.join(', ')}`);
  const format = options.format ?? 'auto';
  if (format !== 'auto' && format !== 'pretty' && format !== 'json') {
    throw new CrossgateError('XG_USAGE', 'the log format is auto, pretty or json');
  }
  const pretty = format === 'pretty' || (format === 'auto' && (options.stream ?? process.stderr).isTTY === true);
  const onLost = (lines: number): void =>
    logger.warn(
      `${lines} ${lines === 1 ? 'line' : 'lines'} of this log were not taken, by a full disk for example, and are lost`,
    );
  const stream = options.stream ?? new LogOutput({ onLost });
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'text',
      timestamp: () => `,"time":"${formatIso(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => stream.write(pretty ? toPrettyLine(line) : seenAsText(line)) },
  );
  return (at, text, fields) => {
    if (fields === undefined) logger[at]({}, redactText(text));
    else if (typeof fields.alarm === 'string') {
      const severity = severityOf(fields.alarm);
      logger[LEVEL_OF[severity]](toFields({ severity, ...fields }), redactText(text));
    } else logger[at](toFields(fields), redactText(text));
  };
}

/** The level of an alarm's line says what its severity says. */
const LEVEL_OF: Readonly<Record<Severity, Level>> = { critical: 'error', warning: 'warn', info: 'info' };

/** Characters that steer a terminal, are invisible, or turn the writing direction, and are legal in JSON. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** The same JSON: a reader of the file, or of a container engine's copy, sees the counterparty's text and no more. */
function seenAsText(line: string): string {
  return line.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

const RESERVED = new Set(['level', 'time', 'text']);

/** Redacted fields; one that would hide a key of the line itself gets an underscore. */
function toFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const redacted = redactValue(fields) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(redacted).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]),
  );
}

/** `12:00:00.000 INFO  text  key=value …` from a JSON line. */
function toPrettyLine(line: string): string {
  const { level, time, text, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([key, value]) => `  ${key}=${toWord(value)}`);
  // A control character in a counterparty's text must not steer the terminal.
  const shown = terminalText(`${text}${rest.join('')}`);
  return `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${shown}\n`;
}

function toWord(value: unknown): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}
