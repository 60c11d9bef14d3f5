// The house's end of a connection in virtual time, as the FIX acceptor holds it: frames, the session that the Logon names, and
// the proof that what is sent was kept before. The house itself is in house.ts.

import { assert } from '../../src/base/assert.ts';
import type { SessionSlot } from '../../src/engine/sessions/session-slot.ts';
import type { Authentication } from '../../src/session/mod.ts';
import { Framer, type MessageView, MsgType, Tag } from '../../src/wire/mod.ts';
import type { House } from './house.ts';
import type { Link } from './link.ts';
import { numberOf } from './message-text.ts';

const FRAMER_LIMITS = { frameBytesMax: 100_000, fieldsMax: 1_000 };

/** Unbound until its Logon names a session. */
export class HouseEnd {
  readonly #house: House;
  readonly #link: Link;
  readonly #framer = new Framer(FRAMER_LIMITS);
  #slot: SessionSlot | null = null;
  #ended = false;
  #paused = false;
  #waiting: Buffer[] = [];

  constructor(house: House, link: Link) {
    this.#house = house;
    this.#link = link;
    link.house.onBytes = (bytes) => this.#received(bytes);
    link.house.onClose = () => this.#closed();
  }

  #received(bytes: Buffer): void {
    if (!this.#house.life.alive || this.#ended) return;
    if (this.#paused) {
      this.#waiting.push(bytes);
      return;
    }
    this.#framer.push(bytes);
    for (let result = this.#framer.next(); result !== null && !this.#ended; result = this.#framer.next()) {
      assert(result.kind === 'message', 'a cut link tears frames but never garbles them');
      if (this.#slot === null) this.#firstMessage(result.view);
      else this.#message(this.#slot, result.view);
    }
  }

  #message(slot: SessionSlot, view: MessageView): void {
    const authentication: Authentication = { kind: view.msgType === MsgType.Logon ? 'accepted' : 'notLogon' };
    this.#house.dispatcher.sessionInput(slot, { kind: 'message', view, authentication });
  }

  #firstMessage(view: MessageView): void {
    const sessionId = `${view.beginString}:${view.string(Tag.TargetCompID)}->${view.string(Tag.SenderCompID)}`;
    const slot = this.#house.dispatcher.slots.get(sessionId);
    assert(slot !== undefined && view.msgType === MsgType.Logon, 'a counterparty begins with its own Logon');
    const { state } = slot.machine.status;
    if (slot.wire !== null && (state === 'logoutReceived' || state === 'closing')) {
      for (const end of [...this.#house.ends]) if (end.#slot === slot) end.drop();
    }
    if (slot.wire !== null) {
      this.drop();
      return;
    }
    this.#slot = slot;
    slot.wire = { send: (bytes) => this.#send(slot, bytes), close: () => this.#close() };
    this.#house.dispatcher.sessionInput(slot, { kind: 'connected', remote: 'simulated' });
    this.#message(slot, view);
  }

  /** Persist before transmit: whatever crash comes next, a number that was sent is known. */
  #send(slot: SessionSlot, bytes: Uint8Array): void {
    const { disk, durability } = this.#house.ground;
    const { series } = slot.machine.numbers;
    const { msgSeqNum, possDup } = numberOf(bytes);
    assert(msgSeqNum >= 1, 'what is sent has a number');
    let kept = possDup;
    // It may have waited for a slow disk while numbers began again, more than once: then it is an older series that has it.
    for (let of = series; of > 0 && !kept; of--) {
      kept = disk.holdsMessage(slot.sessionId, of, msgSeqNum, { bytes, durability });
    }
    assert(kept, `MsgSeqNum(34)=${msgSeqNum} of ${slot.sessionId} is durable before it is transmitted`);
    this.#link.send('toOms', bytes);
  }

  #close(): void {
    this.#link.close('house');
    this.#house.ground.scheduler.after(1, () => this.#closed(), this.#house.life);
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    if (paused) return;
    for (const bytes of this.#waiting.splice(0)) this.#received(bytes);
  }

  drop(): void {
    this.#link.close('house');
    this.#closed();
  }

  #closed(): void {
    if (this.#ended || !this.#house.life.alive) return;
    this.#ended = true;
    this.#house.ends.delete(this);
    const slot = this.#slot;
    if (slot === null) return;
    slot.wire = null;
    this.#house.dispatcher.sessionInput(slot, { kind: 'disconnected' });
  }
}
