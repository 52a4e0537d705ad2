import { pointer, pointerSteps } from '../json-pointer.js';
import { type ParsedJson, parseJson, type SourceKey, type SourceNode } from './parse-json.js';
import { type LineColumn, LineIndex } from './scan-json.js';

export type TextWithPointer = [text: string, pointer: string];

/** Every text of a JSON value, except keys, with its pointer. */
export function* textsIn(value: unknown, place: string): Generator<TextWithPointer> {
  if (typeof value === 'string') yield [value, place];
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* textsIn(item, `${place}/${i}`);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* textsIn(member, place + pointer(key));
  }
}

export interface SourceRange extends LineColumn {
  /** UTF-16 units on the line `line`, at least 1; a multi-line value is marked by its first character. */
  length: number;
}

/** A JSON text with the positions of its values. */
export class JsonSource {
  readonly parsed: ParsedJson;
  readonly lines: LineIndex;

  constructor(text: string) {
    this.lines = new LineIndex(text);
    this.parsed = parseJson(text, this.lines);
  }

  get value(): unknown {
    return this.parsed.ok ? this.parsed.root.value : undefined;
  }

  /**
   * The position of a value, or of the enclosing value when it does not exist (a missing key or list entry).
   * @param about `key` for the key of a member instead of its value
   */
  locate(pointer: string, about: 'key' | 'value' = 'value'): SourceRange {
    if (!this.parsed.ok) {
      const [problem] = this.parsed.problems;
      return this.rangeOf(problem?.start ?? 0, problem?.end ?? 0);
    }
    let node: SourceNode = this.parsed.root;
    let key: SourceKey | undefined;
    for (const step of pointerSteps(pointer)) {
      const index = node.keys ? node.keys.findIndex(({ name }) => name === step) : Number(step);
      const next = node.nodes?.[index];
      if (!next) return this.rangeOf(node.start, node.end);
      key = node.keys?.[index];
      node = next;
    }
    const marked = about === 'key' && key ? key : node;
    return this.rangeOf(marked.start, marked.end);
  }

  /** The line, column and length of a range; offsets are UTF-16 units, `end` is exclusive. */
  rangeOf(start: number, end: number): SourceRange {
    const from = this.lines.positionOf(start);
    const isOneLine = this.lines.positionOf(end).line === from.line;
    return { ...from, length: isOneLine ? Math.max(1, end - start) : 1 };
  }
}
