// Statements of an acceptor about a call auction: the phase in Text(58) of this gateway's f, h, 8 and 9, or a
// SecurityTradingStatus(326) of FIX.5.0. Leaves waiting for a phase to auction-watch.ts.

import { type EpochMs, parseUtcTimestamp } from '../../base/time.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';

/** `open`: it takes orders and gives them back; `lockdown`: it gives none back; `closed`: none is running. */
export type AuctionStage = 'open' | 'lockdown' | 'cross' | 'closed';

export interface AuctionNews {
  readonly stage: AuctionStage;
  /** Null where the acceptor does not name it. */
  readonly auctionID: string | null;
  readonly crossAt: EpochMs | null;
}

const PHASE = /\bAuction (\S+) of .+? is in phase ([A-Z]+)\b/;
const POSTPONED = /\bAuction (\S+) of .+?: its cross is postponed\b/;
const REFUSING_PHASE = /: phase ([A-Z]+) takes no new auction orders\b/;
const NONE_RUNNING = /\bno (?:active )?auction\b|\(exchange (?:code|reason) 3082\)/i;
const CROSS_AT = /\bcross at (\d{8}-\d\d:\d\d:\d\d(?:\.\d+)?)/;

const STAGES: Readonly<Record<string, AuctionStage>> = {
  COOLING: 'closed',
  ACCUMULATION: 'open',
  LOCKDOWN: 'lockdown',
  CROSS: 'cross',
};
/** SecurityTradingStatus(326): ready, pre-cross, cross, no cancel. */
const BY_STATUS: Readonly<Record<string, AuctionStage>> = {
  '17': 'closed',
  '24': 'open',
  '25': 'cross',
  '27': 'lockdown',
};

/** State of a symbol's auction by a SecurityStatus(f); null if it says nothing of auctions. */
export function newsOfStatus(view: MessageView): AuctionNews | null {
  const said = saidIn(view.string(Tag.Text) ?? '');
  if (said !== null) return said;
  const stage = BY_STATUS[view.string(Tag.SecurityTradingStatus) ?? ''];
  return stage === undefined ? null : { stage, auctionID: null, crossAt: null };
}

function saidIn(text: string): AuctionNews | null {
  const [, auctionID, phase] = PHASE.exec(text) ?? [];
  const stage = STAGES[phase ?? ''];
  if (auctionID !== undefined && stage !== undefined) {
    const [, crossing] = CROSS_AT.exec(text) ?? [];
    return { stage, auctionID, crossAt: crossing === undefined ? null : parseUtcTimestamp(crossing) };
  }
  const [, postponed] = POSTPONED.exec(text) ?? [];
  return postponed === undefined ? null : { stage: 'lockdown', auctionID: postponed, crossAt: null };
}

/** The stage that a refusal gives as its reason, in Text(58) or RejectText(1328); null if it gives another one. */
export function stageOfRefusal(view: MessageView): AuctionStage | null {
  for (const tag of [Tag.Text, Tag.RejectText]) {
    const text = view.string(tag) ?? '';
    const phase = PHASE.exec(text)?.[2] ?? REFUSING_PHASE.exec(text)?.[1] ?? '';
    const stage = STAGES[phase];
    if (stage !== undefined) return stage;
    if (NONE_RUNNING.test(text)) return 'closed';
  }
  return null;
}
