// Requests to a certification desk, from the admin API to the desk's thread and back.

import type { Scorecard } from '../card/scorecard.ts';
import type { DeskView } from '../desk/desk-view.ts';

export type DeskRequest =
  /** `brief`: of each result the deciding step alone, without evidence. */
  | { readonly kind: 'view'; readonly brief?: boolean }
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'run'; readonly caseId: string };

/** To the thread. */
export type ToDesk =
  | { readonly kind: 'request'; readonly id: number; readonly request: DeskRequest }
  | { readonly kind: 'close' };

/** From the thread. */
export type FromDesk =
  | { readonly kind: 'open'; readonly port: number }
  | { readonly kind: 'answer'; readonly id: number; readonly view: DeskView }
  | { readonly kind: 'refused'; readonly id: number; readonly text: string }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

/** The certifications of a gateway, for those who show and steer them. */
export interface Certifications {
  /** Names of the sessions that certify. */
  names(): readonly string[];
  /** Ask a desk, which is opened if it is closed. @throws CrossgateError XG_NOT_FOUND, XG_USAGE with the desk's words */
  ask(name: string, request: DeskRequest): Promise<DeskView>;
  /**
   * Keep what the OMS can do, and the seconds in which it answers; the desk reads it before its next case.
   * @throws CrossgateError XG_NOT_FOUND, XG_USAGE
   */
  saveProfile(name: string, can: readonly string[], answerSeconds: number): Promise<void>;
  /** The scorecard as it is now, signed by the gateway. @throws CrossgateError as `ask`, and XG_SECRET_MISSING */
  scorecard(name: string): Promise<Scorecard>;
}
