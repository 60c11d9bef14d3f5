// All measurements that the console plots from memory, started and stopped together.

import type { Administration } from '../../administration/mod.ts';
import { AuctionRing } from './auction-ring.ts';
import { PlotRing } from './plot-ring.ts';
import { SessionRing } from './session-ring.ts';

export class ConsolePlots {
  readonly gateway: PlotRing;
  readonly sessions: SessionRing;
  readonly auctions: AuctionRing;

  constructor(administration: Administration) {
    this.gateway = new PlotRing(administration);
    this.sessions = new SessionRing(administration);
    this.auctions = new AuctionRing(administration);
  }

  close(): void {
    this.gateway.close();
    this.sessions.close();
    this.auctions.close();
  }
}
