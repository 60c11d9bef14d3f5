// Shared by the tests of the language: names of two versions, parsing that must succeed, a run driven by hand.

import { expect } from 'vitest';
import {
  FieldNames,
  type LinkedCase,
  linkCase,
  parseScenario,
  problemLine,
  type ReceivedMessage,
  type Role,
  type RunEffect,
  type RunInput,
  type RunOptions,
  type Scenario,
  ScenarioRun,
  type Verb,
} from '../../src/scenario/mod.ts';
import { dictionary } from '../support/dictionary.ts';

export const NAMES = new FieldNames([dictionary('FIX42.xml'), dictionary('FIX44.xml')]);

export function parsed(text: string, verbs: readonly Verb[] = []): Scenario {
  const { scenario, problems } = parseScenario(text, 'test.scenario', { names: NAMES, verbs });
  expect(problems.map(problemLine)).toEqual([]);
  return scenario;
}

/** Faults of a text, `line:column: text` each, from reading and from linking every case. */
export function faultsOf(text: string, verbs: readonly Verb[] = [], role: Role = 'initiator'): string[] {
  const { scenario, problems } = parseScenario(text, 'f', { names: NAMES, verbs });
  const linked = scenario.cases.flatMap(
    (one) => linkCase(scenario, one, { role, hostVariables: ['next'], verbs }).problems,
  );
  return [...problems, ...linked].map((problem) => problemLine(problem).slice(2));
}

export function linked(text: string, verbs: readonly Verb[] = [], role: Role = 'initiator'): LinkedCase {
  const scenario = parsed(text, verbs);
  const result = linkCase(scenario, scenario.cases[0]!, { role, hostVariables: ['next', 'run'], verbs });
  expect(result.problems.map(problemLine)).toEqual([]);
  return result.linked;
}

/** A message as received: `8|37=x|` needs no more than its type and fields. */
export function message(text: string): ReceivedMessage {
  const fields = text
    .split('|')
    .filter((field) => field !== '')
    .map((field) => [Number(field.slice(0, field.indexOf('='))), field.slice(field.indexOf('=') + 1)] as const);
  return { msgType: fields.find(([tag]) => tag === 35)![1], fields };
}

/** A run driven by hand: every effect in words. */
export class HandDrivenRun {
  readonly run: ScenarioRun;
  now = 0;
  /** Effects of every input so far. */
  readonly effects: RunEffect[] = [];

  constructor(one: LinkedCase, options: Partial<RunOptions> = {}) {
    this.run = new ScenarioRun({
      case: one,
      variables: () => null,
      timeoutMs: 10_000,
      wholeSeconds: false,
      answersTestRequests: true,
      ...options,
    });
  }

  give(input: RunInput): RunEffect[] {
    const effects = [...this.run.handle(input, this.now)];
    this.effects.push(...effects);
    return effects;
  }

  receive(text: string, connection = ''): RunEffect[] {
    return this.give({ kind: 'message', connection, message: message(text) });
  }

  /** Start, and let the connection be made. */
  start(): this {
    this.give({ kind: 'start' });
    this.give({ kind: 'connected', connection: '' });
    return this;
  }

  later(ms: number): RunEffect[] {
    this.now += ms;
    return this.give({ kind: 'tick' });
  }

  /** `35=0|112=a` of every message sent. */
  get sent(): string[] {
    return this.effects.flatMap((effect) => {
      if (effect.kind !== 'send') return [];
      if (effect.message.kind === 'raw') return [effect.message.text];
      return [effect.message.fields.map(({ tag, value }) => `${tag}=${value}`).join('|')];
    });
  }

  get verdicts(): string[] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'verdict'
        ? [`${effect.step.text}: ${effect.outcome}${effect.text === '' ? '' : `, ${effect.text}`}`]
        : [],
    );
  }

  get ended() {
    return this.effects.find((effect) => effect.kind === 'ended') ?? null;
  }
}
