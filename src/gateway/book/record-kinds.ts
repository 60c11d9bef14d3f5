// Kinds of records of the gateway: orders, and everything else that must survive a restart. The last record of a key
// counts. order-record.ts has the form of an order.

import type { EpochMs } from '../../base/time.ts';
import type { DelayedCancelAllCommand } from '../../exchange/mod.ts';
import type { DataPair } from '../../wire/mod.ts';
import type { CancelRejectFacts } from '../reports/answer.ts';
import type { ReportFacts } from '../reports/execution-report.ts';
import type { CallersSwitch } from '../state/account-switches.ts';
import type { KillSwitchScope, SessionEnd } from '../vocabulary/input.ts';
import type { OperatorNews } from '../vocabulary/news.ts';
import type { Refusal } from '../vocabulary/refusal.ts';
import type { Sender } from '../vocabulary/sender.ts';
import type { Order, OtherAsker, RequestKind } from './order.ts';

/** A ClOrdID(11) of a q, or of a request on an order of another session: it must not run twice either (rule U4). */
export interface MassCancelRecord {
  readonly kind: 'massCancel';
  readonly key: string;
  readonly sessionId: string;
  readonly clOrdID: string;
}

/** A grace time that runs, so that its cancels come even if this process dies in it (rule C1); null ends it. */
export interface GraceRecord {
  readonly kind: 'grace';
  readonly key: string;
  readonly sessionId: string;
  readonly endsAt: EpochMs | null;
  /** How the session ended; absent in older records, which mean only that it was lost. */
  readonly end?: SessionEnd | null;
}

/** Unsolicited halts reported to a session, so that it also learns of their end (rule D4). */
export interface StatusRecord {
  readonly kind: 'status';
  readonly key: string;
  readonly sessionId: string;
  readonly isOpen: boolean;
  /** Markets, by the exchange's names of them. */
  readonly halted: readonly string[];
}

/** Time from which a session learns of liquidations, by account: earlier fills are in its OMS's opening position. */
export interface LiquidationsRecord {
  readonly kind: 'liquidations';
  readonly key: string;
  readonly sessionId: string;
  /** By trading account id. */
  readonly since: Readonly<Record<string, EpochMs>>;
}

/** The sessions that a drop copy names as the owners of its orders. */
export interface CopiedRecord {
  readonly kind: 'copied';
  readonly key: string;
  /** The drop copy's. */
  readonly sessionId: string;
  readonly sessionIds: readonly string[];
}

/** A list of orders: its ListID(66) is used once, and its end is reported once. */
export interface ListRecord {
  readonly kind: 'list';
  readonly key: string;
  readonly sessionId: string;
  readonly listID: string;
  /** Of its orders, in their order; in records from before `refused` existed without those. */
  readonly clOrdIDs: readonly string[];
  /** Positions of entries with another order's ClOrdID(11), which were not created; absent if there are none. */
  readonly refused?: readonly number[];
  readonly done: boolean;
}

/** A kill switch (rule O12): on, or off again. */
export interface KillSwitchRecord {
  readonly kind: 'killSwitch';
  readonly key: string;
  readonly scope: KillSwitchScope;
  readonly name: string;
  readonly thrownBy: string;
  readonly thrownAt: EpochMs;
  readonly why: string;
  readonly liftAskedBy: string | null;
  /** The time; absent in older records, which count as lapsed. */
  readonly liftAskedAt?: EpochMs | null;
  readonly on: boolean;
}

/** A counterparty's choice of cancel on disconnect in its Logon (rule C1); null: it chose nothing. */
export interface CancelChoiceRecord {
  readonly kind: 'cancelChoice';
  readonly key: string;
  readonly sessionId: string;
  readonly cancels: boolean | null;
}

/** A planned stop that operators announced; at 0 it is over or withdrawn. */
export interface PlannedStopRecord extends OperatorNews {
  readonly kind: 'plannedStop';
  readonly key: string;
  readonly stopAt: EpochMs;
  /** When its News(B) went to all last. */
  readonly toldAt: EpochMs;
}

/** A dead man's switch that the exchange may have armed (rule C2). One that no session wants any more is disarmed. */
export interface DeadMansSwitchRecord {
  readonly kind: 'deadMansSwitch';
  readonly key: string;
  readonly tradingAccountId: string;
  readonly credential: string;
  readonly delayS: DelayedCancelAllCommand['delayBySeconds'];
  readonly armed: boolean;
  /** A caller of the bridge wants one too (rule B5); absent if none does. */
  readonly caller?: CallersSwitch;
}

