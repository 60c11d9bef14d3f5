// Two session machines, acceptor and initiator, over a randomly cut link with random traffic and killed processes.
// Every application message arrives once and in order, numbers never go back, and traffic comes to rest.

import process from 'node:process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageDraft, MsgType, Tag, viewOf } from '../../../src/wire/mod.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { MachineDriver, RESET } from '../../support/session/session-machine.ts';

/** Of a test that does nothing but compute, on a machine that others keep busy; a campaign takes its time. */
const PATIENCE_MS = process.env.CROSSGATE_RUNS === undefined ? 120_000 : 0;

type Side = 0 | 1;

type Act =
  | { readonly kind: 'send'; readonly side: Side; readonly count: number }
  | { readonly kind: 'carry'; readonly side: Side; readonly frames: number }
  | { readonly kind: 'cut' }
  | { readonly kind: 'garble'; readonly side: Side }
  | { readonly kind: 'kill'; readonly side: Side }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'journal'; readonly side: Side; readonly hold: boolean }
  | { readonly kind: 'reset' }
  | { readonly kind: 'resetWithin'; readonly side: Side };

const side = fc.constantFrom<Side>(0, 1);
const plainAct = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('send' as const), side, count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('carry' as const), side, frames: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('garble' as const), side }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), side }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('journal' as const), side, hold: fc.boolean() }) },
);
const limits = fc.record({
  gapQueueMax: fc.constantFrom(0, 1, 3, 100),
  resendLoadChunk: fc.constantFrom(1, 4, 100),
  resendRequestChunk: fc.constantFrom(0, 1, 3),
  closedResendRequests: fc.boolean(),
  sendsNextExpectedMsgSeqNum: fc.boolean(),
  sendsLastMsgSeqNumProcessed: fc.boolean(),
});

/** Acceptor (0) and initiator (1), the frames in flight each way, and what each application was given. */
class Link {
  readonly machines: readonly [MachineDriver, MachineDriver];
  /** Frames on their way to a side. */
  readonly inFlight: [Uint8Array[], Uint8Array[]] = [[], []];
  readonly sent: [string[], string[]] = [[], []];
  readonly delivered: [string[], string[]] = [[], []];
  readonly possResends = new Set<string>();
  frames = 0;
  #up = false;

  constructor(config: object) {
    this.machines = [
      new MachineDriver({ config }),
      new MachineDriver({
        config: {
          ...config,
          role: 'initiator',
          senderCompID: 'OMS',
          targetCompID: 'XGATE',
          sessionId: 'FIX.4.4:OMS->XGATE',
        },
      }),
    ];
  }

  act(act: Act): void {
    switch (act.kind) {
      case 'send':
        for (let i = 0; i < act.count; i++) this.send(act.side);
        break;
      case 'carry':
        this.connect();
        this.carry(act.side, act.frames);
        break;
      case 'cut':
        this.cut();
        break;
      case 'garble':
        this.garble(act.side);
        break;
      case 'kill':
        this.cut();
        this.machines[act.side].restart();
        break;
      case 'wait':
        for (const machine of this.machines) machine.wait(act.ms);
        this.collect();
        break;
      case 'journal':
        if (act.hold) this.machines[act.side].holdJournal = true;
        else this.machines[act.side].release();
        this.collect();
        break;
      case 'reset':
        this.cut();
        this.machines[1].input(RESET);
        break;
      case 'resetWithin':
        if (this.machines[act.side].session.loggedOn) this.machines[act.side].input({ ...RESET, within: true });
        this.collect();
    }
  }

  send(from: Side): void {
    const id = `${from}-${this.sent[from].length}`;
    this.sent[from].push(id);
    const draft = new MessageDraft(from === 0 ? MsgType.ExecutionReport : MsgType.NewOrderSingle);
    this.machines[from].input({ kind: 'send', draft: draft.add(Tag.ClOrdID, id) });
    this.collect();
  }

