// The front page of the console over several partitions, in the form that one gateway gives. Pure.

import type { ExchangeLoginView, Health, SessionView } from '../../administration/mod.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Alarm } from '../../engine/mod.ts';
import type { ApplyReport, OpenAlarm, ProposalView } from '../../ops/mod.ts';
import type { AuctionPhase, KillSwitchView, OrderCounts } from '../../runtime/mod.ts';
import type { NodeView } from './cluster-routes.ts';
import { isGood, type Reply, statesOf } from './fleet.ts';
import {
  type MergedKillSwitch,
  mergedAlarms,
  mergedKillSwitches,
  mergedOpenAlarms,
  mergedProposals,
  mergedSentences,
  mergedSessions,
  type Row,
  rowsIn,
} from './merged-lists.ts';
import type { PartitionState } from './place.ts';

/** The overview of one partition, as far as it is merged. */
interface OverviewOfOne {
  readonly startedAt: EpochMs;
  readonly health: Health;
  readonly journal: { readonly healthy: boolean; readonly queuedBytes: number };
  readonly venue: string;
  readonly orderCounts: OrderCounts;
  readonly configuration: ApplyReport | null;
  readonly notices: readonly string[];
  readonly plannedStop: PlannedStop | null;
  readonly hasPrometheus: boolean;
}

interface PlannedStop {
  readonly stopAt: EpochMs;
}

/** A partition beside what it says of itself. */
export interface PartitionView extends PartitionState {
  readonly ready: boolean;
  readonly sessions: number;
  readonly loggedOn: number;
  readonly openOrders: number;
  readonly startedAt: EpochMs | null;
  /** Of the lease of its journal; null outside a cluster. */
  readonly epoch: number | null;
}

export interface MergedOverview {
  readonly now: EpochMs;
  readonly startedAt: EpochMs;
  readonly health: Health;
  readonly journal: { readonly healthy: boolean; readonly queuedBytes: number };
  readonly venue: string;
  readonly exchangeLogins: readonly Row<ExchangeLoginView>[];
  readonly sessions: readonly Row<SessionView>[];
  readonly auctions: readonly AuctionPhase[];
  readonly openAlarms: readonly Row<OpenAlarm>[];
  readonly alarms: readonly Row<Alarm>[];
  readonly orderCounts: OrderCounts;
  readonly killSwitches: readonly MergedKillSwitch[];
  readonly certifications: readonly string[];
  readonly configuration: (ApplyReport & { readonly partition: string }) | null;
  readonly notices: readonly string[];
  readonly proposals: readonly Row<ProposalView>[];
  /** The first one. */
  readonly plannedStop: PlannedStop | null;
  readonly hasPrometheus: boolean;
  /** The node that answers. */
  readonly node: string;
  /** Absent outside a cluster. */
  readonly nodes?: readonly NodeView[];
  readonly partitions: readonly PartitionView[];
}

/** Alarms shown. */
const ALARMS_MAX = 50;
const NO_ORDERS: OrderCounts = { pendingNew: 0, new: 0, partiallyFilled: 0, ended: 0, commandsInFlight: 0 };

export interface OfNode {
  readonly node: string;
  readonly now: EpochMs;
  /** When this node was started. */
  readonly startedAt: EpochMs;
  readonly certifications: readonly string[];
  readonly nodes?: readonly NodeView[];
}

export function mergedOverview(replies: readonly Reply[], ofNode: OfNode): MergedOverview {
  const there = replies.filter(({ status }) => isGood(status));
  const parts = there.map(({ place, json }) => ({ name: place.name, ...(json as unknown as OverviewOfOne) }));
  const sessions = mergedSessions(rowsIn<SessionView>(there, 'sessions'));
  return {
    ...ofNode,
    health: mergedHealth(replies),
    journal: {
      healthy: parts.every(({ journal }) => journal.healthy),
      queuedBytes: parts.reduce((sum, { journal }) => sum + journal.queuedBytes, 0),
    },
    venue: [...new Set(parts.map(({ venue }) => venue))].join(', '),
    exchangeLogins: rowsIn<ExchangeLoginView>(there, 'exchangeLogins'),
    sessions,
    auctions: mergedAuctions(rowsIn<AuctionPhase>(there, 'auctions')),
    openAlarms: mergedOpenAlarms(rowsIn<OpenAlarm>(there, 'openAlarms')).slice(0, ALARMS_MAX),
    alarms: mergedAlarms(rowsIn<Alarm>(there, 'alarms'), ALARMS_MAX),
    orderCounts: parts.map(({ orderCounts }) => orderCounts).reduce(sumOf, NO_ORDERS),
    killSwitches: mergedKillSwitches(rowsIn<KillSwitchView>(there, 'killSwitches')),
    configuration: lastApplied(parts),
    notices: mergedSentences(parts.map(({ name, notices }) => ({ name, texts: notices }))),
    proposals: mergedProposals(rowsIn<ProposalView>(there, 'proposals')),
    plannedStop: firstStop(parts),
    hasPrometheus: parts.some(({ hasPrometheus }) => hasPrometheus),
    partitions: viewsOf(replies, sessions),
  };
}

