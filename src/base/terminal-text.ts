// Text of others on its way to a person's terminal. What is cut, quoted or coloured is its caller's business.

const INSTEAD: Readonly<Record<string, string>> = { '\u0001': '|', '\t': ' ', '\r': ' ', '\n': ' ' };

/**
 * The text as one line with nothing in it that steers a terminal: SOH becomes `|`, line ends and tabs become blanks, other
 * control characters, and those that are not seen or turn the direction of writing, become `?`.
 */
export function terminalText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => INSTEAD[character] ?? '?');
}

/** The same line by line. */
export function terminalLines(text: string): string {
  return text.split('\n').map(terminalText).join('\n');
}
