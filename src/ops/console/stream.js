// @ts-check
// The live data of the page by one stream of the gateway: opened anew when the choice changes, when it breaks, and when the page is seen
// again. The token travels in a header, so the stream is read by fetch.
import * as api from './api.js';

const AGAIN_MS = 1000;
/** A choice that follows another one so soon replaces it, as the letters of a word do. */
const TYPING_MS = 150;
/** The gateway says something every second. */
const SILENT_MS = 10_000;

/**
 * @typedef {object} Piece
 * @property {api.Reader} [reader] who reads, once
 * @property {Partial<api.Overview> & { gone?: string[] }} overview what changed of it; of the sessions the changed ones
 * @property {{ orders: api.ListedOrder[], more: boolean }} [found]
 * @property {api.OrderSnapshot | null} [order]
 * @property {import('../metrics/order-hops.ts').Hops | null} [hops] of the chosen order
 * @property {api.DecodedMessage[]} [messages] those that are new
 * @property {import('../../certification/mod.ts').DeskView | null} [desk]
 */

/**
 * @typedef {object} Listener
 * @property {() => void} onOpen the pieces that follow are whole
 * @property {(piece: Piece) => void} onPiece
 * @property {(error: unknown) => void} onLost it is tried again by itself
 */

export class LiveStream {
  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
    this.query = '';
    /** @type {AbortController | null} */
    this.current = null;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Follow this choice from now on. @param {string} query */
  follow(query) {
    if ((this.current !== null || this.timer !== undefined) && this.query === query) return;
    const isTyping = this.current !== null;
    this.query = query;
    this.close();
    if (isTyping) this.timer = window.setTimeout(() => void this.#read(), TYPING_MS);
    else void this.#read();
  }

  close() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.current?.abort();
    this.current = null;
  }

  async #read() {
    const control = new AbortController();
    this.timer = undefined;
    this.current = control;
    const isStill = () => this.current === control;
    try {
      await this.#pieces(control, isStill);
      if (isStill()) throw new Error('the stream ended');
    } catch (error) {
      if (!isStill()) return;
      this.current = null;
      control.abort();
      this.timer = window.setTimeout(() => void this.#read(), AGAIN_MS);
      this.listener.onLost(error);
    }
  }

  /** @param {AbortController} control @param {() => boolean} isStill */
  async #pieces(control, isStill) {
    const token = api.token();
    let silent = setTimeout(() => control.abort(new Error('silent')), SILENT_MS);
    try {
      const response = await api.ask(`/api/stream?${this.query}`, { signal: control.signal });
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      const decoder = new TextDecoder();
      let text = '';
      let isFirst = true;
      for (;;) {
        const { done, value } = await reader.read();
        if (done || !isStill() || !api.isStill(token)) return;
        clearTimeout(silent);
        silent = setTimeout(() => control.abort(new Error('silent')), SILENT_MS);
        text += decoder.decode(value, { stream: true });
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        if (isFirst && events.length > 0) this.listener.onOpen();
        isFirst &&= events.length === 0;
        for (const event of events) this.listener.onPiece(JSON.parse(event.replace(/^data: /, '')));
      }
    } finally {
      clearTimeout(silent);
    }
  }
}