  connect(): void {
    if (this.#up) return;
    this.#up = true;
    this.machines[0].connect();
    this.machines[1].connect();
    this.collect();
  }

  cut(): void {
    if (!this.#up) return;
    this.#up = false;
    this.inFlight[0].length = 0;
    this.inFlight[1].length = 0;
    for (const machine of this.machines) if (machine.connected) machine.cut();
    this.collect();
  }

  carry(to: Side, frames: number): void {
    for (let i = 0; i < frames && this.#up; i++) {
      const raw = this.inFlight[to].shift();
      if (raw === undefined) return;
      this.machines[to].receive(Buffer.from(raw));
      this.collect();
    }
  }

  /** The next frame on its way to a side arrives with a wrong CheckSum(10). */
  garble(to: Side): void {
    const raw = this.inFlight[to].shift();
    if (raw === undefined) return;
    const garbled = Buffer.from(raw);
    const last = garbled.length - 2;
    garbled[last] = garbled[last] === 0x30 ? 0x31 : 0x30;
    this.inFlight[to].unshift(garbled);
  }

  /** Carry everything there is until nothing moves. */
  settle(): void {
    for (const machine of this.machines) machine.release();
    this.collect();
    for (let round = 0; this.inFlight[0].length + this.inFlight[1].length > 0; round++) {
      expect(round, 'traffic comes to rest').toBeLessThan(10_000);
      this.carry(0, 1);
      this.carry(1, 1);
    }
  }

  collect(): void {
    for (const from of [0, 1] as const) {
      for (const outcome of this.machines[from].outcomes.splice(0)) {
        if (outcome.kind === 'transmit') {
          this.frames++;
          if (this.#up) this.inFlight[from === 0 ? 1 : 0].push(outcome.raw);
        } else if (outcome.kind === 'deliver') {
          const view = viewOf(outcome.raw)!;
          const id = view.string(Tag.ClOrdID)!;
          this.delivered[from].push(id);
          if (view.boolean(Tag.PossResend) === true) this.possResends.add(`${id}#${this.delivered[from].length}`);
        } else this.cut();
      }
    }
  }
}

test('over a cutting link every message is delivered once and in order, and traffic comes to rest', {
  timeout: PATIENCE_MS,
}, () => {
  checkProperty(
    fc.property(limits, fc.array(plainAct, { minLength: 1, maxLength: 80 }), (config, acts) => {
      const link = new Link(config);
      for (const act of acts) link.act(act);
      link.settle();
      link.cut();
      link.connect();
      const before = link.frames;
      link.settle();
      // A heartbeat each reveals what a lost tail hides, then nothing is left to do.
      for (let i = 0; i < 3; i++) {
        link.act({ kind: 'wait', ms: 30_000 });
        link.settle();
      }
      expect(link.delivered[1]).toEqual(link.sent[0]);
      expect(link.delivered[0]).toEqual(link.sent[1]);
      const [acceptor, initiator] = link.machines.map((machine) => machine.session.numbers);
      expect(acceptor!.nextTargetMsgSeqNum).toBe(initiator!.nextSenderMsgSeqNum);
      expect(initiator!.nextTargetMsgSeqNum).toBe(acceptor!.nextSenderMsgSeqNum);
      // Recovery costs at most a few frames for each number that may be missing, with one number to a request.
      const numbers = acceptor!.nextSenderMsgSeqNum + initiator!.nextSenderMsgSeqNum;
      expect(link.frames - before).toBeLessThan(8 * numbers + 100);
    }),
    400,
  );
});

test('S2 delivers every report in order over resets, twice only with 97=Y', {
  timeout: PATIENCE_MS,
}, () => {
  const act = fc.oneof(
    { weight: 12, arbitrary: plainAct },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('resetWithin' as const), side }) },
  );
  const withResets = fc.array(act, { minLength: 1, maxLength: 60 });
  checkProperty(
    fc.property(limits, withResets, ({ resendLoadChunk }, acts) => {
      const link = new Link({ resendLoadChunk });
      for (const a of acts) if (!(a.kind === 'send' && a.side === 1)) link.act(a);
      link.cut();
      link.connect();
      link.settle();
      for (let i = 0; i < 3; i++) {
        link.act({ kind: 'wait', ms: 30_000 });
        link.settle();
      }
      expect([...new Set(link.delivered[1])]).toEqual(link.sent[0]);
      const seen = new Set<string>();
      link.delivered[1].forEach((id, i) => {
        if (seen.has(id)) expect(link.possResends.has(`${id}#${i + 1}`), `${id} again without 97=Y`).toBe(true);
        seen.add(id);
      });
    }),
    300,
  );
});
