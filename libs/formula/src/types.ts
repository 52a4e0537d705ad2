/**
 * The type of a value in a formula. `any` is a payload key that nobody declared; `null` is the literal NULL
 * before a neighbour gives it a type.
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
  /** Where it begins: 0-based, counted in code points. */
  position: number;
  /** How many code points it covers; 0 at the end of the source. */
  length: number;
  /** What the author may have meant, ready to put in place of the covered text. */
  suggestion?: string;
}

/** What an evaluation takes from outside: one instant per request or handled event, and the tenant's zone. */
export interface EvaluationContext {
  now: Date;
  /** IANA name; UTC when it is missing or not known to this platform. */
  timeZone?: string;
}

/**
 * A value of the record a formula reads or of its result, in its canonical JSON form: text, finite number,
 * boolean, `YYYY-MM-DD`, RFC 3339 UTC with `Z`, an array of options, or null.
 */
export type JsonValue = string | number | boolean | readonly string[] | null;
