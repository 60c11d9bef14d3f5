// Which fields carry raw data, and which Length field announces each: the one place where the wire knows that a value
// may contain SOH (FIX 4.4 vol. 1, data type `data`). The standard's are known here; those that users define among
// themselves come from the dictionaries of a session. Leaves everything else about types to the dictionary.

/** A Length field and the data field that it announces. */
export type DataPair = readonly [lengthTag: number, dataTag: number];

/** Every pair of FIX.4.0 to FIX.5.0SP2 with its extension packs, all below 3000. */
const PAIRS: readonly DataPair[] = [
  [90, 91],
  [93, 89],
  [95, 96],
  [212, 213],
  [348, 349],
  [350, 351],
  [352, 353],
  [354, 355],
  [356, 357],
  [358, 359],
  [360, 361],
  [362, 363],
  [364, 365],
  [445, 446],
  [618, 619],
  [621, 622],
  [1184, 1185],
  [1277, 1278],
  [1280, 1281],
  [1282, 1283],
  [1397, 1398],
  [1401, 1402],
  [1403, 1404],
  [1468, 1469],
  [1525, 1527],
  [1578, 1579],
  [1620, 1621],
  [1664, 1665],
  [1678, 1697],
  [1733, 1734],
  [1871, 1872],
  [1874, 1875],
  [2072, 2073],
  [2074, 2075],
  [2111, 2112],
  [2179, 2180],
  [2287, 2288],
  [2351, 2352],
  [2372, 2371],
  [2481, 2482],
  [2494, 2493],
  [2522, 2521],
  [2637, 2638],
  [2651, 2652],
  [2665, 2666],
  [2715, 2716],
  [2718, 2719],
  [2721, 2722],
  [2797, 2798],
  [2802, 2801],
  [2809, 2808],
  [2815, 2814],
];

/** From this tag on, pairs are those of a dictionary. */
const STANDARD_TAG_END = 3000;

/** A Length field and the SOH on both of its sides; what is longer is none. */
const LENGTH_FIELD_BYTES_MAX = 24;

const dataTagByLengthTag = new Uint16Array(STANDARD_TAG_END);
for (const [lengthTag, dataTag] of PAIRS) dataTagByLengthTag[lengthTag] = dataTag;

/** The data tag that this Length tag of the standard announces, or 0. */
export function dataTagOf(lengthTag: number): number {
  return lengthTag < STANDARD_TAG_END ? dataTagByLengthTag[lengthTag]! : 0;
}

/** The Length tag of the standard that announces this data tag, or 0. */
export function lengthTagOf(dataTag: number): number {
  return PAIRS.find(([, data]) => data === dataTag)?.[0] ?? 0;
}

/** The fields of an indexed message, as far as an outline of its groups needs them. */
export interface IndexedMessage {
  readonly tags: Int32Array;
  readonly fieldCount: number;
  intAt(i: number): number;
  stringAt(i: number): string;
}

/** Finds the fields of a message that stand in repeating groups, by the session's dictionaries (rule S13). */
export interface GroupOutline {
  /** By field, the number of groups that it stands in; null if the message opens none. */
  depthsOf(message: IndexedMessage): Uint8Array | null;
}

const NO_TAGS: ReadonlySet<number> = new Set();

/** The data fields of one session: the standard's, and what its dictionaries add from tag 3000 on. Immutable. */
export class DataFields {
  /** Without any dictionary's. */
  static readonly STANDARD = new DataFields([]);
  /** Data tag by Length tag, from 3000 on. */
  private readonly added: ReadonlyMap<number, number>;
  /** Null where no dictionary is at hand: then every field counts as the message's own. */
  readonly outline: GroupOutline | null;
  /** Further tags with values that a session holds secret: masked wherever a message is shown. */
  readonly secretTags: ReadonlySet<number>;

  /** Pairs with a Length tag below 3000 belong to the standard and are left out. */
  constructor(
    pairs: readonly DataPair[],
    outline: GroupOutline | null = null,
    secretTags: ReadonlySet<number> = NO_TAGS,
  ) {
    this.outline = outline;
    this.secretTags = secretTags;
    this.added = new Map(pairs.filter(([lengthTag]) => lengthTag >= STANDARD_TAG_END));
  }

  /** The same fields, these tags being secret too; without a tag the same object. */
  withSecrets(tags: Iterable<number>): DataFields {
    const secretTags = new Set(tags);
    if (secretTags.size === 0 && this.secretTags.size === 0) return this;
    return new DataFields(this.pairs, this.outline, secretTags);
  }

  /** The pairs that the standard does not have. */
  get pairs(): readonly DataPair[] {
    return [...this.added];
  }

  /** Whether Length tags from 3000 on may announce data. */
  get addsAny(): boolean {
    return this.added.size > 0;
  }

  /** The data tag that this Length tag announces, or 0. */
  dataTagOf(lengthTag: number): number {
    return lengthTag < STANDARD_TAG_END ? dataTagOf(lengthTag) : (this.added.get(lengthTag) ?? 0);
  }

  /** The Length tag that announces this data tag, or 0. */
  lengthTagOf(dataTag: number): number {
    for (const [lengthTag, data] of this.added) if (data === dataTag) return lengthTag;
    return lengthTagOf(dataTag);
  }

  /** Whether the field before `end`, among fields from `start` on, is the Length field of data with this tag and so many bytes. */
  announces(bytes: Buffer, start: number, end: number, dataTag: number, length: number): boolean {
    const before = bytes.toString('latin1', Math.max(start, end - LENGTH_FIELD_BYTES_MAX), end - 1);
    const [, tag, value] = /^([1-9]\d{0,8})=(\d{1,9})$/.exec(before.slice(before.lastIndexOf('\u0001') + 1)) ?? [];
    return tag !== undefined && this.dataTagOf(Number(tag)) === dataTag && Number(value) === length;
  }
}
