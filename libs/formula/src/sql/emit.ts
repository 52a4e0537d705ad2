import type { BinaryNode, EvaluationContext, TypedNode, ValueType } from '../ast.js';
import { formatDate, postgresTimeZone, timeZone } from '../calendar.js';
import type { CheckedFormula } from '../checker.js';
import { FormulaCompileError, FormulaSqlError, LIMITS } from '../errors.js';
import { functions } from '../functions/index.js';
import { comparable, joined, orFalse, type SqlOperand, type SqlTarget, sqlType } from '../sql-target.js';
import { qualified } from './helpers.js';

/** Where the values of a field are stored. */
export interface SqlColumn {
  /**
   * An expression written by the caller, never by a user. Its value is canonical: a finite float8, a date or
   * timestamptz in the years 0001 to 9999 (timestamptz to the millisecond), a text[] without nulls; null when unset.
   */
  readonly sql: string;
  /** The type that the check used. */
  readonly type: ValueType;
}

/** Adds a value to the parameters and returns the placeholder, such as `$3`. */
export type BindParameter = (value: SqlParameter) => string;
export type SqlParameter = string | number;

export interface EmitOptions {
  firstParameter?: number;
  /** The checked formula of a name that is a formula field; undefined for a plain field. */
  formula?(name: string): CheckedFormula | undefined;
}

export interface EmittedSql {
  /** An expression of the formula's type: float8, text, boolean, date or timestamptz. */
  sql: string;
  /** Values of the placeholders, starting at `firstParameter`, for a client that sends them as text. */
  parameters: SqlParameter[];
  resultType: ValueType;
}

/**
 * Writes a formula as an SQL expression for Postgres 18 that has the same value as its closure. The SQL contains
 * nothing an author wrote: literals are parameters, names go through `columns`. The functions of
 * FORMULA_SQL_FUNCTIONS must exist.
 * @param formula a formula that passed the check, with declared names only
 * @param columns the column of each plain field it reads; may bind parameters of its own
 * @throws FormulaSqlError when formulas read each other more than ten deep, or all of them together are too large
 * @throws TypeError for a name without a declared type, or with another type than its column
 */
export function emitSql(
  formula: CheckedFormula,
  columns: (name: string, bind: BindParameter) => SqlColumn,
  context: EvaluationContext,
  options: EmitOptions = {},
): EmittedSql {
  const emitter = new Emitter(columns, context, options);
  const { sql, type } = emitter.formula(formula);
  return { sql, parameters: emitter.parameters, resultType: type };
}

class Emitter implements SqlTarget {
  readonly parameters: SqlParameter[] = [];
  private nodes = 0;
  private depth = 0;
  private zonePlaceholder: string | undefined;
  private todayPlaceholder: string | undefined;
  private readonly columnsByName = new Map<string, SqlColumn>();

  constructor(
    private readonly columns: (name: string, bind: BindParameter) => SqlColumn,
    private readonly context: EvaluationContext,
    private readonly options: EmitOptions,
  ) {}

  formula({ ok, tree, errors }: CheckedFormula): SqlOperand {
    if (!ok || !tree) throw new FormulaCompileError(errors);
    const result = this.node(tree);
    // Between formulas too: what one reads from another is its result, to which the limit applies.
    return result.type === 'text' ? { ...result, sql: this.call('bounded', result.sql), nullable: true } : result;
  }

  call(helper: string, ...args: readonly string[]): string {
    return `${qualified(helper)}(${args.join(', ')})`;
  }

  today(): string {
    if (this.todayPlaceholder === undefined) {
      const day = timeZone(this.context.timeZone).dayOf(this.context.now.getTime());
      this.todayPlaceholder = `${this.bind(formatDate(day))}::date`;
    }
    return this.todayPlaceholder;
  }

  zone(): string {
    this.zonePlaceholder ??= `${this.bind(postgresTimeZone(this.context.timeZone))}::text`;
    return this.zonePlaceholder;
  }

  private readonly bind = (value: SqlParameter): string => {
    this.parameters.push(value);
    return `$${(this.options.firstParameter ?? 1) + this.parameters.length - 1}`;
  };