/** A message that waits for its turn (rule S7); null once it does not. */
export interface HeldRecord {
  readonly kind: 'held';
  readonly key: string;
  readonly sessionId: string;
  /** The frame, one character per byte. */
  readonly frame: string | null;
  /** Length and data tags of its session that the standard does not have; absent if there are none. */
  readonly dataPairs?: readonly DataPair[];
  /** By field, the number of groups that it stands in (rule S13); absent if no field stands in one. */
  readonly depths?: readonly number[];
}

/** How far the references of an account may have been given out (rule O5). */
export interface ReferencesRecord {
  readonly kind: 'references';
  readonly key: string;
  readonly tradingAccountId: string;
  readonly ceiling: string;
  readonly wrapped: boolean;
}

/** References that only the exchange had, adopted by an operator (rule J3): all of the account so far. */
export interface AdoptedRecord {
  readonly kind: 'adopted';
  readonly key: string;
  readonly tradingAccountId: string;
  readonly references: readonly string[];
}

/** Trades of an order that were counted, from the `first` of them on; none once the order's record has them. */
export interface TradesRecord {
  readonly kind: 'trades';
  readonly key: string;
  readonly sessionId: string;
  readonly orderKey: string;
  readonly first: number;
  readonly tradeIds: readonly string[];
}

/** Cancels of many orders that are open, and still to be recorded with these by one piece of work; of no orders once they are. */
export interface CancelsRecord extends ManyCancels {
  readonly kind: 'cancels';
  readonly key: string;
  readonly sessionId: string;
  /** Of each order the session and first ClOrdID(11) of its chain, and the number and kind of its request. */
  readonly orders: readonly (readonly [sessionId: string, clOrdID: string, number: number, kind: ManyKind])[];
}

/** The requester of a cancel that is one of many: none of them has its own F. */
export type ManyKind = Exclude<RequestKind, 'replace' | 'cancel'>;

/** The requester of many cancels, as the requests keep it. */
export interface ManyCancels {
  readonly clOrdID: string | null;
  /** The writer of the request; absent for the writer of each order. */
  readonly sender?: Sender;
  readonly massActionReportID: string | null;
  /** The session that asks: an `accountCancel` is for it (rule O7). Absent where no session does. */
  readonly asker?: OtherAsker;
}

/** Statuses of an AF that are still to be sent by one piece of work; of no orders once they were. */
export interface StatusesRecord {
  readonly kind: 'statuses';
  readonly key: string;
  readonly sessionId: string;
  readonly massStatusReqID: string;
  readonly sender: Sender;
  /** Reports that the whole answer has, and whether these are its last ones. */
  readonly total: number;
  readonly isEnd: boolean;
  /** Orders beyond one answer. */
  readonly leftOut: number;
  readonly isUnverified: boolean;
  /** Of each order its session and ClOrdID(11). */
  readonly orders: readonly (readonly [sessionId: string, clOrdID: string])[];
}

/** Undelivered reports for a session that was not configured: from `first` on, `next` excluded. */
export interface UntoldRecord {
  readonly kind: 'untold';
  readonly key: string;
  readonly sessionId: string;
  readonly first: number;
  readonly next: number;
}

/** The reports of an order that would have been sent. */
export type Untold =
  | { readonly kind: 'report'; readonly facts: ReportFacts }
  | { readonly kind: 'cancelReject'; readonly facts: CancelRejectFacts; readonly refusal: Refusal };

/** One of them: the order's record as it was then, and its report. */
export interface UntoldReportRecord {
  readonly kind: 'untoldReport';
  readonly key: string;
  readonly sessionId: string;
  readonly order: string;
  readonly what: Untold;
}

/** Every record but an order's. */
export type PlainRecord =
  | ReferencesRecord
  | AdoptedRecord
  | MassCancelRecord
  | GraceRecord
  | StatusRecord
  | LiquidationsRecord
  | CopiedRecord
  | ListRecord
  | KillSwitchRecord
  | PlannedStopRecord
  | CancelChoiceRecord
  | DeadMansSwitchRecord
  | HeldRecord
  | TradesRecord
  | CancelsRecord
  | StatusesRecord
  | UntoldRecord
  | UntoldReportRecord;
export type GatewayRecord = { readonly kind: 'order'; readonly order: Order } | PlainRecord;

/** Those that are recorded as they stand. */
export const PLAIN_KINDS: ReadonlySet<string> = new Set<PlainRecord['kind']>([
  'massCancel',
  'grace',
  'status',
  'liquidations',
  'copied',
  'list',
  'killSwitch',
  'plannedStop',
  'cancelChoice',
  'deadMansSwitch',
  'held',
  'references',
  'adopted',
  'trades',
  'cancels',
  'statuses',
  'untold',
  'untoldReport',
]);
