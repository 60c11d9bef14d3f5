/** Reader of an option that may be given several times: `--tag 11 --tag 41`. */
export function repeated(value: string, values: readonly string[] = []): string[] {
  return [...values, value];
}
