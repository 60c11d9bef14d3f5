// Which decision each type of application message of an OMS is brought to, and which versions carry it (rule D2). Leaves every
// decision to the file named after it, and when a message is taken to gateway.ts.

import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import { handleMarketDataRequest } from './market-data/market-data.ts';
import { handleSecurityStatusRequest, handleTradingSessionStatusRequest } from './market-data/security-status.ts';
import { handleCollateralInquiry } from './positions/collateral-inquiry.ts';
import { handleRequestForPositions } from './positions/position-request.ts';
import { handleMmpRequest } from './protection/mmp-request.ts';
import { handleSecurityDefinitionRequest } from './reference-data/security-definition.ts';
import { handleSecurityListRequest } from './reference-data/security-list.ts';
import { handleDropCopyRequest, refuseOrderMessage } from './reports/drop-copy.ts';
import { handleDontKnowTrade, handleUnsupported, rejectBusiness } from './reports/unsupported-message.ts';
import type { InboundMessage } from './requests/inbound-message.ts';
import { handleMassCancel } from './requests/mass-cancel.ts';
import { handleNewOrder } from './requests/new-order.ts';
import { handleNewOrderList } from './requests/new-order-list.ts';
import { handleReplaceRequest } from './requests/order-replace.ts';
import { handleMassStatusRequest, handleStatusRequest } from './requests/status-request.ts';
import { handleCancel } from './requests/throttled-message.ts';
import { nameOf } from './rules/order-fields.ts';
import { requestIDProblem } from './rules/request-ids.ts';
import { handleBridgeRequest } from './services/bridge-request.ts';
import { handleLimitsRequest } from './services/limits-request.ts';
import { handleUserRequest } from './services/user-request.ts';
import type { SessionState } from './state/session-state.ts';
import type { Turn } from './state/state.ts';
import { handleReportRecovery } from './trades/report-recovery.ts';
import { handleTradeEntry } from './trades/trade-entry.ts';
import { handleTradeCaptureReportRequest } from './trades/trade-request.ts';

/** Take a message. */
export function handleMessage(inbound: InboundMessage): void {
  const { turn, session, view } = inbound;
  if (refuseOrderMessage(turn, session, view)) return;
  switch (view.msgType) {
    case MsgType.NewOrderSingle:
      handleNewOrder(inbound);
      break;
    case MsgType.NewOrderList:
      handleNewOrderList(inbound);
      break;
    case MsgType.OrderCancelRequest:
      handleCancel(inbound);
      break;
    case MsgType.OrderCancelReplaceRequest:
      handleReplaceRequest(inbound);
      break;
    case MsgType.OrderMassCancelRequest:
      ifCarried(turn, session, view, () => handleMassCancel(inbound));
      break;
    case MsgType.OrderStatusRequest:
      handleStatusRequest(turn, session, view);
      break;
    case MsgType.OrderMassStatusRequest:
      ifCarried(turn, session, view, () => {
        const problem = handleMassStatusRequest(turn, session, view);
        if (problem !== null) rejectBusiness(turn, session, view, '0', problem);
      });
      break;
    case MsgType.SecurityListRequest:
      ifCarried(turn, session, view, () => {
        if (isAnswerable(turn, session, view, Tag.SecurityReqID)) handleSecurityListRequest(turn, session, view);
      });
      break;
    case MsgType.SecurityDefinitionRequest:
      if (isAnswerable(turn, session, view, Tag.SecurityReqID)) handleSecurityDefinitionRequest(turn, session, view);
      break;
    case MsgType.SecurityStatusRequest:
      if (isAnswerable(turn, session, view, Tag.SecurityStatusReqID, Tag.Symbol))
        handleSecurityStatusRequest(turn, session, view);
      break;
    case MsgType.TradingSessionStatusRequest:
      if (isAnswerable(turn, session, view, Tag.TradSesReqID)) handleTradingSessionStatusRequest(turn, session, view);
      break;
    case MsgType.MarketDataRequest:
      if (isAnswerable(turn, session, view, Tag.MDReqID)) handleMarketDataRequest(turn, session, view);
      break;
    case MsgType.UserRequest:
      ifCarried(turn, session, view, () => handleUserRequest(turn, session, view));
      break;
    case MsgType.BridgeRequest:
      if (isAnswerable(turn, session, view, Tag.BridgeReqID)) handleBridgeRequest(turn, session, view);
      break;
    case MsgType.LimitsRequest:
      if (isAnswerable(turn, session, view, Tag.LimitsReqID)) handleLimitsRequest(turn, session, view);
      break;
    case MsgType.RequestForPositions:
      ifCarried(turn, session, view, () => {
        if (isAnswerable(turn, session, view, Tag.PosReqID)) handleRequestForPositions(turn, session, view);
      });
      break;
    case MsgType.CollateralInquiry:
      ifCarried(turn, session, view, () => {
        if (isAnswerable(turn, session, view, Tag.CollInquiryID)) handleCollateralInquiry(turn, session, view);
      });
      break;
    case MsgType.TradeCaptureReportRequest:
      ifCarried(turn, session, view, () => {
        if (isAnswerable(turn, session, view, Tag.TradeRequestID)) handleTradeCaptureReportRequest(turn, session, view);
      });
      break;
    case MsgType.TradeCaptureReport:
      ifCarried(turn, session, view, () => handleTradeEntry(inbound));
      break;
    case MsgType.MMPRequest:
      if (isAnswerable(turn, session, view, Tag.MMPReqID)) handleMmpRequest(turn, session, view);
      break;
    case MsgType.DropCopyRequest:
      if (session.takesOrders) handleReportRecovery(turn, session, view);
      else handleDropCopyRequest(turn, session, view);
      break;
    case MsgType.DontKnowTrade:
      handleDontKnowTrade(turn, session, view);
      break;
    case MsgType.BusinessMessageReject:
      // An answer is not answered: two engines that refuse each other's refusals never stop. The session has raised the alarm.
      break;
    default:
      handleUnsupported(turn, session, view);
  }
}

/** Checks the length of fields that every answer repeats, such as the request's id; too long ones are refused. */
function isAnswerable(turn: Turn, session: SessionState, view: MessageView, ...repeated: number[]): boolean {
  for (const tag of repeated) {
    const problem = requestIDProblem(nameOf(tag), view.string(tag) ?? '');
    if (problem === null) continue;
    rejectBusiness(turn, session, view, '0', problem);
    return false;
  }
  return true;
}

/** q, AF, x and BE exist from 4.3 or 4.4 on (rule D2). */
function ifCarried(turn: Turn, session: SessionState, view: MessageView, handle: () => void): void {
  if (session.version.hasMassMessages) handle();
  else handleUnsupported(turn, session, view);
}
