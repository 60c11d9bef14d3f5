// Which fields carry raw data, and which Length field announces each: the one place where the wire knows that a value
// may contain SOH (FIX 4.4 vol. 1, data type `data`). Leaves everything else about types to the dictionary.

/** Length tag and data tag, in pairs. */
const PAIRS: readonly (readonly [lengthTag: number, dataTag: number])[] = [
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
  [1400, 1401],
  [1402, 1404],
  [1525, 1526],
  [1527, 1528],
  [1620, 1621],
];

/** Tags from here on announce no data field. */
const LENGTH_TAG_END = 2048;

const dataTagByLengthTag = new Uint16Array(LENGTH_TAG_END);
const lengthTagByDataTag = new Uint16Array(LENGTH_TAG_END);
for (const [lengthTag, dataTag] of PAIRS) {
  dataTagByLengthTag[lengthTag] = dataTag;
  lengthTagByDataTag[dataTag] = lengthTag;
}

/** The data tag that this Length tag announces, or 0. */
export function dataTagOf(lengthTag: number): number {
  return lengthTag < LENGTH_TAG_END ? dataTagByLengthTag[lengthTag]! : 0;
}

/** Whether this tag's value is data and may contain SOH. */
export function isDataTag(tag: number): boolean {
  return tag < LENGTH_TAG_END && lengthTagByDataTag[tag] !== 0;
}
