// Generated from dictionaries/ by test/support/generated.ts: change them there, not here.

/** Values of ApplReportType(1426). */
export const ApplReportType = {
  ApplSeqNumReset: '0',
  LastMessageSent: '1',
  ApplicationAlive: '2',
  ResendComplete: '3',
} as const;

/** Values of ApplReqType(1347). */
export const ApplReqType = {
  Retransmission: '0',
  Subscription: '1',
  RequestLastSeqNum: '2',
  RequestApplications: '3',
  Unsubscribe: '4',
  CancelRetransmission: '5',
  CancelRetransmissionUnsubscribe: '6',
} as const;

/** Values of ApplResponseError(1354). */
export const ApplResponseError = {
  ApplicationDoesNotExist: '0',
  MessagesRequestedAreNotAvailable: '1',
  UserNotAuthorizedForApplication: '2',
} as const;

/** Values of ApplResponseType(1348). */
export const ApplResponseType = {
  RequestSuccessfullyProcessed: '0',
  ApplicationDoesNotExist: '1',
  MessagesNotAvailable: '2',
} as const;

/** Values of ApplVerID(1128). */
export const ApplVerID = {
  Fix27: '0',
  Fix30: '1',
  Fix40: '2',
  Fix41: '3',
  Fix42: '4',
  Fix43: '5',
  Fix44: '6',
  Fix50: '7',
  Fix50sp1: '8',
  Fix50sp2: '9',
} as const;

/** Values of BidType(394). */
export const BidType = {
  NonDisclosed: '1',
  Disclosed: '2',
  NoBiddingProcess: '3',
} as const;

/** Values of BusinessRejectReason(380). */
export const BusinessRejectReason = {
  Other: '0',
  UnknownId: '1',
  UnknownSecurity: '2',
  UnsupportedMessageType: '3',
  ApplicationNotAvailable: '4',
  ConditionallyRequiredFieldMissing: '5',
  NotAuthorized: '6',
  DeliverToFirmNotAvailableAtThisTime: '7',
  ThrottleLimitExceeded: '8',
  ThrottleLimitExceededSessionDisconnected: '9',
  ThrottledMessagesRejectedOnRequest: '10',
  InvalidPriceIncrement: '18',
} as const;

/** Values of CashMargin(544). */
export const CashMargin = {
  Cash: '1',
  MarginOpen: '2',
  MarginClose: '3',
} as const;

/** Values of ContingencyType(1385). */
export const ContingencyType = {
  OneCancelsTheOther: '1',
  OneTriggersTheOther: '2',
  OneUpdatesTheOtherAbsolute: '3',
  OneUpdatesTheOtherProportional: '4',
} as const;

/** Values of CxlRejReason(102). */
export const CxlRejReason = {
  TooLateToCancel: '0',
  UnknownOrder: '1',
  Broker: '2',
  OrderAlreadyInPendingStatus: '3',
  UnableToProcessMassCancel: '4',
  OrigOrdModTime: '5',
  DuplicateClOrdId: '6',
  Other: '99',
  VenueRateLimitExceeded: '3034',
  VenueRateLimitError: '3035',
  VenueCancelRefused: '3036',
  PriceExceedsCurrentPrice: '7',
  PriceExceedsCurrentPriceBand: '8',
  InvalidPriceIncrement: '18',
} as const;

/** Values of CxlRejResponseTo(434). */
export const CxlRejResponseTo = {
  OrderCancelRequest: '1',
  OrderCancelReplaceRequest: '2',
} as const;

/** Values of DKReason(127). */
export const DKReason = {
  UnknownSymbol: 'A',
  WrongSide: 'B',
  QuantityExceedsOrder: 'C',
  NoMatchingOrder: 'D',
  PriceExceedsLimit: 'E',
  CalculationDifference: 'F',
  Other: 'Z',
} as const;

/** Values of EncryptMethod(98). */
export const EncryptMethod = {
  None: '0',
  Pkcs: '1',
  Des: '2',
  PkcsDes: '3',
  PgpDes: '4',
  PgpDesMd5: '5',
  PemDesMd5: '6',
} as const;

