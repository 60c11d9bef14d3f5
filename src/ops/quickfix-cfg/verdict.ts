// Verdict on one setting of a QuickFIX file. keys.ts and its neighbours explain each setting.

/** Property that a listener of gateway.yaml can have, and a session file cannot say. */
export type Demand = 'tls' | 'clientCertificate' | 'tls13' | 'ciphers' | 'revocations' | 'loopback';

/** Fate of a setting. */
export interface SettingVerdict {
  /** `taken`: the same value under our name; `translated`; `refused`: has no effect here, the text says why; `invalid`. */
  readonly kind: 'taken' | 'translated' | 'refused' | 'invalid';
  readonly text: string;
  /** Security is at stake: a warning, or an error where the session is less secure here than in its engine. */
  readonly caution?: 'warning' | 'error';
  /** Of an error: the properties that keep the session as secure, where each of its listeners has them. */
  readonly demands?: readonly Demand[];
  /** Its effect: path of our keys and value. */
  readonly values?: readonly (readonly [path: readonly string[], value: unknown])[];
}

/** Value of another setting of the same session, or null. */
export type OtherSetting = (key: string) => string | null;

/** A value that the engine which the file was written for would not take either. */
export const invalid = (text: string): SettingVerdict => ({ kind: 'invalid', text });

export const isYes = (value: string): boolean => /^(y|yes|true|t|1)$/i.test(value);
export const isNo = (value: string): boolean => /^(n|no|false|f|0)$/i.test(value);

export function set(key: string, value: unknown, kind: 'taken' | 'translated' = 'taken'): SettingVerdict {
  return { kind, text: `${key}: ${JSON.stringify(value)}`, values: [[key.split('.'), value]] };
}
