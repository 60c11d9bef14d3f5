// The scorecard: what a certification came to, with the evidence of each step, signed. As JSON it is the certificate.

import { readFileSync } from 'node:fs';
import type { DeskView } from '../desk/desk-view.ts';
import { isSigned, type Signature } from './signature.ts';

export interface ScorecardContent {
  readonly form: 'crossgate-certification/1';
  readonly session: string;
  readonly sessionId: string;
  readonly beginString: string;
  readonly dialect: string;
  readonly suite: string;
  /** Digest of the rules of engagement. */
  readonly rules: string;
  /** Version of the gateway that judged. */
  readonly gateway: string;
  /** ISO 8601. */
  readonly issuedAt: string;
  readonly certified: boolean;
  readonly totals: DeskView['totals'];
  readonly abilities: readonly string[];
  readonly cases: DeskView['cases'];
}

export interface Scorecard extends ScorecardContent {
  readonly signature: Signature;
}

/** Demands on a certificate. */
export interface Demands {
  readonly rules: string;
  readonly beginString: string;
  readonly dialect: string;
  /** The only key that counts, in PEM; null: any. */
  readonly publicKey: string | null;
}

export function scorecardContent(view: DeskView, gateway: string, issuedAt: string): ScorecardContent {
  const { name, sessionId, beginString, dialect, suite, rules, certified, totals, abilities, cases } = view;
  return {
    form: 'crossgate-certification/1',
    session: name,
    sessionId,
    beginString,
    dialect,
    suite,
    rules,
    gateway,
    issuedAt,
    certified,
    totals,
    abilities,
    cases,
  };
}

/** Read a scorecard. @returns the fault in words if it is none, or if its signature does not hold */
export function readScorecard(path: string): Scorecard | string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read`;
  }
  return scorecardFrom(path.endsWith('.html') ? (embedded(text) ?? '') : text, path);
}

function scorecardFrom(text: string, path: string): Scorecard | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `${path} is no scorecard of a certification`;
  }
  const { signature, ...content } = value as Scorecard;
  if (content.form !== 'crossgate-certification/1' || typeof signature !== 'object')
    return `${path} is no scorecard of a certification`;
  if (!isSigned(content, signature))
    return `the signature of ${path} does not hold: it was changed after it was signed`;
  return { ...content, signature };
}

/** Why a certificate does not fit, in words; null if it does. */
export function certificateFault(path: string, demands: Demands): string | null {
  const card = readScorecard(path);
  if (typeof card === 'string') return card;
  if (demands.publicKey !== null && card.signature.publicKey !== demands.publicKey)
    return `the certificate ${path} was signed by another gateway`;
  if (!card.certified) return `the certificate ${path} says that mandatory cases are not passed`;
  if (card.rules !== demands.rules)
    return `the certificate ${path} is of the rules of engagement ${card.rules}, the present ones are ${demands.rules}`;
  if (card.beginString !== demands.beginString || card.dialect !== demands.dialect)
    return `the certificate ${path} is for ${card.beginString} ${card.dialect}, the session speaks ${demands.beginString} ${demands.dialect}`;
  return null;
}

/** Where the page of a scorecard (scorecard-page.ts) has its JSON. */
export const EMBEDDED = 'scorecard';

function embedded(page: string): string | null {
  const found = new RegExp(`<script type="application/json" id="${EMBEDDED}">([\\s\\S]*?)</script>`).exec(page)?.[1];
  return found?.replaceAll('\\u003c', '<') ?? null;
}
