// Names of fields and messages in scenario texts, joined from dictionaries.

import type { Dictionary } from '../dictionary/mod.ts';

/** Names of fields and messages, both ways. */
export class FieldNames {
  private readonly tags = new Map<string, number>();
  private readonly types = new Map<string, string>();
  private readonly fields = new Map<number, string>();
  private readonly messages = new Map<string, string>();

  /** The last dictionary that has a tag or type names it; texts may use the names of every one. */
  constructor(dictionaries: Iterable<Dictionary>) {
    for (const dictionary of dictionaries) {
      for (const { tag, name } of dictionary.fields.values()) {
        this.tags.set(name, tag);
        this.fields.set(tag, name);
      }
      for (const { msgType, name } of dictionary.messages.values()) {
        this.types.set(name, msgType);
        this.messages.set(msgType, name);
      }
    }
  }

  tagOf(name: string): number | null {
    return this.tags.get(name) ?? null;
  }

  /** MsgType(35) of a message name; a MsgType itself stays as it is. Null if it is neither. */
  msgTypeOf(name: string): string | null {
    return this.types.get(name) ?? (this.messages.has(name) ? name : null);
  }

  fieldName(tag: number): string | null {
    return this.fields.get(tag) ?? null;
  }

  messageName(msgType: string): string | null {
    return this.messages.get(msgType) ?? null;
  }

  /** `ExecType(150)`; the tag alone if it has no name. */
  fieldLabel(tag: number): string {
    const name = this.fields.get(tag);
    return name === undefined ? `${tag}` : `${name}(${tag})`;
  }

  get fieldNames(): string[] {
    return [...this.tags.keys()];
  }

  get messageNames(): string[] {
    return [...this.types.keys()];
  }
}
