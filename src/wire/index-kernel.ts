// Kernels that index ordinary frames: their memory, and the calls of the WebAssembly functions of kernel-code.ts. A kernel
// gives up on whatever is out of the ordinary, which field-index.ts then does its own way, and so does everything where
// WebAssembly is not to be had.

import { dataTagOf } from './data-field.ts';
import {
  BYTE_SETS,
  COUNT_BITS,
  FIELDS,
  KERNEL_BYTES,
  kernelModule,
  PLAN_FIELDS,
  PLANS,
  Place,
  Plan,
} from './kernel-code.ts';

const VECTOR_BYTES = 16;
/** Tags that are known; from the second on, a session's dictionaries may say that one announces data. */
const TAGS_END = 10_000;
const STANDARD_TAGS_END = 3000;
const COUNT_MASK = (1 << COUNT_BITS) - 1;

/** What the fields of a message are expected to be, in a kernel's memory. */
export interface KernelPlan {
  readonly kernel: IndexKernel;
  readonly address: number;
}

/** A field of a plan: its tag, and the {@link ValueKind}s of which its value must have one, or {@link LOOK_ONE_BYTE}. */
export interface PlannedField {
  readonly tag: number;
  readonly look: number;
  /** The single bytes that it may be, 32 bytes with a bit for each. */
  readonly byteSet: Uint8Array | null;
}

interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  index(begin: number, end: number, tagLimit: number): number;
  judge(begin: number, end: number, unused: number): number;
  judgeByPlan(from: number, count: number, plan: number): number;
}

/** What is needed of WebAssembly, which the language's own type definitions do not have. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** Indexes frames that lie in a memory of its own. */
export class IndexKernel {
  /** Where frames have to lie. */
  readonly frames: Buffer;
  /** By field, as long as the frame is the last one indexed: its tag, the first byte of its value, one past its last. */
  readonly tags: Int32Array<ArrayBuffer>;
  readonly starts: Int32Array<ArrayBuffer>;
  readonly ends: Int32Array<ArrayBuffer>;
  /** The same, once `judge` was called: a {@link ValueKind}. */
  readonly kinds: Uint8Array<ArrayBuffer>;
  /** Fields of the frame indexed last, BeginString first and CheckSum last. */
  fieldCount = 0;
  /** All of its memory. */
  private readonly memory: DataView;
  /** How many plans it holds, and which sets of bytes they share. */
  private plans = 0;
  private readonly byteSets = new Map<string, number>();
  private readonly functions: KernelExports;

  private constructor(functions: KernelExports) {
    const { buffer } = functions.memory;
    this.frames = Buffer.from(buffer, Place.Frame, KERNEL_BYTES);
    this.tags = new Int32Array(buffer, Place.Tags, FIELDS);
    this.starts = new Int32Array(buffer, Place.Starts, FIELDS);
    this.ends = new Int32Array(buffer, Place.Ends, FIELDS);
    this.kinds = new Uint8Array(buffer, Place.Kinds, FIELDS);
    new Uint8Array(buffer, Place.Mask, VECTOR_BYTES).fill(0xff);
    const special = new Uint8Array(buffer, Place.Special, TAGS_END);
    for (let tag = 0; tag < STANDARD_TAGS_END; tag++) if (dataTagOf(tag) !== 0) special[tag] = 1;
    this.memory = new DataView(buffer);
    this.functions = functions;
  }

  /** A kernel with 128 kB of memory; null where there is no WebAssembly, or no vectors, or no room in the address space. */
  static create(): IndexKernel | null {
    const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyApi };
    if (WebAssembly === undefined) return null;
    try {
      const module = new WebAssembly.Module(kernelModule());
      return new IndexKernel(new WebAssembly.Instance(module).exports as KernelExports);
    } catch {
      // Whatever the reason: frames are then indexed without it, in more time.
      return null;
    }
  }

  /**
   * Find and index the frame that begins at `begin` of `frames`, where the stream has bytes up to `end`; returns how many
   * bytes it has, or 0 if it is not whole yet, or anything is out of the ordinary: not a FIX.4.n or FIXT.1.1, a BodyLength
   * that leads nowhere, a malformed or a long tag, data, very many fields, a wrong CheckSum, no MsgType. `addsData`: a tag
   * from 3000 on may announce data.
   */
  index(begin: number, end: number, addsData: boolean): number {
    const found = this.functions.index(begin, end, addsData ? STANDARD_TAGS_END : TAGS_END);
    this.fieldCount = found & COUNT_MASK;
    return found >>> COUNT_BITS;
  }

  /** Note in `kinds` what the values of the first `count` fields of the frame indexed last are. */
  judge(count: number): void {
    this.functions.judge(0, count, 0);
  }

  /**
   * Room for a plan; null if there is none left. The plan belongs to this kernel and says nothing until {@link write}.
   */
  plan(): KernelPlan | null {
    if (this.plans === PLANS) return null;
    const address = Place.Plans + Plan.Bytes * this.plans++;
    return { kernel: this, address };
  }

  /** Note what a plan says from now on, by field; false if it has too many, or too many different sets of bytes. */
  write({ address }: KernelPlan, fields: readonly PlannedField[]): boolean {
    if (fields.length > PLAN_FIELDS) return false;
    const { memory } = this;
    for (const [i, { tag, look, byteSet }] of fields.entries()) {
      const place = byteSet === null ? 0 : this.byteSet(byteSet);
      if (place === -1) return false;
      memory.setInt32(address + Plan.Tags + 4 * i, tag, true);
      memory.setInt32(address + Plan.ByteSets + 4 * i, place, true);
      memory.setUint8(address + Plan.Looks + i, look);
    }
    return true;
  }

  /**
   * First of the `count` fields of the frame indexed last, from `from` on, whose value is not plainly what the plan says;
   * `count` if there is none, -1 if the fields have other tags.
   */
  judgeByPlan({ address }: KernelPlan, from: number, count: number): number {
    return this.functions.judgeByPlan(from, count, address);
  }

  /** Where the set of bytes lies, 32 bytes with a bit for each; -1 if there is no room. */
  private byteSet(bits: Uint8Array): number {
    const key = bits.join();
    const found = this.byteSets.get(key);
    if (found !== undefined) return found;
    if (this.byteSets.size === BYTE_SETS) return -1;
    const place = Place.ByteSets + bits.length * this.byteSets.size;
    new Uint8Array(this.memory.buffer, place, bits.length).set(bits);
    this.byteSets.set(key, place);
    return place;
  }
}
