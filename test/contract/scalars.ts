// Scalar types of the exchange's JSON and the two ways in which objects are put together (exchange catalogue, Appendix
// B). order-schemas.ts, market-schemas.ts, account-schemas.ts and negotiated-schemas.ts describe objects.

import { type TSchema, Type } from 'typebox';

/** An object that has exactly these fields; `optional` ones may be absent, nothing else may be there. */
export function exactly(required: Record<string, TSchema>, optional: Record<string, TSchema> = {}): TSchema {
  const absent = Object.fromEntries(Object.entries(optional).map(([name, schema]) => [name, Type.Optional(schema)]));
  return Type.Object({ ...required, ...absent }, { additionalProperties: false });
}

/** A field that is written as null where there is nothing to say. */
export const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
export const oneOf = (...words: string[]): TSchema => Type.Union(words.map((word) => Type.Literal(word)));
export const listOf = (schema: TSchema): TSchema => Type.Array(schema);

/** Decimal text with digits on both sides of the point, or whole. */
export const Amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' });
/** An id of the exchange: digits only. */
export const Id = Type.String({ pattern: '^\\d{1,20}$' });
export const AccountId = Type.String({ pattern: '^111\\d{12}$' });
export const MarketSymbol = Type.String({ pattern: '^[A-Z]+(-[A-Z]+-(PERP|\\d{8}(-\\d+-[CP])?))?$' });
export const AssetSymbol = Type.String({ pattern: '^[A-Z]{3,5}$' });
export const DateTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
/** Milliseconds since the epoch, as text. */
export const Timestamp = Type.String({ pattern: '^\\d{13}$' });
export const Text = Type.String();
export const Word = Type.String({ minLength: 1 });
export const Hex = Type.String({ pattern: '^[0-9a-fA-F]+$' });
export const Flag = Type.Boolean();
/** A boolean that the exchange writes as text. */
export const FlagText = oneOf('true', 'false');
export const Whole = Type.Integer();
export const Side = oneOf('BUY', 'SELL');
export const OrderType = oneOf('LMT', 'MKT', 'STOP_LIMIT', 'POST_ONLY');
export const TimeInForce = oneOf('GTC', 'FOK', 'IOC', 'GTX');
export const OrderStatus = oneOf('OPEN', 'CLOSED', 'CANCELLED', 'REJECTED');
export const OptionType = oneOf('CALL', 'PUT');

/** A time in the two forms that objects have it in. */
export const moment = (name: 'createdAt' | 'updatedAt' | 'expire'): Record<string, TSchema> => ({
  [`${name}Datetime`]: DateTime,
  [`${name}Timestamp`]: Timestamp,
});

/** Content of every refusal (exchange reference §5). */
export const ErrorBody = exactly({ message: Word, errorCode: Whole, errorCodeName: Word });
