// Values with references: `{orderID}`, `{next+2}`, `{now-30s}`. `{{` and `}}` stand for the braces themselves.

import type { Reference, Template, TimeUnit } from '../model.ts';

const REFERENCE = /^([A-Za-z_][\w.]*)(?:([+-])(\d{1,9})(ms|s|m|h|d)?)?$/;

/** A template, or the offset of its fault with a sentence. */
export type TemplateResult =
  | { readonly ok: true; readonly value: Template }
  | { readonly ok: false; readonly offset: number; readonly text: string };

export function parseTemplate(text: string): TemplateResult {
  const parts: (string | Reference)[] = [];
  let literal = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if ((c === '{' || c === '}') && text[i + 1] === c) {
      literal += c;
      i++;
      continue;
    }
    if (c === '}') return { ok: false, offset: i, text: 'a } without its {. Write }} for the character itself' };
    if (c !== '{') {
      literal += c;
      continue;
    }
    const end = text.indexOf('}', i);
    const match = end === -1 ? null : REFERENCE.exec(text.slice(i + 1, end));
    if (match === null) {
      const advice = 'Write {name}, {name+2} or {now-30s}, or {{ for the character itself';
      return { ok: false, offset: i, text: `a { without a variable. ${advice}` };
    }
    if (literal !== '') parts.push(literal);
    literal = '';
    const [, name, sign, digits = '0', unit] = match;
    const offset = sign === '-' ? -Number(digits) : Number(digits);
    parts.push({ name: name!, offset, unit: (unit as TimeUnit | undefined) ?? null });
    i = end;
  }
  if (literal !== '') parts.push(literal);
  return { ok: true, value: parts };
}

/** The text of a template, so that it parses to the same. */
export function printTemplate(template: Template): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part.replace(/[{}]/g, '$&$&');
      const { name, offset, unit } = part;
      const moved = offset === 0 && unit === null ? '' : `${offset < 0 ? '-' : '+'}${Math.abs(offset)}${unit ?? ''}`;
      return `{${name}${moved}}`;
    })
    .join('');
}

/** Replace the parameters of a fragment by the arguments of its call. */
export function substitute(template: Template, values: ReadonlyMap<string, Template>): Template {
  if (!template.some((part) => typeof part !== 'string' && values.has(part.name))) return template;
  return template.flatMap((part): Template => {
    if (typeof part === 'string') return [part];
    const value = values.get(part.name);
    if (value === undefined) return [part];
    // An empty argument still leaves its field out; a value that is empty by itself is sent.
    if (value.length === 0) return [''];
    if (part.offset === 0) return value;
    const [only] = value;
    if (value.length === 1 && typeof only === 'string' && /^-?\d+$/.test(only))
      return [`${Number(only) + part.offset}`];
    if (value.length === 1 && typeof only === 'object') {
      return [{ name: only.name, offset: only.offset + part.offset, unit: part.unit ?? only.unit }];
    }
    return [part];
  });
}

const UNIT_MS: Readonly<Record<TimeUnit, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of an offset; seconds without a unit. */
export function offsetMs({ offset, unit }: Reference): number {
  return offset * UNIT_MS[unit ?? 's'];
}

/** Longest duration of a step: a day. */
const DURATION_MS_MAX = 86_400_000;

/** Milliseconds of `500ms`, `2s`, `1.5s`, `3m`, `1h`; null if it is no duration or longer than a day. */
export function durationMs(text: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return null;
  const ms = Math.round(Number(match[1]) * UNIT_MS[match[2] as TimeUnit]);
  return ms <= DURATION_MS_MAX ? ms : null;
}
