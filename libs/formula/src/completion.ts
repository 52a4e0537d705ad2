import type { FieldTypes, ValueType } from './ast.js';
import { ErrorList, LIMITS } from './errors.js';
import { type FunctionDefinition, parameterAt, signature } from './functions/definition.js';
import { functions } from './functions/index.js';
import { type Token, tokenize } from './lexer.js';
import { fieldNames, fieldType } from './suggestions.js';

/** One completion for the place of the cursor. */
export interface CompletionItem {
  kind: 'field' | 'function' | 'keyword';
  /** What a list shows: the name, or the signature of a function. */
  label: string;
  /** What replaces `from` to `to`. */
  insert: string;
  /** The type of a field or of a function's result; absent where the arguments decide it. */
  type?: ValueType;
  /** What a function does. */
  summary?: string;
}

/** The call whose arguments are being written. */
export interface SignatureHelp {
  name: string;
  /** `ROUND(number, places?)`. */
  signature: string;
  summary: string;
  parameters: string[];
  /** The index in `parameters` of the one at the cursor; a repeated parameter keeps its index. */
  activeParameter: number;
}

export interface Completion {
  /** The part of the source that an item replaces: in code points, 0-based, `to` excluded. */
  from: number;
  to: number;
  /** Names that begin with the typed text, then names that contain it; in each group matching types come first. */
  items: CompletionItem[];
  call?: SignatureHelp;
}

const OPERAND_KEYWORDS = ['TRUE', 'FALSE', 'NULL', 'NOT'];
const OPERATOR_KEYWORDS = ['AND', 'OR'];

/**
 * What an editor offers at a position of a formula, which may be incomplete or invalid. Never throws.
 * @param position of the cursor in code points: before the character with this index
 */
export function completeFormula(source: string, position: number, fields: FieldTypes): Completion {
  const characters = [...source.slice(0, LIMITS.sourceCharacters * 2)];
  const at = Math.max(0, Math.min(Math.trunc(position) || 0, characters.length));
  // What follows the cursor does not change what can be completed there.
  const before = tokenize(characters.slice(0, at), new ErrorList()).filter((token) => token.kind !== 'end');
  const call = openCall(before);
  const shown = call ? { call: signatureHelp(call) } : {};
  const last = before.at(-1);
  if (last && endOf(last) === at && (last.kind === 'number' || last.open)) {
    return { from: at, to: at, items: [], ...shown };
  }
  const isInName = last?.kind === 'name' && endOf(last) === at;
  const written = isInName ? last.text : '';
  const previous = isInName ? before.at(-2) : last;
  const from = isInName ? last.position : at;
  const wanted = call && parameterAt(call.definition, call.argument)?.accepts;
  const isNameNext = /^[A-Za-z_]$/.test(characters[at] ?? '');
  if (endsOperand(previous)) {
    // A name after the cursor is the next operand: it stays and needs a space before it.
    const to = from < at ? endOfName(characters, at) : at;
    const gap = to === at && isNameNext ? ' ' : '';
    return {
      from,
      to,
      items: matching(
        OPERATOR_KEYWORDS.map((name) => keyword(name, gap)),
        written,
      ),
      ...shown,
    };
  }
  const to = from < at || isNameNext ? endOfName(characters, at) : at;
  const items = operands(fields, wanted, isParenthesisNext(characters, to));
  return { from, to, items: matching(items, written), ...shown };
}

interface OpenCall {
  definition: FunctionDefinition;
  argument: number;
}

/** The innermost call that is still open after these tokens. */
function openCall(tokens: readonly Token[]): OpenCall | undefined {
  const open: (OpenCall | undefined)[] = [];
  for (const [index, token] of tokens.entries()) {
    const innermost = open.at(-1);
    if (token.kind === '(') {
      const name = tokens[index - 1];
      const definition = name?.kind === 'name' ? functions.get(name.text.toUpperCase()) : undefined;
      open.push(definition && { definition, argument: 0 });
    } else if (token.kind === ')') {
      open.pop();
    } else if (token.kind === ',' && innermost) {
      innermost.argument++;
    }
  }
  return open.findLast((call) => call !== undefined);
}

function signatureHelp({ definition, argument }: OpenCall): SignatureHelp {
  const parameters = definition.parameters.map(({ name, optional }) => (optional ? `${name}?` : name));
  return {
    name: definition.name,
    signature: signature(definition),
    summary: definition.doc.summary,
    parameters,
    activeParameter: Math.min(argument, Math.max(0, parameters.length - 1)),
  };
}

function endOf({ position, length }: Token): number {
  return position + length;
}

/** The end of the name at the cursor, which is replaced as a whole. */
function endOfName(characters: readonly string[], at: number): number {
  let end = at;
  while (end < characters.length && /^[A-Za-z0-9_]$/.test(characters[end]!)) end++;
  return end;
}

/** Whether the name that ends here already has its arguments. */
function isParenthesisNext(characters: readonly string[], at: number): boolean {
  return characters.slice(at).find((character) => !/\s/.test(character)) === '(';
}

/** After a complete operand only an operator makes sense. */
function endsOperand(token: Token | undefined): boolean {
  switch (token?.kind) {
    case 'number':
    case 'text':
    case ')':
      return true;
    case 'name':
      return !['AND', 'OR', 'NOT'].includes(token.text.toUpperCase());
    default:
      return false;
  }
}

function keyword(name: string, gap: string): CompletionItem {
  return { kind: 'keyword', label: name, insert: name + gap };
}

/**
 * Fields in their order, then functions, then keywords; matching types come first.
 * @param called whether an opening parenthesis follows the cursor
 */
function operands(fields: FieldTypes, wanted: readonly ValueType[] | undefined, called: boolean): CompletionItem[] {
  const items: CompletionItem[] = [...fieldNames(fields)].map((name) => {
    const type = fieldType(fields, name);
    return { kind: 'field', label: name, insert: name, ...(type ? { type } : {}) };
  });
  for (const definition of functions.values()) {
    const { name, result, doc } = definition;
    items.push({
      kind: 'function',
      label: signature(definition),
      insert: called ? name : withParenthesis(definition),
      ...(result === 'shared' ? {} : { type: result }),
      summary: doc.summary,
    });
  }
  items.push(...OPERAND_KEYWORDS.map((name) => keyword(name, '')));
  if (!wanted) return items;
  const fits = ({ type }: CompletionItem) => type === undefined || type === 'any' || wanted.includes(type);
  return [...items.filter(fits), ...items.filter((item) => !fits(item))];
}

/** The text to insert for a function: closed only when it has no parameters. */
function withParenthesis({ name, parameters }: FunctionDefinition): string {
  return parameters.length === 0 ? `${name}()` : `${name}(`;
}

function matching(items: readonly CompletionItem[], written: string): CompletionItem[] {
  if (written === '') return [...items];
  const sought = written.toLowerCase();
  const nameOf = ({ label, kind }: CompletionItem) =>
    (kind === 'function' ? label.slice(0, label.indexOf('(')) : label).toLowerCase();
  const begins = items.filter((item) => nameOf(item).startsWith(sought));
  return [...begins, ...items.filter((item) => !begins.includes(item) && nameOf(item).includes(sought))];
}
