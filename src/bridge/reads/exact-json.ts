// Reading and writing JSON so that every number keeps the digits it came with.

/** `JSON.rawJSON` and the reviver's source text, which the type library does not know yet. */
interface ExactJSON {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const exact = JSON as unknown as ExactJSON;

/** Parse; numbers stay as they were written when stringified again. Undefined if malformed. */
export function parseKeepingDigits(text: string): unknown {
  try {
    return exact.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
    );
  } catch {
    // Malformed JSON of the exchange is a value to the caller.
    return undefined;
  }
}