  private node(node: TypedNode): SqlOperand {
    if (++this.nodes > LIMITS.sqlNodes) {
      throw new FormulaSqlError(`The formula and those it reads have more than ${LIMITS.sqlNodes} nodes`);
    }
    return node.kind === 'field' ? this.field(node.name, node.type) : { ...this.write(node), nullable: node.nullable };
  }

  private write(node: Exclude<TypedNode, { kind: 'field' }>): { sql: string; type: ValueType } {
    const { type } = node;
    switch (node.kind) {
      case 'number':
      case 'text':
        return { sql: `${this.bind(node.value)}::${sqlType(type)}`, type };
      case 'boolean':
        return { sql: node.value ? 'true' : 'false', type };
      case 'null':
        return { sql: `NULL::${sqlType(type)}`, type };
      case 'unary': {
        const operand = this.node(node.operand);
        return { sql: node.operator === '!' ? `(NOT ${orFalse(operand)})` : `(0::float8 - ${operand.sql})`, type };
      }
      case 'binary':
        return { sql: this.binary(node.operator, this.node(node.left), this.node(node.right), type), type };
      case 'call': {
        const args = node.args.map((argument) => this.node(argument));
        return { sql: functions.get(node.name)!.emit(args, type, this), type };
      }
      case 'error':
        throw new TypeError('A tree with errors cannot be written as SQL');
    }
  }

  private field(name: string, type: ValueType): SqlOperand {
    const formula = this.options.formula?.(name);
    if (formula) {
      if (++this.depth > LIMITS.chainDepth) {
        throw new FormulaSqlError(`"${name}" is read through more than ${LIMITS.chainDepth} formulas`);
      }
      const result = this.formula(formula);
      this.depth--;
      if (result.type !== type)
        throw new TypeError(`The formula ${name} was checked as ${type}, but is ${result.type}`);
      return result;
    }
    let column = this.columnsByName.get(name);
    if (!column) {
      column = this.columns(name, this.bind);
      this.columnsByName.set(name, column);
    }
    if (column.type !== type) throw new TypeError(`The field ${name} was checked as ${type}, but is ${column.type}`);
    return { sql: columnSql(column), type, nullable: true };
  }

  private binary(operator: BinaryNode['operator'], left: SqlOperand, right: SqlOperand, type: ValueType): string {
    switch (operator) {
      case '&&':
        return `(${orFalse(left)} AND ${orFalse(right)})`;
      case '||':
        return `(${orFalse(left)} OR ${orFalse(right)})`;
      case '+':
        if (type === 'number') return this.call('add', left.sql, right.sql);
        return this.call('bounded', joined([left, right], this));
      case '-':
        return this.call('add', left.sql, `(0::float8 - ${right.sql})`);
      case '*':
        return this.call('multiply', left.sql, right.sql);
      case '/':
        return this.call('divide', left.sql, right.sql);
      case '%':
        return this.call('remainder', left.sql, right.sql);
      default:
        return this.comparison(operator, left, right);
    }
  }

  private comparison(operator: string, left: SqlOperand, right: SqlOperand): string {
    const mixed = left.type !== right.type;
    const [a, b] = [left, right].map((operand) =>
      mixed && operand.type === 'date' ? this.call('start_of_day', operand.sql, this.zone()) : comparable(operand),
    );
    if (operator !== '==' && operator !== '!=') return `(${a} ${operator} ${b})`;
    if (!left.nullable && !right.nullable) return `(${a} ${operator === '==' ? '=' : '<>'} ${b})`;
    return `(${a} IS ${operator === '==' ? 'NOT ' : ''}DISTINCT FROM ${b})`;
  }
}

/** A column with the semantics of the language: -0 is 0, an empty selection is null, texts compare by code point. */
function columnSql({ sql, type }: SqlColumn): string {
  const cast = `(${sql})::${sqlType(type)}`;
  if (type === 'number') return `(${cast} + 0)`;
  if (type === 'multi_select') return `nullif(${cast}, '{}')`;
  return type === 'text' ? `(${cast} COLLATE "C")` : `(${cast})`;
}
