// Bugs to put into the house on purpose: each is one that a gateway could really have, and the simulation has to find it.

import type { GatewayEffect } from '../../src/gateway/mod.ts';
import type { SessionEffect } from '../../src/session/mod.ts';
import type { Journal } from '../../src/store/mod.ts';
import { MessageDraft, Tag, viewOf } from '../../src/wire/mod.ts';
import { inStep } from './disk.ts';
import type { Tampering } from './house.ts';

type Submit = Extract<GatewayEffect, { kind: 'submit' }>;

/** Change a journal's appending, one frame in so many. */
function everyFrame(n: number, change: Journal['append'], journal: Journal): Journal {
  let frames = 0;
  const append = journal.append.bind(journal);
  journal.append = (records, at) => (++frames % n === 0 ? change.call({ append }, records, at) : append(records, at));
  return journal;
}

/** Follow the n-th report of a kind with something else. */
function reports(execType: string, n: number, instead: (draft: MessageDraft) => MessageDraft[]): Tampering {
  let count = 0;
  return {
    gateway: (effects) =>
      effects.flatMap((effect) => {
        if (effect.kind !== 'send' || fieldOf(effect.draft, Tag.ExecType) !== execType) return [effect];
        if (++count % n !== 0) return [effect];
        return instead(effect.draft).map((draft) => ({ ...effect, draft }));
      }),
  };
}

function fieldOf(draft: MessageDraft, tag: number): string | null {
  return draft.values[draft.tags.indexOf(tag)] ?? null;
}

/** A copy of a draft with some values changed. */
function changed(draft: MessageDraft, change: Readonly<Record<number, string>>): MessageDraft {
  const copy = new MessageDraft(draft.msgType);
  const { headerTags, headerValues, tags, values } = draft;
  headerTags.forEach((tag, i) => void copy.header(tag, headerValues[i]!));
  tags.forEach((tag, i) => void copy.add(tag, change[tag] ?? values[i]!));
  return copy;
}

/** By what they are; each is made anew for every run. */
export const PLANTED_BUGS: Readonly<Record<string, () => Tampering>> = {
  'a journal write is dropped before its bytes are transmitted': () => ({
    journal: (journal) => everyFrame(200, () => {}, journal),
  }),
  'bytes leave before the sync has ended': () => ({
    journal: (journal) => {
      journal.sync = () => {
        journal.write();
        return inStep((done) => done());
      };
      return journal;
    },
  }),
  'the intent of an order is not journaled': () => ({
    journal: (journal) => {
      const append = journal.append.bind(journal);
      journal.append = (records, at) =>
        append(
          records.filter((record) => record.kind !== 'order' || !record.record.includes('"stage":"submitted"')),
          at,
        );
      return journal;
    },
  }),
  'a fill is reported twice under one ExecID': () => reports('F', 40, (draft) => [draft, draft]),
  'a fill is reported twice under two ExecIDs': () =>
    reports('F', 40, (draft) => [draft, changed(draft, { [Tag.ExecID]: `${fieldOf(draft, Tag.ExecID)}-again` })]),
  'a fill is not reported': () => reports('F', 40, () => []),
  'a copy of a fill is not sent': () => {
    let count = 0;
    const isCopy = (effect: GatewayEffect): boolean =>
      effect.kind === 'send' && fieldOf(effect.draft, Tag.CopyMsgIndicator) === 'Y';
    return { gateway: (effects) => effects.filter((effect) => !isCopy(effect) || ++count % 200 !== 0) };
  },
  'what a reset took from the drop copy session is not sent again': () => ({
    gateway: (effects) => effects.filter(({ kind }) => kind !== 'repeat'),
  }),
  'a cancelled order is reported as working again': () =>
    reports('4', 10, (draft) => [
      draft,
      changed(draft, { [Tag.ExecID]: 'late', [Tag.ExecType]: '0', [Tag.OrdStatus]: '0' }),
    ]),
  'a report has a field that its dictionary does not know': () =>
    reports('0', 40, (draft) => {
      const copy = changed(draft, {});
      copy.add(Tag.MatchType, '7');
      return [copy.add(29_999, 'none')];
    }),
  'an order for the auction goes out as one that trades at once': () => ({
    gateway: (effects) =>
      effects.map((effect) => {
        if (effect.kind !== 'submit' || effect.command.kind !== 'createOrder') return effect;
        return { ...effect, command: { ...effect.command, timeInForce: 'GTC' } };
      }),
  }),
  'a command without an answer is sent again': () => {
    const submitted = new Map<string, Submit>();
    return {
      gateway: (effects, input) => {
        for (const effect of effects) if (effect.kind === 'submit') submitted.set(effect.commandId, effect);
        if (input.kind !== 'outcome' || input.outcome.kind !== 'unknown') return effects;
        const again = submitted.get(input.commandId);
        return again === undefined ? effects : [...effects, again];
      },
    };
  },
  'a look-up that failed is taken for an absent order': () => ({
    input: (input) => {
      if (input.kind !== 'lookedUp' || input.outcome.kind !== 'failed') return input;
      return { ...input, outcome: { kind: 'absent', final: true } };
    },
  }),
  'a number is used again after a restart': () => ({
    recovered: (session) => {
      const { numbers } = session;
      const nextSenderMsgSeqNum = Math.max(1, numbers.nextSenderMsgSeqNum - 1);
      return { ...session, numbers: { ...numbers, nextSenderMsgSeqNum } };
    },
  }),
  'a number is skipped without a gap fill': () => {
    let count = 0;
    return {
      session: (effects: SessionEffect[]) =>
        effects.filter((effect) => {
          if (effect.kind !== 'transmit' || viewOf(effect.raw)?.boolean(Tag.GapFillFlag) !== true) return true;
          return ++count % 2 !== 0;
        }),
    };
  },
  'an order is forgotten at a restart': () => ({
    journal: (journal) => {
      const orders = journal.recovered.orders as Map<string, string>;
      const [first] = orders.keys();
      if (first !== undefined) orders.delete(first);
      return journal;
    },
  }),
};