/** Values of ExecInst(18). */
export const ExecInst = {
  NotHeld: '1',
  Work: '2',
  GoAlong: '3',
  OverTheDay: '4',
  Held: '5',
  ParticipateDontInitiate: '6',
  StrictScale: '7',
  TryToScale: '8',
  StayOnBidSide: '9',
  StayOnOfferSide: '0',
  NoCross: 'A',
  OkToCross: 'B',
  CallFirst: 'C',
  PercentOfVolume: 'D',
  DoNotIncrease: 'E',
  DoNotReduce: 'F',
  AllOrNone: 'G',
  ReinstateOnSystemFailure: 'H',
  InstitutionsOnly: 'I',
  ReinstateOnTradingHalt: 'J',
  CancelOnTradingHalt: 'K',
  LastPeg: 'L',
  MidPricePeg: 'M',
  NonNegotiable: 'N',
  OpeningPeg: 'O',
  MarketPeg: 'P',
  CancelOnSystemFailure: 'Q',
  PrimaryPeg: 'R',
  Suspend: 'S',
  CustomerDisplayInstruction: 'U',
  Netting: 'V',
  PegToVwap: 'W',
  TradeAlong: 'X',
  TryToStop: 'Y',
  CancelIfNotBest: 'Z',
  TrailingStopPeg: 'a',
  StrictLimit: 'b',
  IgnorePriceValidityChecks: 'c',
  PegToLimitPrice: 'd',
  WorkToTargetStrategy: 'e',
  FixedPegToLocalBestBidOrOffer: 'T',
  IntermarketSweep: 'f',
  ExternalRoutingAllowed: 'g',
  ExternalRoutingNotAllowed: 'h',
  ImbalanceOnly: 'i',
  SingleExecutionRequestedForBlockTrade: 'j',
  BestExecution: 'k',
  SuspendOnSystemFailure: 'l',
  SuspendOnTradingHalt: 'm',
  ReinstateOnConnectionLoss: 'n',
  CancelOnConnectionLoss: 'o',
  SuspendOnConnectionLoss: 'p',
  ReleaseFromSuspension: 'q',
  ExecuteAsDeltaNeutralUsingVolatilityProvided: 'r',
  ExecuteAsDurationNeutral: 's',
  ExecuteAsFxNeutral: 't',
} as const;

/** Values of ExecRestatementReason(378). */
export const ExecRestatementReason = {
  GtCorporateAction: '0',
  GtRenewalRestatement: '1',
  VerbalChange: '2',
  RepricingOfOrder: '3',
  BrokerOption: '4',
  PartialDeclineOfOrderQty: '5',
  CancelOnTradingHalt: '6',
  CancelOnSystemFailure: '7',
  MarketOption: '8',
  CanceledNotBest: '9',
  WarehouseRecap: '10',
  Other: '99',
  PegRefresh: '11',
  CancelOnConnectionLoss: '12',
  CancelOnLogout: '13',
  AssignTimePriority: '14',
} as const;

/** Values of ExecTransType(20). */
export const ExecTransType = {
  New: '0',
  Cancel: '1',
  Correct: '2',
  Status: '3',
} as const;

/** Values of ExecType(150). */
export const ExecType = {
  New: '0',
  DoneForDay: '3',
  Canceled: '4',
  Replaced: '5',
  PendingCancel: '6',
  Stopped: '7',
  Rejected: '8',
  Suspended: '9',
  PendingNew: 'A',
  Calculated: 'B',
  Expired: 'C',
  Restated: 'D',
  PendingReplace: 'E',
  Trade: 'F',
  TradeCorrect: 'G',
  TradeCancel: 'H',
  OrderStatus: 'I',
  PartialFill: '1',
  Fill: '2',
  TradeInAClearingHold: 'J',
  TradeHasBeenReleasedToClearing: 'K',
  TriggeredOrActivatedBySystem: 'L',
} as const;

/** Values of HandlInst(21). */
export const HandlInst = {
  AutomatedExecutionNoIntervention: '1',
  AutomatedExecutionInterventionOk: '2',
  ManualOrder: '3',
} as const;

/** Values of LastLiquidityInd(851). */
export const LastLiquidityInd = {
  AddedLiquidity: '1',
  RemovedLiquidity: '2',
  LiquidityRoutedOut: '3',
  Auction: '4',
} as const;

/** Values of ListExecInstType(433). */
export const ListExecInstType = {
  Immediate: '1',
  WaitForInstruction: '2',
  SellDriven: '3',
  BuyDrivenCashTopUp: '4',
  BuyDrivenCashWithdraw: '5',
} as const;

