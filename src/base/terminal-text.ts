// Makes foreign text safe for a terminal. The caller cuts, quotes and colours it.

const INSTEAD: Readonly<Record<string, string>> = { '\u0001': '|', '\t': ' ', '\r': ' ', '\n': ' ' };

/**
 * The text as one line without terminal control: SOH becomes `|`, line ends and tabs become blanks. Other control
 * characters, invisible ones and those that change the writing direction become `?`.
 */
export function terminalText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => INSTEAD[character] ?? '?');
}

/** The same line by line. */
export function terminalLines(text: string): string {
  return text.split('\n').map(terminalText).join('\n');
}
