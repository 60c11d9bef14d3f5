// Door of the wire room: bytes to frames to fields and back.

export {
  CHARSETS,
  type Charset,
  charsetNamed,
  decodeEchoes,
  decodeText,
  encodeLossy,
  encodeText,
  LATIN1,
} from './charset.ts';
export type { DataPair, GroupOutline, IndexedMessage } from './data-field.ts';
export { DataFields, lengthTagOf } from './data-field.ts';
export { MessageDraft } from './draft.ts';
export {
  ApplReportType,
  ApplReqType,
  ApplResponseError,
  ApplResponseType,
  ApplVerID,
  BidType,
  BusinessRejectReason,
  CashMargin,
  ContingencyType,
  CxlRejReason,
  CxlRejResponseTo,
  DKReason,
  EncryptMethod,
  ExecInst,
  ExecRestatementReason,
  ExecTransType,
  ExecType,
  HandlInst,
  LastLiquidityInd,
  ListExecInstType,
  ListOrderStatus,
  ListRejectReason,
  ListStatusType,
  MassCancelRejectReason,
  MassCancelRequestType,
  MassCancelResponse,
  MassStatusReqType,
  MatchType,
  MDBookType,
  MDEntryType,
  MDReqRejReason,
  MDUpdateAction,
  MDUpdateType,
  MiscFeeType,
  MsgDirection,
  OrdRejReason,
  OrdStatus,
  OrdType,
  PartyIDSource,
  PartyRole,
  SecurityIDSource,
  SecurityListRequestType,
  SecurityRequestResult,
  SecurityRequestType,
  SecurityResponseType,
  SecurityTradingStatus,
  SessionRejectReason,
  SessionStatus,
  Side,
  SubscriptionRequestType,
  TimeInForce,
  TradeCondition,
  TradSesEvent,
  TradSesStatus,
  UserRequestType,
  UserStatus,
} from './enumerations.ts';
export { isOfBody } from './field-bytes.ts';
export type { FrameHeader } from './frame-writer.ts';
export { FrameWriter } from './frame-writer.ts';
export type { FrameResult, FramerLimits, GarbledNotice } from './framer.ts';
export { Framer, isTls, viewOf } from './framer.ts';
export { GroupEntry } from './group-entry.ts';
export { lateFrame } from './late-frame.ts';
export { MessageView } from './message-view.ts';
export { MsgType } from './msg-type.ts';
export { ORDER_REQUESTS } from './order-requests.ts';
export { fromPrintable, toPrintable, toRedacted } from './printable.ts';
export { acceptedClOrdID, answerExecID, isStatusReport, refusesRepetition } from './report-subject.ts';
export { resendFrame } from './resend.ts';
export { isSecretTag, maskSecrets, maskShown } from './secrets.ts';
export { Tag } from './tag.ts';
