// What is said of one setting of a QuickFIX file. Leaves what each setting means to keys.ts and those beside it.

/** What became of a setting. */
export interface SettingVerdict {
  /** `taken`: the same value under our name; `translated`; `refused`: has no effect here, the text says why; `invalid`. */
  readonly kind: 'taken' | 'translated' | 'refused' | 'invalid';
  readonly text: string;
  /** Security is at stake: a warning, or an error where the session is less secure here than in its engine. */
  readonly caution?: 'warning' | 'error';
  /** What it sets: path of our keys and value. */
  readonly values?: readonly (readonly [path: readonly string[], value: unknown])[];
}

/** Value of another setting of the same session, or null. */
export type OtherSetting = (key: string) => string | null;

/** A value that the engine which the file was written for would not take either. */
export const invalid = (text: string): SettingVerdict => ({ kind: 'invalid', text });