/** Values of ListOrderStatus(431). */
export const ListOrderStatus = {
  InBiddingProcess: '1',
  ReceivedForExecution: '2',
  Executing: '3',
  Cancelling: '4',
  Alert: '5',
  AllDone: '6',
  Reject: '7',
} as const;

/** Values of ListRejectReason(1386). */
export const ListRejectReason = {
  BrokerCredit: '0',
  ExchangeClosed: '2',
  TooLateToEnter: '4',
  UnknownOrder: '5',
  DuplicateOrder: '6',
  UnsupportedOrderCharacteristic: '11',
  Other: '99',
} as const;

/** Values of ListStatusType(429). */
export const ListStatusType = {
  Ack: '1',
  Response: '2',
  Timed: '3',
  ExecStarted: '4',
  AllDone: '5',
  Alert: '6',
} as const;

/** Values of MassCancelRejectReason(532). */
export const MassCancelRejectReason = {
  MassCancelNotSupported: '0',
  InvalidOrUnknownSecurity: '1',
  InvalidOrUnknownUnderlying: '2',
  InvalidOrUnknownProduct: '3',
  InvalidOrUnknownCfiCode: '4',
  InvalidOrUnknownSecurityType: '5',
  InvalidOrUnknownTradingSession: '6',
  Other: '99',
  InvalidOrUnknownMarket: '7',
  InvalidOrUnkownMarketSegment: '8',
  InvalidOrUnknownSecurityGroup: '9',
  InvalidOrUnknownSecurityIssuer: '10',
  InvalidOrUnknownIssuerOfUnderlyingSecurity: '11',
} as const;

/** Values of MassCancelRequestType(530). */
export const MassCancelRequestType = {
  CancelOrdersForASecurity: '1',
  CancelOrdersForAnUnderlyingSecurity: '2',
  CancelOrdersForAProduct: '3',
  CancelOrdersForACfiCode: '4',
  CancelOrdersForASecurityType: '5',
  CancelOrdersForATradingSession: '6',
  CancelAllOrders: '7',
  CancelOrdersForAMarket: '8',
  CancelOrdersForAMarketSegment: '9',
  CancelOrdersForASecurityGroup: 'A',
  CancelOrdersForSecurityIssuer: 'B',
  CancelForIssuerOfUnderlyingSecurity: 'C',
} as const;

/** Values of MassCancelResponse(531). */
export const MassCancelResponse = {
  CancelRequestRejected: '0',
  CancelOrdersForASecurity: '1',
  CancelOrdersForAnUnderlyingSecurity: '2',
  CancelOrdersForAProduct: '3',
  CancelOrdersForACfiCode: '4',
  CancelOrdersForASecurityType: '5',
  CancelOrdersForATradingSession: '6',
  CancelAllOrders: '7',
  CancelOrdersForAMarket: '8',
  CancelOrdersForAMarketSegment: '9',
  CancelOrdersForASecurityGroup: 'A',
  CancelOrdersForASecuritiesIssuer: 'B',
  CancelOrdersForIssuerOfUnderlyingSecurity: 'C',
} as const;

/** Values of MassStatusReqType(585). */
export const MassStatusReqType = {
  StatusForOrdersForASecurity: '1',
  StatusForOrdersForAnUnderlyingSecurity: '2',
  StatusForOrdersForAProduct: '3',
  StatusForOrdersForACfiCode: '4',
  StatusForOrdersForASecurityType: '5',
  StatusForOrdersForATradingSession: '6',
  StatusForAllOrders: '7',
  StatusForOrdersForAPartyId: '8',
  StatusForSecurityIssuer: '9',
  StatusForIssuerOfUnderlyingSecurity: '10',
} as const;

