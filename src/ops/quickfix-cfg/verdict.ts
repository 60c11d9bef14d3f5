// Verdict on one setting of a QuickFIX file. keys.ts and its neighbours explain each setting.

/** Fate of a setting. */
export interface SettingVerdict {
  /** `taken`: the same value under our name; `translated`; `refused`: has no effect here, the text says why; `invalid`. */
  readonly kind: 'taken' | 'translated' | 'refused' | 'invalid';
  readonly text: string;
  /** Security is at stake: a warning, or an error where the session is less secure here than in its engine. */
  readonly caution?: 'warning' | 'error';
  /** Its effect: path of our keys and value. */
  readonly values?: readonly (readonly [path: readonly string[], value: unknown])[];
}

/** Value of another setting of the same session, or null. */
export type OtherSetting = (key: string) => string | null;

/** A value that the engine which the file was written for would not take either. */
export const invalid = (text: string): SettingVerdict => ({ kind: 'invalid', text });
