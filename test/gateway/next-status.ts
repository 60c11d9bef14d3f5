// Permitted next OrdStatus(39) in an OMS's view: 6 and E lie over any open state (FIX 4.4 vol. 4 App. D). An order that
// waits for its turn here may be cancelled without ever having been New.

/** Legal next values, by the present one; `''` before the first report. */
export const NEXT_STATUS: Readonly<Record<string, string>> = {
  '': 'A0864',
  A: 'A08164',
  '0': '0124C6E',
  '1': '124C6E',
  '6': '012468CEA',
  E: '01246CE',
  '2': '2',
  '4': '4',
  '8': '8',
  C: 'C',
};
