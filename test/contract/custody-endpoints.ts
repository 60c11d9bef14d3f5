// Rows of custody: for ECDSA keys only; a withdrawal is signed, addresses and limits are not.

import * as account from './account-schemas.ts';
import { command, type EndpointRow, question } from './endpoint-row.ts';
import { postJson, type Situation, selfHosted, withdraw } from './situation.ts';

const USDC = { symbol: 'USDC' };
const USD = { symbol: 'USD' };
const INITIATE = '/trading-api/v1/wallets/self-hosted/initiate';

/** Where the situation's withdrawals go. */
const withdrawal = ({ ids }: Situation) => ({
  destinationId: ids.destinationId!,
  network: ids.network!,
  symbol: 'USDC',
  quantity: '50',
});

export const CUSTODY_ENDPOINTS: readonly EndpointRow[] = [
  question('custodyTransactions', 'CustodyHistory', account.CustodyHistory, { shape: 'pages' }),
  question('withdrawalLimits', 'CustodyLimits', account.CustodyLimits, { values: USDC }),
  question('cryptoDeposit', 'CustodyCryptoDepositInstructions', account.CryptoDeposit, { shape: 'list', values: USDC }),
  question('cryptoWithdrawal', 'CustodyCryptoWithdrawalInstructions', account.CryptoWithdrawal, {
    shape: 'list',
    values: USDC,
  }),
  question('fiatDeposit', 'CustodyFiatDepositInstructions', account.FiatDeposit, { shape: 'list', values: USD }),
  question('fiatWithdrawal', 'CustodyFiatWithdrawalInstructions', account.FiatWithdrawal, {
    shape: 'list',
    values: USD,
  }),
  question('walletVerifications', 'CustodyGetSelfHostedVerificationResponse', account.SelfHostedVerification, {
    shape: 'list',
  }),
  question('verifyWallet', 'CustodySelfHostedInitiateResponse', account.SelfHostedInitiation, {
    body: selfHosted('Second wallet'),
  }),
  question('deleteDestination', '(empty)', null, {
    values: async ({ demo }) => {
      const made = await postJson(demo, INITIATE, selfHosted('To be deleted'));
      return { destinationId: String(made.json.destinationId) };
    },
  }),
  command('/trading-api/v1/wallets/withdrawal', 'V1Withdrawal', 'CustodyApiWithdrawalResponse', account.Withdrawal, {
    needs: 'ecdsa',
    ask: (s) => withdraw(s.demo, { commandType: 'V1Withdrawal', ...withdrawal(s) }),
    typed: async (s) => ({ kind: 'withdraw', ...withdrawal(s) }),
  }),
];
