// A scenario as data: cases, fragments, steps, messages to send and to expect. text/ reads and prints it, run/ plays it.

/** Position of a step or fault, line and column counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A part of a value that the run fills in: `{orderID}`, `{next+2}`, `{now-30s}`. */
export interface Reference {
  readonly name: string;
  /** Added to a number, or to a time in `unit`. */
  readonly offset: number;
  readonly unit: TimeUnit | null;
}

export type TimeUnit = 'ms' | 's' | 'm' | 'h' | 'd';

/** Text with references. A text without any is one string. */
export type Template = readonly (string | Reference)[];

export type Expectation =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly value: Template }
  /** A regular expression for the whole value. */
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'absent' };

export interface ExpectedField {
  readonly tag: number;
  /** The field may be absent; if present, it has to match. */
  readonly optional: boolean;
  readonly expectation: Expectation;
  /** Variable that takes the received value, or the first group of a pattern; null: none. */
  readonly capture: string | null;
}

/** A message to match. A tag that is listed n times stands n times in the message, in this order. */
export interface ExpectedMessage {
  readonly fields: readonly ExpectedField[];
  /** The body holds no other fields. Header and trailer may. */
  readonly exact: boolean;
}

/** A field to send; a null value keeps the host from filling it in. */
export interface SentField {
  readonly tag: number;
  readonly value: Template | null;
}

export type Role = 'initiator' | 'acceptor';

export type StepAction =
  /** The host fills in header and trailer. */
  | { readonly kind: 'send'; readonly fields: readonly SentField[] }
  /** Exactly this text, with SOH. The host fills in 9 and 10 if the text begins with `8=` and lacks them. */
  | { readonly kind: 'sendRaw'; readonly text: Template }
  | {
      readonly kind: 'expect';
      /** Several: in any order. */
      readonly messages: readonly ExpectedMessage[];
      /** Messages of other types may precede them. */
      readonly passesOver: boolean;
      readonly within: Template | null;
    }
  | { readonly kind: 'expectNothing'; readonly duration: Template }
  | { readonly kind: 'expectClosed'; readonly passesOver: boolean; readonly within: Template | null }
  | { readonly kind: 'wait'; readonly duration: Template }
  | { readonly kind: 'connect'; readonly within: Template | null }
  | { readonly kind: 'disconnect' }
  /** A number or state that the host sets: `next`, `expected`, or a key of its own. */
  | { readonly kind: 'set'; readonly key: string; readonly value: Template }
  | { readonly kind: 'let'; readonly name: string; readonly value: Template }
  /** Pass over such messages for the rest of the case. */
  | { readonly kind: 'ignore'; readonly message: ExpectedMessage }
  | { readonly kind: 'say'; readonly text: Template }
  /** A step that the host defines. */
  | { readonly kind: 'verb'; readonly verb: string; readonly argument: Template }
  | { readonly kind: 'call'; readonly fragment: string; readonly arguments: ReadonlyMap<string, Template> };

export interface Step {
  readonly action: StepAction;
  /** Name of the connection; `''`: the only or first one. */
  readonly connection: string;
  readonly place: Place;
  /** The step as the file writes it, continuation lines joined. */
  readonly text: string;
  /** Rule of engagement that this step checks; null: the rule of its case. */
  readonly rule: string | null;
  /** Advice if the step fails. */
  readonly hint: string | null;
}

export interface Fragment {
  readonly name: string;
  /** The run's role that it serves; null: both. */
  readonly role: Role | null;
  /** Parameters with defaults; null: the call has to give a value. */
  readonly parameters: ReadonlyMap<string, Template | null>;
  readonly steps: readonly Step[];
  readonly place: Place;
}

export interface ScenarioCase {
  readonly id: string;
  readonly title: string;
  /** Rule of engagement or specification that the case checks. */
  readonly rule: string | null;
  readonly mandatory: boolean;
  /** FIX versions that have the case (`FIX.4.4`, `FIX.5.0SP2`); null: every one. */
  readonly versions: readonly string[] | null;
  readonly role: Role | null;
  /** Free words by which a host chooses cases. */
  readonly tags: readonly string[];
  /** Longest wait of an expectation without `within`; null: the host's. */
  readonly timeout: Template | null;
  /** Heartbeats and TestRequests are messages like any other: neither passed over nor answered by the run. */
  readonly strict: boolean;
  readonly steps: readonly Step[];
  readonly place: Place;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Variables of the file with their defaults; a host may override them. */
  readonly variables: ReadonlyMap<string, Template>;
  readonly fragments: readonly Fragment[];
  readonly cases: readonly ScenarioCase[];
}

/** A fault of a scenario text: its place, and a sentence that says what to do. */
export interface ScenarioProblem {
  readonly place: Place;
  readonly text: string;
}

/** `file:line:column: text`. */
export function problemLine({ place, text }: ScenarioProblem): string {
  return `${place.file}:${place.line}:${place.column}: ${text}`;
}
