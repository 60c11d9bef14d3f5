// Days that once failed, shrunk: each is run again on every test run. The campaign adds a line for every new one
// (`npm run nightly -- simulation`). A change of the simulation gives an old seed another day; the line then only costs
// its run, and the rule that was broken has a test of its own besides.

import type { Fault } from './randomness.ts';

export interface KeptSeed {
  readonly seed: number;
  readonly steps: number;
  readonly without: readonly Fault[];
  /** What did not hold. */
  readonly what: string;
}

export const KEPT_SEEDS: readonly KeptSeed[] = [
  // A read of the journal failed and what a reset owed was never sent again (S2).
  {
    seed: 3,
    steps: 5000,
    without: ['frameTorn', 'linkSilent', 'kill', 'powerLoss', 'tornTail', 'slowSync', 'commandLost', 'answerLost'],
    what: 'fills of before a reset were not reported',
  },
  // Two resets while the disk was slow: what waited for it was of two series before.
  {
    seed: 5000260,
    steps: 3084,
    without: ['frameTorn', 'linkSilent', 'kill', 'powerLoss', 'tornTail', 'failedRead', 'commandLost', 'lateFill'],
    what: 'a report of two series before was taken for one that is not durable',
  },
  // The cross of the last auction fell behind the last comparison.
  {
    seed: 5000341,
    steps: 5000,
    without: ['frameTorn', 'powerLoss', 'tornTail', 'failedSync', 'diskFull', 'slowSync', 'streamCut', 'lateFill'],
    what: 'a fill of the cross was not reported yet',
  },
  // An OMS asked again while the resend waited for a full disk: what was held behind it was resent and then sent, unmarked.
  {
    seed: 5005072,
    steps: 5000,
    without: [],
    what: 'MsgSeqNum(34) went back behind a resend that was asked for twice',
  },
];
