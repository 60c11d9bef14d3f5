// FIX in a log that was not read: counted, and the first places kept for people.

import { ANY_SEPARATOR, SEPARATORS_READ } from './log-separator.ts';

/** Places that are named. */
const PLACES_MAX = 5;

/** The beginning of a message with other text between its fields. */
const OTHER_BEGIN = /(?<!\d)8=FIXT?\.\d\.\d(?:SP\d)?([^\r\n]{1,8}?)9=\d/;
const BARE_BEGIN = /(?<![\w.])8=FIXT?\.\d\.\d(?:SP\d)?(?=.?\d+=|\s*$)/;
const FIELD = new RegExp(`(?<![\\w.])(\\d{1,5})=[^=\\n]*?(${ANY_SEPARATOR}|$)`, 'g');
/** Fields of header and trailer: what has one among others is of a message. */
const TELLING: ReadonlySet<string> = new Set(['8', '9', '10', '34', '35', '49', '52', '56']);
const FIELDS_MIN = 3;
/** The end of a message by itself. */
const END = new RegExp(`(?:^|${ANY_SEPARATOR})10=\\d{3}(?:${ANY_SEPARATOR})`);
/** So much of a line is looked at. */
const LINE_CHARACTERS_MAX = 8192;

export class UnreadLines {
  /** Lines with messages that were passed over, and messages that the log cut. */
  lines = 0;
  cut = 0;
  private last = 0;
  private readonly places: { readonly line: number; readonly why: string }[] = [];

  /** Look at a line, numbered from 1, or what stands beside the messages on it. */
  look(text: string, line: number): void {
    if (!text.includes('=') || line === this.last) return;
    const why = whyUnread(text.slice(0, LINE_CHARACTERS_MAX));
    if (why === null) return;
    this.lines++;
    this.last = line;
    this.place(line, why);
  }

  /** Count a message that was cut. */
  cutAt(line: number): void {
    this.cut++;
    this.place(line, 'the message was cut by its logger');
  }

  private place(line: number, why: string): void {
    if (this.places.length < PLACES_MAX) this.places.push({ line, why });
  }

  /** How many so far, and why, in words; null if there are none. */
  get summary(): string | null {
    const { lines, cut } = this;
    const read = lines === 1 ? 'a line with FIX in it is not read' : `${lines} lines with FIX in them are not read`;
    const cuts = cut === 1 ? 'a message is cut' : `${cut} messages are cut`;
    const counts = [...(lines > 0 ? [read] : []), ...(cut > 0 ? [cuts] : [])];
    if (counts.length === 0) return null;
    const why = this.places.find((place) => place.why.startsWith('fields separated'))?.why;
    return counts.join(', ') + (why === undefined ? '' : `: ${why}; what is read: ${SEPARATORS_READ}`);
  }

  /** The first places, as `FILE:LINE: why`. */
  placesIn(file: string): string[] {
    return this.places.map(({ line, why }) => `${file}:${line}: ${why}`);
  }
}

/** Why FIX in a line is not read; null if there is none. */
function whyUnread(text: string): string | null {
  const other = OTHER_BEGIN.exec(text)?.[1];
  if (other !== undefined) return `fields separated by ${JSON.stringify(other)}, which may stand in a value too`;
  if (BARE_BEGIN.test(text)) return 'a BeginString(8) with nothing behind it that separates fields';
  if (END.test(text)) return 'the end of a message without its beginning';
  let fields = 0;
  let isTelling = false;
  let separator: string | null = null;
  for (const [, tag, mark] of text.matchAll(FIELD)) {
    if (separator !== null && mark !== '' && mark !== separator) continue;
    if (mark !== '') separator = mark!;
    fields++;
    isTelling ||= TELLING.has(tag!);
  }
  return separator !== null && isTelling && fields >= FIELDS_MIN
    ? 'fields of a message without its BeginString(8)'
    : null;
}