/** Ready if every partition is: one that does not answer takes no orders, as far as is known. */
export function mergedHealth(replies: readonly Reply[]): Health {
  const said = replies.map((reply) => ({ ...reply, health: healthOf(reply) }));
  const reasons = mergedSentences(
    said.map(({ place: { name, node }, health, silence, status }) => ({
      name: `${name} on ${node}`,
      texts: health?.reasons ?? [`the partition ${silence ?? `answered ${status}`}`],
    })),
  );
  return {
    ready: said.length > 0 && said.every(({ health }) => health?.ready === true),
    partlyReady: said.some(({ health }) => health?.partlyReady === true),
    reasons: said.length === 0 ? ['no partition is known'] : reasons,
  };
}

function healthOf({ json, status }: Reply): Health | null {
  return isGood(status) ? ((json?.health as Health | undefined) ?? null) : null;
}

/** All partitions hear the same of the exchange; the latest word of a market counts. */
export function mergedAuctions(auctions: readonly Row<AuctionPhase>[]): AuctionPhase[] {
  const bySymbol = new Map<string, AuctionPhase>();
  for (const { partition: _, ...auction } of auctions) {
    const known = bySymbol.get(auction.symbol);
    if (known === undefined || Number(auction.auctionId) > Number(known.auctionId))
      bySymbol.set(auction.symbol, auction);
  }
  return [...bySymbol.values()];
}

function firstStop(parts: readonly OverviewOfOne[]): PlannedStop | null {
  const stops = parts.flatMap(({ plannedStop }) => plannedStop ?? []);
  return stops.sort((a, b) => a.stopAt - b.stopAt)[0] ?? null;
}

function sumOf(a: OrderCounts, b: OrderCounts): OrderCounts {
  return {
    pendingNew: a.pendingNew + b.pendingNew,
    new: a.new + b.new,
    partiallyFilled: a.partiallyFilled + b.partiallyFilled,
    ended: a.ended + b.ended,
    commandsInFlight: a.commandsInFlight + b.commandsInFlight,
  };
}

/** One that was refused counts before one that was taken over later elsewhere. */
function lastApplied(parts: readonly (OverviewOfOne & { readonly name: string })[]): MergedOverview['configuration'] {
  const reports = parts.flatMap(({ name, configuration }) =>
    configuration === null ? [] : [{ ...configuration, partition: name }],
  );
  reports.sort((a, b) => Number(a.ok) - Number(b.ok) || b.at - a.at);
  return reports[0] ?? null;
}

function viewsOf(replies: readonly Reply[], sessions: readonly Row<SessionView>[]): PartitionView[] {
  return statesOf(replies).map((state, nth) => {
    const { place, json, status } = replies[nth]!;
    const own = sessions.filter(({ partition }) => partition === state.name);
    const part = isGood(status) ? (json as unknown as OverviewOfOne) : null;
    const { pendingNew, new: working, partiallyFilled } = part?.orderCounts ?? NO_ORDERS;
    return {
      ...state,
      state: part !== null && !part.health.ready ? 'not ready' : state.state,
      ready: part?.health.ready === true,
      sessions: own.length,
      loggedOn: own.filter(({ status: { state: logged } }) => logged === 'loggedOn').length,
      openOrders: pendingNew + working + partiallyFilled,
      startedAt: part?.startedAt ?? null,
      epoch: place.epoch ?? null,
    };
  });
}