/** Values of MatchType(574). */
export const MatchType = {
  CallAuction: '7',
  ExactMatchPlus4BadgesPlusExecutionTime: 'A1',
  ExactMatchPlus4Badges: 'A2',
  ExactMatchPlus2BadgesPlusExecutionTime: 'A3',
  ExactMatchPlus2Badges: 'A4',
  ExactMatchPlusExecutionTime: 'A5',
  ComparedStampedAdvisory: 'AQ',
  ActM1Match: 'M1',
  SummarizedMatchMinusBadgesAndTimes: 'M2',
  ActAcceptedTrade: 'M3',
  ActDefaultTrade: 'M4',
  ActDefaultAfterM2: 'M5',
  ActM6Match: 'M6',
  NonAct: 'MT',
  A1ExactMatchSummarizedQuantity: 'S1',
  A2ExactMatchSummarizedQuantity: 'S2',
  A3ExactMatchSummarizedQuantity: 'S3',
  A4ExactMatchSummarizedQuantity: 'S4',
  A5ExactMatchSummarizedQuantity: 'S5',
  OnePartyTradeReport: '1',
  TwoPartyTradeReport: '2',
  ConfirmedTradeReport: '3',
  AutoMatch: '4',
  CrossAuction: '5',
  CounterOrderSelection: '6',
  IssuingBuyBackAuction: '8',
} as const;

/** Values of MDBookType(1021). */
export const MDBookType = {
  TopOfBook: '1',
  PriceDepth: '2',
  OrderDepth: '3',
} as const;

/** Values of MDEntryType(269). */
export const MDEntryType = {
  Bid: '0',
  Offer: '1',
  Trade: '2',
  IndexValue: '3',
  OpeningPrice: '4',
  ClosingPrice: '5',
  SettlementPrice: '6',
  TradingSessionHighPrice: '7',
  TradingSessionLowPrice: '8',
  TradingSessionVwapPrice: '9',
  Imbalance: 'A',
  TradeVolume: 'B',
  OpenInterest: 'C',
  AuctionClearingPrice: 'Q',
  CompositeUnderlyingPrice: 'D',
  SimulatedSellPrice: 'E',
  SimulatedBuyPrice: 'F',
  MarginRate: 'G',
  MidPrice: 'H',
  EmptyBook: 'J',
  SettleHighPrice: 'K',
  SettleLowPrice: 'L',
  PriorSettlePrice: 'M',
  SessionHighBid: 'N',
  SessionLowOffer: 'O',
  EarlyPrices: 'P',
  SwapValueFactor: 'S',
  DailyValueAdjustmentForLongPositions: 'R',
  CumulativeValueAdjustmentForLongPositions: 'T',
  DailyValueAdjustmentForShortPositions: 'U',
  CumulativeValueAdjustmentForShortPositions: 'V',
  RecoveryRate: 'Y',
  RecoveryRateForLong: 'Z',
  RecoveryRateForShort: 'a',
  FixingPrice: 'W',
  CashRate: 'X',
} as const;

/** Values of MDReqRejReason(281). */
export const MDReqRejReason = {
  UnknownSymbol: '0',
  DuplicateMdReqId: '1',
  InsufficientBandwidth: '2',
  InsufficientPermissions: '3',
  UnsupportedSubscriptionRequestType: '4',
  UnsupportedMarketDepth: '5',
  UnsupportedMdUpdateType: '6',
  UnsupportedAggregatedBook: '7',
  UnsupportedMdEntryType: '8',
  UnsupportedTradingSessionId: '9',
  UnsupportedScope: 'A',
  UnsupportedOpenCloseSettlFlag: 'B',
  UnsupportedMdImplicitDelete: 'C',
  InsufficientCredit: 'D',
} as const;

/** Values of MDUpdateAction(279). */
export const MDUpdateAction = {
  New: '0',
  Change: '1',
  Delete: '2',
  DeleteThru: '3',
  DeleteFrom: '4',
  Overlay: '5',
} as const;

/** Values of MDUpdateType(265). */
export const MDUpdateType = {
  FullRefresh: '0',
  IncrementalRefresh: '1',
} as const;

/** Values of MiscFeeType(139). */
export const MiscFeeType = {
  Regulatory: '1',
  Tax: '2',
  LocalCommission: '3',
  ExchangeFees: '4',
  Stamp: '5',
  Levy: '6',
  Other: '7',
  Markup: '8',
  ConsumptionTax: '9',
  PerTransaction: '10',
  Conversion: '11',
  Agent: '12',
  TransferFee: '13',
  SecurityLending: '14',
} as const;

/** Values of MsgDirection(385). */
export const MsgDirection = {
  Send: 'S',
  Receive: 'R',
} as const;

