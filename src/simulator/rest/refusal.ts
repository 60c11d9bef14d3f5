// Answers that say no: HTTP status and the documented body {message, errorCode, errorCodeName} (exchange reference §5).

/** Thrown by a request handler to answer with an error body; never a failure of this program. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly httpStatus: number;
  readonly errorCode: number;
  readonly errorCodeName: string;

  constructor(httpStatus: number, errorCode: number, errorCodeName: string, message: string) {
    super(message);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
    this.errorCodeName = errorCodeName;
  }

  body(): Readonly<Record<string, unknown>> {
    return { message: this.message, errorCode: this.errorCode, errorCodeName: this.errorCodeName };
  }
}

/** The other shape of an error body, seen for parameters in the query: a type and no code (exchange reference §5). */
export class InvalidParameter extends Refusal {
  constructor(message: string) {
    super(400, 8175, 'REQUEST_VALIDATION_ERROR', `HTTP_INVALID_PARAMETER: ${message}`);
  }

  override body(): Readonly<Record<string, unknown>> {
    return { type: 'HttpInvalidParameterException', message: this.message };
  }
}

export const unauthorized = (): Refusal =>
  new Refusal(401, 401, 'UNAUTHORIZED', 'Unable to authenticate; JWT is missing, invalid or ended');

export const missingSignature = (): Refusal =>
  new Refusal(400, 6029, 'MISSING_SIGNATURE_HEADER', 'Missing signature header');

/** A header or field that is missing or malformed; the code is that of login bodies (**assumed** elsewhere). */
export const invalidRequest = (message: string): Refusal => new Refusal(400, 8175, 'REQUEST_VALIDATION_ERROR', message);

/** The code is a reason code: answers of commands are not captured anywhere (**assumed**). */
export const invalidNonce = (message: string): Refusal => new Refusal(400, 2035, 'INVALID_NONCE', message);

export const invalidSignature = (message: string): Refusal => new Refusal(400, 8008, 'INVALID_SIGNATURE', message);

/** The status 403 is **assumed**. */
export const unauthorizedCommand = (message: string): Refusal =>
  new Refusal(403, 6105, 'UNAUTHORIZED_COMMAND', message);

export const notFound = (message: string): Refusal => new Refusal(404, 404, 'NOT_FOUND', message);

export const invalidMarketSymbol = (symbol: string): Refusal =>
  new Refusal(400, 21000, 'INVALID_MARKET_SYMBOL', `'${symbol}' is not a valid market symbol`);
