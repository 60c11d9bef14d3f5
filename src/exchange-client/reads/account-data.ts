// Questions about an account as requests to the exchange, and its answers as values. client.ts asks, with a login and in
// the bridge's share of the rate, so that no order waits for them (rule B4).

import {
  type DataAnswer,
  type DataQuestion,
  decodeAccountFigures,
  decodeBalance,
  decodePage,
  decodePosition,
  type EndpointName,
  type EndpointQuestion,
  parseExactJson,
} from '../../exchange/mod.ts';
import { type ReadResult, reasonOf } from './read-answers.ts';

/** Asks one endpoint by its name. */
export type Call = <N extends EndpointName>(name: N, question: EndpointQuestion<N>) => Promise<ReadResult>;

/** Ask about an account. Never rejects: without an answer it is `failed`, with the reason. */
export async function askAccount(call: Call, question: DataQuestion): Promise<DataAnswer> {
  const { kind, tradingAccountId } = question;
  if (kind === 'positions') {
    const positions = listIn(await call('positions', { tradingAccountId }), decodePosition);
    return typeof positions === 'string' ? failed(positions) : { kind, positions };
  }
  const [account, assets] = await Promise.all([
    call('tradingAccount', { tradingAccountId }),
    call('assetAccounts', { tradingAccountId }),
  ]);
  const json = jsonIn(account);
  const figures = json === undefined ? null : decodeAccountFigures(json, tradingAccountId);
  if (figures === null) return failed(reasonOf(account));
  const balances = listIn(assets, decodeBalance);
  return typeof balances === 'string' ? failed(balances) : { kind, figures, balances };
}

const failed = (message: string): DataAnswer => ({ kind: 'failed', message });

function jsonIn(answer: ReadResult): unknown {
  return answer.kind === 'answer' && answer.status === 200 ? parseExactJson(answer.body) : undefined;
}

/** The entries of a list, those that are not understood left out; without a list, why there is none. */
function listIn<T>(answer: ReadResult, decode: (json: unknown) => T | null): T[] | string {
  const json = jsonIn(answer);
  const page = json === undefined ? null : decodePage(json);
  if (page === null) return reasonOf(answer);
  return page.items.map(decode).filter((item) => item !== null);
}