/** Values of OrdRejReason(103). */
export const OrdRejReason = {
  Broker: '0',
  UnknownSymbol: '1',
  ExchangeClosed: '2',
  OrderExceedsLimit: '3',
  TooLateToEnter: '4',
  UnknownOrder: '5',
  DuplicateOrder: '6',
  DuplicateVerbal: '7',
  StaleOrder: '8',
  TradeAlongRequired: '9',
  InvalidInvestorId: '10',
  UnsupportedOrderCharacteristic: '11',
  SurveillanceOption: '12',
  IncorrectQuantity: '13',
  IncorrectAllocatedQuantity: '14',
  UnknownAccount: '15',
  InvalidPriceIncrement: '18',
  Other: '99',
  VenueInvalidOrderType: '2013',
  VenueOpenMarginOrdersExceeded: '2015',
  VenueOpenSpotOrdersExceeded: '2021',
  VenueInsufficientBalance: '3001',
  VenueBorrowingUnavailable: '3003',
  VenueUnsolicitedCancel: '3020',
  VenueForcedCancel: '3021',
  VenuePriceOutOfRange: '3031',
  VenueOrderClosedOrRejected: '3032',
  VenueReason3033: '3033',
  VenueRateLimitExceeded: '3034',
  VenueRateLimitError: '3035',
  VenueReason3036: '3036',
  VenueFailedToMakeOrTake: '3064',
  VenueOpenInterestExceeded: '3065',
  VenueConcentrationExceeded: '3066',
  VenueMarketExpiring: '3067',
  VenueReason3068: '3068',
  VenuePossibleDuplicate: '3069',
  PriceExceedsCurrentPriceBand: '16',
} as const;

/** Values of OrdStatus(39). */
export const OrdStatus = {
  New: '0',
  PartiallyFilled: '1',
  Filled: '2',
  DoneForDay: '3',
  Canceled: '4',
  PendingCancel: '6',
  Stopped: '7',
  Rejected: '8',
  Suspended: '9',
  PendingNew: 'A',
  Calculated: 'B',
  Expired: 'C',
  AcceptedForBidding: 'D',
  PendingReplace: 'E',
  Replaced: '5',
} as const;

/** Values of OrdType(40). */
export const OrdType = {
  Market: '1',
  Limit: '2',
  Stop: '3',
  StopLimit: '4',
  WithOrWithout: '6',
  LimitOrBetter: '7',
  LimitWithOrWithout: '8',
  OnBasis: '9',
  PreviouslyQuoted: 'D',
  PreviouslyIndicated: 'E',
  ForexSwap: 'G',
  Funari: 'I',
  MarketIfTouched: 'J',
  MarketWithLeftOverAsLimit: 'K',
  PreviousFundValuationPoint: 'L',
  NextFundValuationPoint: 'M',
  Pegged: 'P',
  PostOnly: 'p',
  MarketOnClose: '5',
  OnClose: 'A',
  LimitOnClose: 'B',
  ForexMarket: 'C',
  ForexLimit: 'F',
  ForexPreviouslyQuoted: 'H',
  CounterOrderSelection: 'Q',
} as const;

/** Values of PartyIDSource(447). */
export const PartyIDSource = {
  Bic: 'B',
  GeneralIdentifier: 'C',
  Proprietary: 'D',
  IsoCountryCode: 'E',
  SettlementEntityLocation: 'F',
  Mic: 'G',
  CsdParticipant: 'H',
  UkNationalInsuranceOrPensionNumber: '6',
  UsSocialSecurityNumber: '7',
  UsEmployerOrTaxIdNumber: '8',
  AustralianBusinessNumber: '9',
  AustralianTaxFileNumber: 'A',
  KoreanInvestorId: '1',
  TaiwaneseQualifiedForeignInvestorId: '2',
  TaiwaneseTradingAccount: '3',
  MalaysianCentralDepository: '4',
  ChineseInvestorId: '5',
  DirectedBroker: 'I',
} as const;

