import { MAX_DEPTH, MAX_NODES } from '../admit-json.js';
import { pointer } from '../json-pointer.js';
import { excerpt, MAX_FINDINGS } from '../problem.js';
import {
  LineIndex,
  type ScannedText,
  SyntaxProblem,
  scanLiteral,
  scanNumber,
  scanText,
  skipSpace,
} from './scan-json.js';

/** A value of the text with its position; offsets are UTF-16 units, `end` is exclusive. */
export interface SourceNode {
  start: number;
  end: number;
  value: unknown;
  /** The keys of an object in the order of the text; undefined for everything else. */
  keys: readonly SourceKey[] | undefined;
  /** The values of an object's keys, or the entries of a list; undefined for everything else. */
  nodes: readonly SourceNode[] | undefined;
}

export interface SourceKey {
  name: string;
  start: number;
  end: number;
}

/** Why a text is rejected, and where. */
export interface SourceProblem {
  start: number;
  end: number;
  /** The value that contains the problem. */
  pointer: string;
  message: string;
}

/** The tree of a text, or its problems: the first syntax error, or every duplicate key. */
export type ParsedJson = { ok: true; root: SourceNode } | { ok: false; problems: SourceProblem[] };

/** Longest source, in UTF-16 units: four times the limit for its texts leaves space for any layout. */
export const MAX_SOURCE = 8 * 1024 * 1024;

/** Longest part of a key in a message, in UTF-16 units. */
const LONGEST_NAME = 80;

/**
 * Parses a JSON text (RFC 8259) with the position of every value. It is stricter than `JSON.parse`: it rejects
 * duplicate keys, because parsers disagree about which of the two counts, the key `__proto__`, numbers beyond the range
 * of a double, and texts beyond the limits of a package.
 * @param text the content of a file; a byte order mark at its beginning is skipped
 */
export function parseJson(text: string, lines: LineIndex = new LineIndex(text)): ParsedJson {
  if (text.length > MAX_SOURCE) {
    const message = `The file is longer than ${MAX_SOURCE} characters.`;
    return { ok: false, problems: [{ start: 0, end: 0, pointer: '', message }] };
  }
  const parser = new JsonParser(text, lines);
  try {
    const root = parser.document();
    return parser.problems.length === 0 ? { ok: true, root } : { ok: false, problems: parser.problems };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const { start, end, message } = error;
    return { ok: false, problems: [{ start, end, pointer: parser.place(), message }] };
  }
}

class JsonParser {
  readonly problems: SourceProblem[] = [];
  private readonly path: (string | number)[] = [];
  private at = 0;
  private nodes = 0;

  constructor(
    private readonly text: string,
    private readonly lines: LineIndex,
  ) {}

  place(): string {
    return pointer(...this.path);
  }

  document(): SourceNode {
    if (this.text.startsWith('\ufeff')) this.at = 1;
    const root = this.value();
    this.space();
    if (this.at < this.text.length) this.fail('Nothing is allowed after the document.');
    return root;
  }

  private value(): SourceNode {
    this.space();
    const start = this.at;
    this.nodes++;
    if (this.nodes > MAX_NODES) this.fail(`The document has more than ${MAX_NODES} values.`);
    switch (this.text[start]) {
      case '{':
        this.checkDepth();
        return this.object();
      case '[':
        this.checkDepth();
        return this.list();
      case '"': {
        const { value, end } = this.textAt();
        return { start, end, value, keys: undefined, nodes: undefined };
      }
      case undefined:
        return this.fail('The document ends where a value is expected.');
    }
    const scanned = scanNumber(this.text, start) ?? scanLiteral(this.text, start);
    this.at = scanned.end;
    return { start, end: scanned.end, value: scanned.value, keys: undefined, nodes: undefined };
  }

  private checkDepth(): void {
    if (this.path.length > MAX_DEPTH) this.fail(`The document is nested deeper than ${MAX_DEPTH} levels.`);
  }

  private object(): SourceNode {
    const start = this.at;
    const keys: SourceKey[] = [];
    const nodes: SourceNode[] = [];
    const value: Record<string, unknown> = {};
    this.at++;
    this.space();
    if (this.text[this.at] === '}') return { start, end: ++this.at, value, keys, nodes };
    do {
      this.space();
      const key = this.key();
      this.path.push(key.name);
      const node = this.value();
      if (this.admitsKey(value, keys, key)) {
        keys.push(key);
        nodes.push(node);
        value[key.name] = node.value;
      }
      this.path.pop();
    } while (this.another('}', 'member'));
    return { start, end: ++this.at, value, keys, nodes };
  }

  private key(): SourceKey {
    const start = this.at;
    if (this.text[start] !== '"') this.failAtKey();
    const { value: name, end } = this.textAt();
    this.space();
    if (this.text[this.at] !== ':') {
      this.fail(`A colon is expected after the key ${excerpt(this.text.slice(start, end), LONGEST_NAME)}.`);
    }
    this.at++;
    return { name, start, end };
  }

  private admitsKey(
    value: Record<string, unknown>,
    keys: readonly SourceKey[],
    { name, start, end }: SourceKey,
  ): boolean {
    const isProto = name === '__proto__';
    if (!isProto && !Object.hasOwn(value, name)) return true;
    if (this.problems.length <= MAX_FINDINGS) {
      const message = isProto ? 'The key "__proto__" is not allowed.' : this.twice(keys, name);
      this.problems.push({ start, end, pointer: this.place(), message });
    }
    return false;
  }

  private twice(keys: readonly SourceKey[], name: string): string {
    const first = keys.find((key) => key.name === name)?.start ?? 0;
    const { line } = this.lines.positionOf(first);
    const shown = JSON.stringify(excerpt(name, LONGEST_NAME));
    return `The key ${shown} appears twice in this object, first in line ${line}.`;
  }

  private list(): SourceNode {
    const start = this.at;
    const nodes: SourceNode[] = [];
    const value: unknown[] = [];
    this.at++;
    this.space();
    if (this.text[this.at] === ']') return { start, end: ++this.at, value, keys: undefined, nodes };
    do {
      this.path.push(nodes.length);
      const node = this.value();
      nodes.push(node);
      value.push(node.value);
      this.path.pop();
    } while (this.another(']', 'entry'));
    return { start, end: ++this.at, value, keys: undefined, nodes };
  }

  /** Returns whether a comma introduces another member or entry; otherwise the closing bracket is next. */
  private another(close: '}' | ']', what: string): boolean {
    this.space();
    const found = this.text[this.at];
    if (found === close) return false;
    if (found === undefined) this.fail(`The document ends without the closing "${close}".`);
    if (found !== ',') this.fail(`A comma or "${close}" is expected here.`);
    const comma = this.at++;
    this.space();
    if (this.text[this.at] === close) {
      throw new SyntaxProblem(`A comma is not allowed after the last ${what}.`, comma, comma + 1);
    }
    return true;
  }

  private textAt(): ScannedText {
    const scanned = scanText(this.text, this.at);
    this.at = scanned.end;
    return scanned;
  }

  private space(): void {
    this.at = skipSpace(this.text, this.at);
  }

  private failAtKey(): never {
    if (this.at >= this.text.length) return this.fail('The document ends without the closing "}".');
    return this.fail('A key in double quotes is expected here.');
  }

  private fail(message: string): never {
    throw new SyntaxProblem(message, this.at, Math.min(this.at + 1, this.text.length));
  }
}
