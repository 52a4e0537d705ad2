import type { ValueType } from './types.js';

export type UnaryOperator = '-' | '!';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type RelationalOperator = '<' | '<=' | '>' | '>=';
export type EqualityOperator = '==' | '!=';
export type LogicalOperator = '&&' | '||';
export type BinaryOperator = ArithmeticOperator | RelationalOperator | EqualityOperator | LogicalOperator;

/** The position of a node in the source, in code points. */
interface Span {
  readonly position: number;
  readonly length: number;
}

export interface NumberNode extends Span {
  readonly kind: 'number';
  readonly value: number;
}
export interface TextNode extends Span {
  readonly kind: 'text';
  readonly value: string;
}
export interface BooleanNode extends Span {
  readonly kind: 'boolean';
  readonly value: boolean;
}
export interface NullNode extends Span {
  readonly kind: 'null';
}
export interface FieldNode extends Span {
  readonly kind: 'field';
  readonly name: string;
}
export interface UnaryNode extends Span {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Node;
}
export interface BinaryNode extends Span {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  /** The position of the operator itself, for messages about it. */
  readonly operatorPosition: number;
  /** As written: a mistaken operator (`=`) and the one it stands for differ in length. */
  readonly operatorLength: number;
  readonly left: Node;
  readonly right: Node;
}
export interface CallNode extends Span {
  readonly kind: 'call';
  /** In upper case. */
  readonly name: string;
  readonly nameLength: number;
  readonly args: readonly Node[];
}
/** Takes the place of source that could not be parsed, so that the rest is still checked. */
export interface ErrorNode extends Span {
  readonly kind: 'error';
}

/** The tree of a formula. Parentheses have no node: the shape of the tree expresses them. */
export type Node =
  | NumberNode
  | TextNode
  | BooleanNode
  | NullNode
  | FieldNode
  | UnaryNode
  | BinaryNode
  | CallNode
  | ErrorNode;

/** What the type checker adds to each node. */
export interface Typing {
  /** `null` only where no neighbouring operand gives NULL a type. */
  readonly type: ValueType;
  readonly nullable: boolean;
}

export type TypedNode =
  | ((NumberNode | TextNode | BooleanNode | NullNode | FieldNode | ErrorNode) & Typing)
  | (Omit<UnaryNode, 'operand'> & Typing & { readonly operand: TypedNode })
  | (Omit<BinaryNode, 'left' | 'right'> & Typing & { readonly left: TypedNode; readonly right: TypedNode })
  | (Omit<CallNode, 'args'> & Typing & { readonly args: readonly TypedNode[] });
