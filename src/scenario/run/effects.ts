// Inputs and effects of a run: how the machine of scenario-run.ts talks with its host.

import type { EpochMs } from '../../base/time.ts';
import type { LinkedStep } from '../link.ts';
import type { ExpectedMessage } from '../model.ts';
import type { FieldDifference } from './match.ts';
import type { ReceivedMessage } from './received.ts';

/** How the host did what an effect asks for. */
export type HostOutcome =
  | { readonly kind: 'passed'; readonly captures?: ReadonlyMap<string, string> }
  | {
      readonly kind: 'failed';
      readonly text: string;
      readonly differences?: readonly FieldDifference[];
      readonly received?: ReceivedMessage;
    }
  /** The host cannot do this, so the case does not apply here. */
  | { readonly kind: 'skipped'; readonly text: string };

export type RunInput =
  | { readonly kind: 'start' }
  | {
      readonly kind: 'message';
      readonly connection: string;
      readonly message: ReceivedMessage;
      /** Differences that the host finds by itself, such as a wrong MsgSeqNum. A step that names the tag overrules them. */
      readonly implied?: readonly FieldDifference[];
    }
  /** Bytes that form no message. */
  | { readonly kind: 'garbled'; readonly connection: string; readonly text: string }
  | { readonly kind: 'connected'; readonly connection: string }
  | { readonly kind: 'disconnected'; readonly connection: string; readonly reason: string }
  /** Answers `set` and `verb`. */
  | { readonly kind: 'done'; readonly outcome: HostOutcome }
  | { readonly kind: 'tick' }
  /** End the case: the operator or the host gives up. */
  | { readonly kind: 'abort'; readonly reason: string };

export type StepOutcome = 'passed' | 'failed' | 'notSeen' | 'skipped';

/** A message to send, references filled in. */
export type OutgoingMessage =
  | { readonly kind: 'fields'; readonly fields: readonly { readonly tag: number; readonly value: string | null }[] }
  /** With SOH. */
  | { readonly kind: 'raw'; readonly text: string };

/** How a step ended. */
export interface StepVerdict {
  readonly kind: 'verdict';
  readonly step: LinkedStep;
  /** From 0. */
  readonly index: number;
  readonly outcome: StepOutcome;
  readonly at: EpochMs;
  /** Empty if it passed. */
  readonly text: string;
  readonly expected: ExpectedMessage | null;
  readonly received: ReceivedMessage | null;
  readonly differences: readonly FieldDifference[];
  /** Messages that the step passed over. */
  readonly passedOver: readonly ReceivedMessage[];
}

export type RunEffect =
  | { readonly kind: 'connect'; readonly connection: string }
  | { readonly kind: 'disconnect'; readonly connection: string }
  | {
      readonly kind: 'send';
      readonly connection: string;
      readonly message: OutgoingMessage;
      readonly step: LinkedStep | null;
    }
  | { readonly kind: 'set'; readonly connection: string; readonly key: string; readonly value: string }
  | { readonly kind: 'verb'; readonly verb: string; readonly argument: string; readonly step: LinkedStep }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'begun'; readonly step: LinkedStep; readonly index: number }
  | StepVerdict
  | {
      readonly kind: 'ended';
      readonly outcome: StepOutcome;
      readonly text: string;
      /** Messages that no step asked for. */
      readonly unread: readonly ReceivedMessage[];
    };
