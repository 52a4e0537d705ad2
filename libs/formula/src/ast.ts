/**
 * The type of a value in a formula. `any` is an undeclared payload key; `null` is the literal NULL
 * before a neighbouring operand gives it a type.
 */
export type ValueType = 'number' | 'text' | 'boolean' | 'date' | 'datetime' | 'multi_select' | 'any' | 'null';

/** The names a formula may read, with their types: a map or an object of own properties. */
export type FieldTypes = ReadonlyMap<string, ValueType> | Readonly<Record<string, ValueType>>;

export type FormulaErrorCode =
  | 'EMPTY'
  | 'UNEXPECTED_CHARACTER'
  | 'UNTERMINATED_TEXT'
  | 'INVALID_ESCAPE'
  | 'INVALID_TEXT'
  | 'INVALID_NUMBER'
  | 'UNEXPECTED_TOKEN'
  | 'UNEXPECTED_END'
  | 'CHAINED_COMPARISON'
  | 'UNKNOWN_FIELD'
  | 'UNKNOWN_FUNCTION'
  | 'WRONG_ARITY'
  | 'TYPE_MISMATCH'
  | 'NO_TYPE'
  | 'TOO_LONG'
  | 'TOO_MANY_NODES'
  | 'TOO_DEEP'
  | 'CYCLE'
  | 'CHAIN_TOO_DEEP';

export interface FormulaError {
  code: FormulaErrorCode;
  /** A sentence for the author of the formula. */
  message: string;
  /** Start position: 0-based, in code points. */
  position: number;
  /** Length in code points; 0 at the end of the source. */
  length: number;
  /** What the author may have meant, as a replacement for the covered text. */
  suggestion?: string;
}

/** The outside inputs of an evaluation: one instant per request or handled event, and the tenant's zone. */
export interface EvaluationContext {
  now: Date;
  /** IANA name; UTC when it is absent or unknown to this platform. */
  timeZone?: string;
}

/**
 * A value of a record or of a result, in its canonical JSON form: text, finite number,
 * boolean, `YYYY-MM-DD`, RFC 3339 UTC with `Z`, an array of options, or null.
 */
export type JsonValue = string | number | boolean | readonly string[] | null;

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type RelationalOperator = '<' | '<=' | '>' | '>=';
export type EqualityOperator = '==' | '!=';
export type BinaryOperator = ArithmeticOperator | RelationalOperator | EqualityOperator | '&&' | '||';

/** The position of a node in the source, in code points. */
export interface Span {
  readonly position: number;
  readonly length: number;
}

type Leaf = Span &
  (
    | { readonly kind: 'number'; readonly value: number }
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
    | { readonly kind: 'field'; readonly name: string }
    /** Takes the place of source that could not be parsed, so that the rest is still checked. */
    | { readonly kind: 'error' }
  );
export interface UnaryNode extends Span {
  readonly kind: 'unary';
  readonly operator: '-' | '!';
  readonly operand: Node;
}
export interface BinaryNode extends Span {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  /** The position of the operator itself, for messages about it. */
  readonly operatorPosition: number;
  /** The length as written: a mistaken operator (`=`) and the one it stands for differ in length. */
  readonly operatorLength: number;
  readonly left: Node;
  readonly right: Node;
}
export interface CallNode extends Span {
  readonly kind: 'call';
  readonly name: string;
  readonly nameLength: number;
  readonly args: readonly Node[];
}

/** The tree of a formula. Parentheses have no node: the shape of the tree expresses them. */
export type Node = Leaf | UnaryNode | BinaryNode | CallNode;

interface Typing {
  /** `null` only where no neighbouring operand gives NULL a type. */
  readonly type: ValueType;
  readonly nullable: boolean;
}

export type TypedNode =
  | (Leaf & Typing)
  | (Omit<UnaryNode, 'operand'> & Typing & { readonly operand: TypedNode })
  | (Omit<BinaryNode, 'left' | 'right'> & Typing & { readonly left: TypedNode; readonly right: TypedNode })
  | (Omit<CallNode, 'args'> & Typing & { readonly args: readonly TypedNode[] });

/** Precedence of the binary operators; operators of one level associate to the left. */
const LEVELS: Readonly<Record<BinaryOperator, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};
/** The lowest level: a whole expression. */
export const LOOSEST_LEVEL = 1;

export function precedenceOf(operator: BinaryOperator): number {
  return LEVELS[operator];
}

/** Returns whether operators of this level cannot be chained: `a < b < c` is an error. */
export function isComparisonLevel(level: number): boolean {
  return level === 3 || level === 4;
}

export function isBinaryOperator(text: string): text is BinaryOperator {
  return Object.hasOwn(LEVELS, text);
}