/** Values of PartyRole(452). */
export const PartyRole = {
  ExecutingFirm: '1',
  BrokerOfCredit: '2',
  ClientId: '3',
  ClearingFirm: '4',
  InvestorId: '5',
  IntroducingFirm: '6',
  EnteringFirm: '7',
  Locate: '8',
  FundManagerClientId: '9',
  SettlementLocation: '10',
  OrderOriginationTrader: '11',
  ExecutingTrader: '12',
  OrderOriginationFirm: '13',
  GiveupClearingFirm: '14',
  CorrespondantClearingFirm: '15',
  ExecutingSystem: '16',
  ContraFirm: '17',
  ContraClearingFirm: '18',
  SponsoringFirm: '19',
  UnderlyingContraFirm: '20',
  ClearingOrganization: '21',
  Exchange: '22',
  CustomerAccount: '24',
  CorrespondentClearingOrganization: '25',
  CorrespondentBroker: '26',
  BuyerSeller: '27',
  Custodian: '28',
  Intermediary: '29',
  Agent: '30',
  SubCustodian: '31',
  Beneficiary: '32',
  InterestedParty: '33',
  RegulatoryBody: '34',
  LiquidityProvider: '35',
  EnteringTrader: '36',
  ContraTrader: '37',
  PositionAccount: '38',
  ContraInvestorId: '39',
  TransferToFirm: '40',
  ContraPositionAccount: '41',
  ContraExchange: '42',
  InternalCarryAccount: '43',
  OrderEntryOperatorId: '44',
  SecondaryAccountNumber: '45',
  ForeignFirm: '46',
  ThirdPartyAllocationFirm: '47',
  ClaimingAccount: '48',
  AssetManager: '49',
  PledgorAccount: '50',
  PledgeeAccount: '51',
  LargeTraderReportableAccount: '52',
  TraderMnemonic: '53',
  SenderLocation: '54',
  SessionId: '55',
  AcceptableCounterparty: '56',
  UnacceptableCounterparty: '57',
  EnteringUnit: '58',
  ExecutingUnit: '59',
  IntroducingBroker: '60',
  QuoteOriginator: '61',
  ReportOriginator: '62',
  SystematicInternaliser: '63',
  MultilateralTradingFacility: '64',
  RegulatedMarket: '65',
  MarketMaker: '66',
  InvestmentFirm: '67',
  HostCompetentAuthority: '68',
  HomeCompetentAuthority: '69',
  CompetentAuthorityLiquidity: '70',
  CompetentAuthorityTransactionVenue: '71',
  ReportingIntermediary: '72',
  ExecutionVenue: '73',
  MarketDataEntryOriginator: '74',
  LocationId: '75',
  DeskId: '76',
  MarketDataMarket: '77',
  AllocationEntity: '78',
  PrimeBroker: '79',
  StepOutFirm: '80',
  BrokerClearingId: '81',
  CentralRegistrationDepository: '82',
  ClearingAccount: '83',
  AcceptableSettlingCounterparty: '84',
  UnacceptableSettlingCounterparty: '85',
} as const;

/** Values of SecurityIDSource(22). */
export const SecurityIDSource = {
  Cusip: '1',
  Sedol: '2',
  Quik: '3',
  IsinNumber: '4',
  RicCode: '5',
  IsoCurrencyCode: '6',
  IsoCountryCode: '7',
  ExchangeSymbol: '8',
  ConsolidatedTapeAssociation: '9',
  BloombergSymbol: 'A',
  Wertpapier: 'B',
  Dutch: 'C',
  Valoren: 'D',
  Sicovam: 'E',
  Belgian: 'F',
  Common: 'G',
  ClearingHouse: 'H',
  IsdaFpmlProductSpecification: 'I',
  OptionsPriceReportingAuthority: 'J',
  IsdaFpMlurl: 'K',
  LetterOfCredit: 'L',
  MarketplaceAssignedIdentifier: 'M',
} as const;

/** Values of SecurityListRequestType(559). */
export const SecurityListRequestType = {
  Symbol: '0',
  SecurityTypeAndOrCfiCode: '1',
  Product: '2',
  TradingSessionId: '3',
  AllSecurities: '4',
  MarketIdOrMarketId: '5',
} as const;

/** Values of SecurityRequestResult(560). */
export const SecurityRequestResult = {
  ValidRequest: '0',
  InvalidOrUnsupportedRequest: '1',
  NoInstrumentsFound: '2',
  NotAuthorizedToRetrieveInstrumentData: '3',
  InstrumentDataTemporarilyUnavailable: '4',
  RequestForInstrumentDataNotSupported: '5',
} as const;

