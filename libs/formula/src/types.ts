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

/** One mistake in a formula. */
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
