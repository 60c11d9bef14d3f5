// A shrunk replay as a scenario: the requests as steps to send, the log's answers as messages to expect. Ids of the run
// are new each time, those of the exchange are kept in variables; times may have any value.

import { applicationVersion, type Dictionary } from '../../dictionary/mod.ts';
import {
  type AnswerTag,
  answerTagKind,
  isLeftOutOfRequests,
  messageName,
  type ReplayPlan,
  type RequestResult,
} from '../../replay/mod.ts';
import {
  type ExpectedField,
  FieldNames,
  printScenario,
  type ScenarioCase,
  type SentField,
  type Step,
  type StepAction,
  type Template,
} from '../../scenario/mod.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';

const PLACE = { file: '', line: 1, column: 1 } as const;
const CLIENT_IDS: readonly number[] = [Tag.ClOrdID, Tag.OrigClOrdID, Tag.ListID];
const EXCHANGE_IDS: readonly number[] = [Tag.OrderID, Tag.SecondaryOrderID, Tag.ExecID, Tag.ExecRefID];

/** The scenario's text. `kept`: the request that is answered differently. */
export function shrunkScenario(plan: ReplayPlan, kept: RequestResult, dictionaries: readonly Dictionary[]): string {
  const { msgType, label } = kept.request;
  const title = `${messageName(msgType, dictionaries)} ${label}`;
  const isQuietAtEnd = kept.differences.some(({ kind }) => kind === 'unexpected');
  const steps = new Steps(plan);
  const one: ScenarioCase = {
    ...{ id: 'shrunk', title, rule: null, mandatory: true, role: 'initiator', tags: [], timeout: null },
    versions: [applicationVersion(plan.beginString, plan.logon.defaultApplVerID ?? '9')],
    ...{ strict: false, steps: steps.all(isQuietAtEnd), place: PLACE },
  };
  const scenario = { name: 'shrunk', title: '', variables: new Map(), fragments: [], cases: [one] };
  return printScenario(scenario, new FieldNames(dictionaries));
}

class Steps {
  private readonly plan: ReplayPlan;
  /** Variable of each id that the exchange gave, by kind and value. */
  private readonly variables = new Map<string, string>();
  /** Ids that an earlier step captured. */
  private readonly captured = new Set<string>();

  constructor(plan: ReplayPlan) {
    this.plan = plan;
  }

  /** `isQuietAtEnd`: nothing may come behind the last answer. */
  all(isQuietAtEnd: boolean): Step[] {
    const { beginString, requests, answers, heartBtIntS } = this.plan;
    const logon: SentField[] = [
      sent(Tag.MsgType, [MsgType.Logon]),
      sent(Tag.EncryptMethod, ['0']),
      sent(Tag.HeartBtInt, [`${heartBtIntS}`]),
      sent(Tag.ResetSeqNumFlag, ['Y']),
      ...(beginString < 'FIX.4.3' ? [] : [sent(Tag.TestMessageIndicator, [variable('testMessageIndicator')])]),
      sent(Tag.Username, [variable('username')]),
      sent(Tag.Password, [variable('password')]),
      ...(beginString === 'FIXT.1.1' ? [sent(Tag.DefaultApplVerID, [variable('defaultApplVerID')])] : []),
    ];
    const actions: StepAction[] = [
      { kind: 'connect', within: null },
      { kind: 'send', fields: logon },
      awaited([equal(Tag.MsgType, [MsgType.Logon])]),
    ];
    let next = 0;
    for (const request of [...requests, null]) {
      const upTo = request === null ? answers.length : request.answersBefore;
      for (; next < upTo; next++) actions.push(awaited(this.expected(answers[next]!.message.view())));
      if (request !== null) actions.push({ kind: 'send', fields: this.request(request.message.view()) });
    }
    if (isQuietAtEnd) actions.push({ kind: 'expectNothing', duration: ['2s'] });
    actions.push({ kind: 'send', fields: [sent(Tag.MsgType, [MsgType.Logout])] });
    actions.push(awaited([equal(Tag.MsgType, [MsgType.Logout])]), { kind: 'disconnect' });
    return actions.map((action) => ({ action, connection: '', place: PLACE, text: '', rule: null, hint: null }));
  }

  private request(view: MessageView): SentField[] {
    const fields = [sent(Tag.MsgType, [view.msgType])];
    for (let i = 3; i < view.fieldCount; i++) {
      const tag = view.tagAt(i);
      if (tag === 0 || isLeftOutOfRequests(tag)) continue;
      fields.push(sent(tag, this.requestValue(tag, view.stringAt(i))));
    }
    return fields;
  }

  private requestValue(tag: number, value: string): Template {
    if (CLIENT_IDS.includes(tag)) return [variable('run'), `-${value}`];
    if (tag === Tag.TransactTime) return [variable('now')];
    const known = EXCHANGE_IDS.includes(tag) ? this.variables.get(keyOf(tag, value)) : undefined;
    return known !== undefined && this.captured.has(known) ? [variable(known)] : [value];
  }

  private expected(view: MessageView): ExpectedField[] {
    const fields = [equal(Tag.MsgType, [view.msgType])];
    for (let i = 3; i < view.fieldCount; i++) {
      const tag = view.tagAt(i);
      const value = view.stringAt(i);
      const kind = answerTagKind(tag, value);
      if (tag !== 0 && kind !== 'transmission') fields.push(this.expectedField(tag, value, kind));
    }
    return fields;
  }

  private expectedField(tag: number, value: string, kind: AnswerTag): ExpectedField {
    if (CLIENT_IDS.includes(tag)) return equal(tag, [variable('run'), `-${value}`]);
    if (kind === 'volatile') return { tag, optional: false, expectation: { kind: 'any' }, capture: null };
    if (kind === 'value') return equal(tag, [value]);
    const key = keyOf(tag, value);
    const name = this.variables.get(key) ?? `id${this.variables.size + 1}`;
    this.variables.set(key, name);
    if (this.captured.has(name)) return equal(tag, [variable(name)]);
    this.captured.add(name);
    return { tag, optional: false, expectation: { kind: 'any' }, capture: name };
  }
}

/** An ExecRefID(19) is the ExecID(17) of another report. */
const keyOf = (tag: number, value: string): string => `${tag === Tag.ExecRefID ? Tag.ExecID : tag}=${value}`;
const variable = (name: string) => ({ name, offset: 0, unit: null });
const sent = (tag: number, value: Template): SentField => ({ tag, value });
const equal = (tag: number, value: Template): ExpectedField => ({
  ...{ tag, optional: false, capture: null },
  expectation: { kind: 'equals', value },
});
const awaited = (fields: readonly ExpectedField[]): StepAction => ({
  ...{ kind: 'expect', passesOver: true, within: null },
  messages: [{ fields, exact: false }],
});