/** Values of SecurityRequestType(321). */
export const SecurityRequestType = {
  RequestSecurityIdentityAndSpecifications: '0',
  RequestSecurityIdentityForSpecifications: '1',
  RequestListSecurityTypes: '2',
  RequestListSecurities: '3',
  Symbol: '4',
  SecurityTypeAndOrCfiCode: '5',
  Product: '6',
  TradingSessionId: '7',
  AllSecurities: '8',
  MarketIdOrMarketId: '9',
} as const;

/** Values of SecurityResponseType(323). */
export const SecurityResponseType = {
  AcceptAsIs: '1',
  AcceptWithRevisions: '2',
  RejectSecurityProposal: '5',
  CannotMatchSelectionCriteria: '6',
  ListOfSecurityTypesReturnedPerRequest: '3',
  ListOfSecuritiesReturnedPerRequest: '4',
} as const;

/** Values of SecurityTradingStatus(326). */
export const SecurityTradingStatus = {
  OpeningDelay: '1',
  TradingHalt: '2',
  Resume: '3',
  NoOpenNoResume: '4',
  PriceIndication: '5',
  TradingRangeIndication: '6',
  MarketImbalanceBuy: '7',
  MarketImbalanceSell: '8',
  MarketOnCloseImbalanceBuy: '9',
  MarketOnCloseImbalanceSell: '10',
  NoMarketImbalance: '12',
  NoMarketOnCloseImbalance: '13',
  ItsPreOpening: '14',
  NewPriceIndication: '15',
  TradeDisseminationTime: '16',
  ReadyToTrade: '17',
  NotAvailableForTrading: '18',
  NotTradedOnThisMarket: '19',
  UnknownOrInvalid: '20',
  PreOpen: '21',
  OpeningRotation: '22',
  FastMarket: '23',
  PreCross: '24',
  Cross: '25',
  PostClose: '26',
  NoCancel: '27',
} as const;

/** Values of SessionRejectReason(373). */
export const SessionRejectReason = {
  InvalidTagNumber: '0',
  RequiredTagMissing: '1',
  TagNotDefinedForThisMessageType: '2',
  UndefinedTag: '3',
  TagSpecifiedWithoutAValue: '4',
  ValueIsIncorrect: '5',
  IncorrectDataFormatForValue: '6',
  DecryptionProblem: '7',
  SignatureProblem: '8',
  CompIdProblem: '9',
  SendingTimeAccuracyProblem: '10',
  InvalidMsgType: '11',
  XmlValidationError: '12',
  TagAppearsMoreThanOnce: '13',
  TagSpecifiedOutOfRequiredOrder: '14',
  RepeatingGroupFieldsOutOfOrder: '15',
  IncorrectNumInGroupCount: '16',
  NonDataValueIncludesFieldDelimiter: '17',
  Other: '99',
  InvalidOrUnsupportedApplicationVersion: '18',
} as const;

/** Values of SessionStatus(1409). */
export const SessionStatus = {
  SessionActive: '0',
  SessionPasswordChanged: '1',
  SessionPasswordDueToExpire: '2',
  NewSessionPasswordDoesNotComplyWithPolicy: '3',
  SessionLogoutComplete: '4',
  InvalidUsernameOrPassword: '5',
  AccountLocked: '6',
  LogonsAreNotAllowedAtThisTime: '7',
  PasswordExpired: '8',
  ReceivedMsgSeqNumTooLow: '9',
  ReceivedNextExpectedMsgSeqNumTooHigh: '10',
  SequenceNumberThresholdReached: '101',
  PlatformHalted: '102',
} as const;

/** Values of Side(54). */
export const Side = {
  Buy: '1',
  Sell: '2',
  BuyMinus: '3',
  SellPlus: '4',
  SellShort: '5',
  SellShortExempt: '6',
  Undisclosed: '7',
  Cross: '8',
  CrossShort: '9',
  CrossShortExempt: 'A',
  AsDefined: 'B',
  Opposite: 'C',
  Subscribe: 'D',
  Redeem: 'E',
  Lend: 'F',
  Borrow: 'G',
} as const;

/** Values of SubscriptionRequestType(263). */
export const SubscriptionRequestType = {
  Snapshot: '0',
  SnapshotPlusUpdates: '1',
  DisablePreviousSnapshot: '2',
} as const;

/** Values of TimeInForce(59). */
export const TimeInForce = {
  Day: '0',
  GoodTillCancel: '1',
  AtTheOpening: '2',
  ImmediateOrCancel: '3',
  FillOrKill: '4',
  GoodTillCrossing: '5',
  GoodTillDate: '6',
  AtTheClose: '7',
  GoodThroughCrossing: '8',
  AtCrossing: '9',
  GoodForTime: 'A',
  GoodForAuction: 'B',
} as const;

/** Values of TradeCondition(277). */
export const TradeCondition = {
  Cash: 'A',
  AveragePriceTrade: 'B',
  CashTrade: 'C',
  NextDay: 'D',
  Opening: 'E',
  IntradayTradeDetail: 'F',
  Rule127Trade: 'G',
  Rule155Trade: 'H',
  SoldLast: 'I',
  NextDayTrade: 'J',
  Opened: 'K',
  Seller: 'L',
  Sold: 'M',
  StoppedStock: 'N',
  ImbalanceMoreBuyers: 'P',
  ImbalanceMoreSellers: 'Q',
  OpeningPrice: 'R',
  BargainCondition: 'S',
  ConvertedPriceIndicator: 'T',
  ExchangeLast: 'U',
  FinalPriceOfSession: 'V',
  ExPit: 'W',
  Crossed: 'X',
  TradesResultingFromManual: 'Y',
  TradesResultingFromIntermarketSweep: 'Z',
  VolumeOnly: 'a',
  DirectPlus: 'b',
  Acquisition: 'c',
  Bunched: 'd',
  Distribution: 'e',
  BunchedSale: 'f',
  SplitTrade: 'g',
  CancelStopped: 'h',
  CancelEth: 'i',
  CancelStoppedEth: 'j',
  OutOfSequenceEth: 'k',
  CancelLastEth: 'l',
  SoldLastSaleEth: 'm',
  CancelLast: 'n',
  SoldLastSale: 'o',
  CancelOpen: 'p',
  CancelOpenEth: 'q',
  OpenedSaleEth: 'r',
  CancelOnly: 's',
  CancelOnlyEth: 't',
  LateOpenEth: 'u',
  AutoExecutionEth: 'v',
  Reopen: 'w',
  ReopenEth: 'x',
  Adjusted: 'y',
  AdjustedEth: 'z',
  Spread: 'AA',
  SpreadEth: 'AB',
  Straddle: 'AC',
  StraddleEth: 'AD',
  Stopped: 'AE',
  StoppedEth: 'AF',
  RegularEth: 'AG',
  Combo: 'AH',
  ComboEth: 'AI',
  OfficialClosingPrice: 'AJ',
  PriorReferencePrice: 'AK',
  Cancel: '0',
  StoppedSoldLast: 'AL',
  StoppedOutOfSequence: 'AM',
  OfficalClosingPrice: 'AN',
  CrossedOld: 'AO',
  FastMarket: 'AP',
  AutomaticExecution: 'AQ',
  FormT: 'AR',
  BasketIndex: 'AS',
  BurstBasket: 'AT',
  OutsideSpread: 'AV',
  ImpliedTrade: '1',
  MarketplaceEnteredTrade: '2',
  MultAssetClassMultilegTrade: '3',
  MultilegToMultilegTrade: '4',
} as const;

/** Values of TradSesEvent(1368). */
export const TradSesEvent = {
  TradingResumes: '0',
  ChangeOfTradingSession: '1',
  ChangeOfTradingSubsession: '2',
  ChangeOfTradingStatus: '3',
} as const;

/** Values of TradSesStatus(340). */
export const TradSesStatus = {
  Unknown: '0',
  Halted: '1',
  Open: '2',
  Closed: '3',
  PreOpen: '4',
  PreClose: '5',
  RequestRejected: '6',
} as const;

/** Values of UserRequestType(924). */
export const UserRequestType = {
  LogOnUser: '1',
  LogOffUser: '2',
  ChangePasswordForUser: '3',
  RequestIndividualUserStatus: '4',
} as const;

/** Values of UserStatus(926). */
export const UserStatus = {
  LoggedIn: '1',
  NotLoggedIn: '2',
  UserNotRecognised: '3',
  PasswordIncorrect: '4',
  PasswordChanged: '5',
  Other: '6',
  ForcedUserLogoutByExchange: '7',
  SessionShutdownWarning: '8',
} as const;
