import { arithmetic } from './arithmetic.js';
import type { EvaluationContext, FieldTypes, JsonValue, TypedNode, ValueType } from './ast.js';
import { type CheckedFormula, type CheckOptions, checkFormula } from './checker.js';
import { compileComparison } from './comparison.js';
import { FormulaCompileError } from './errors.js';
import { parameterAt } from './functions/definition.js';
import { functions } from './functions/index.js';
import { concatenate } from './functions/texts.js';
import { asItIs, coerced, type Evaluator, fieldReader, finite, type Operand, Row, toJson } from './values.js';

export interface CompiledFormula {
  readonly resultType: ValueType;
  readonly nullable: boolean;
  readonly dependencies: readonly string[];
  /**
   * True when the value depends on the clock or the tenant's zone as well as on the record: the formula calls TODAY,
   * compares a date with a datetime, or takes the date of a datetime.
   */
  readonly readsClock: boolean;
  /**
   * The value for a record of canonical JSON values, in canonical JSON form. Never throws: a value that is missing
   * or does not match its declared type is null.
   */
  evaluate(record: Readonly<Record<string, unknown>>, context: EvaluationContext): JsonValue;
}

/**
 * Compiles a formula (its source or the result of its check) to closures.
 * Throws FormulaCompileError when it does not pass the check.
 */
export function compileFormula(
  formula: string | CheckedFormula,
  fields: FieldTypes,
  options?: CheckOptions,
): CompiledFormula {
  const checked = typeof formula === 'string' ? checkFormula(formula, fields, options) : formula;
  if (!checked.ok || !checked.tree) throw new FormulaCompileError(checked.errors);
  const evaluator = compileNode(checked.tree);
  const present = toJson(checked.resultType);
  return {
    resultType: checked.resultType,
    nullable: checked.nullable,
    dependencies: checked.dependencies,
    readsClock: readsClock(checked.tree),
    evaluate:
      present === asItIs
        ? (record, context) => evaluator(new Row(record, context))
        : (record, context) => present(evaluator(new Row(record, context))),
  };
}

function compileNode(node: TypedNode): Evaluator {
  switch (node.kind) {
    case 'number':
    case 'text':
    case 'boolean': {
      const { value } = node;
      return () => value;
    }
    case 'null':
      return () => null;
    case 'field':
      return fieldReader(node.name, node.type);
    case 'unary': {
      const operand = operandOf(node.operand);
      if (node.operator === '!') return not(operand);
      const value = coerced(operand, 'number');
      return (row) => {
        const number = value(row) as number | null;
        return number === null ? null : 0 - number;
      };
    }
    case 'binary':
      return compileBinary(node);
    case 'call':
      return compileCall(node);
    case 'error':
      throw new TypeError('A tree with errors cannot be compiled');
  }
}

function operandOf(node: TypedNode): Operand {
  const evaluate = compileNode(node);
  const literal = node.kind === 'number' || node.kind === 'text' || node.kind === 'boolean';
  return literal ? { evaluate, type: node.type, constant: node.value } : { evaluate, type: node.type };
}

function not(operand: Operand): Evaluator {
  const { evaluate } = operand;
  return (row) => evaluate(row) !== true;
}

function compileBinary(node: Extract<TypedNode, { kind: 'binary' }>): Evaluator {
  const left = operandOf(node.left);
  const right = operandOf(node.right);
  const a = left.evaluate;
  const b = right.evaluate;
  switch (node.operator) {
    // Everything but TRUE counts as FALSE: null, and a value of an undeclared name that is not a boolean.
    case '&&':
      return (row) => a(row) === true && b(row) === true;
    case '||':
      return (row) => a(row) === true || b(row) === true;
    case '+':
      return compilePlus(node.type, left, right);
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(node.operator, left, right);
    default:
      return compileComparison(node.operator, left, right);
  }
}

function compilePlus(type: ValueType, left: Operand, right: Operand): Evaluator {
  if (type === 'number') return arithmetic('+', left, right);
  if (left.type === 'text' || right.type === 'text') return concatenate([left, right]);
  // An undeclared name is involved: with a text on either side it joins, two numbers are added, everything else is null.
  return (row) => {
    const x = left.evaluate(row);
    const y = right.evaluate(row);
    if (typeof x === 'string' || typeof y === 'string') {
      return concatenate([
        { evaluate: () => x, type: left.type },
        { evaluate: () => y, type: right.type },
      ])(row);
    }
    if (type !== 'any' || typeof x !== 'number' || typeof y !== 'number') return null;
    return finite(x + y);
  };
}

function compileCall(node: Extract<TypedNode, { kind: 'call' }>): Evaluator {
  const definition = functions.get(node.name)!;
  const args = node.args.map((argument, index): Operand => {
    const operand = operandOf(argument);
    const parameter = parameterAt(definition, index);
    const wanted = parameter.shared ? node.type : parameter.accepts.length === 1 ? parameter.accepts[0]! : 'any';
    return operand.type === 'any' ? { evaluate: coerced(operand, wanted), type: wanted } : operand;
  });
  return definition.compile(args, node.type);
}

function readsClock(node: TypedNode): boolean {
  switch (node.kind) {
    case 'unary':
      return readsClock(node.operand);
    case 'binary':
      return mixesDates(node.left.type, node.right.type) || readsClock(node.left) || readsClock(node.right);
    case 'call': {
      const types = node.args.map((argument) => argument.type);
      return (functions.get(node.name)?.readsClock?.(types) ?? false) || node.args.some(readsClock);
    }
    default:
      return false;
  }
}

/** Returns whether a date is compared with a datetime. `+` is not concerned: it joins them as texts, without converting either. */
function mixesDates(left: ValueType, right: ValueType): boolean {
  return (left === 'date' && right === 'datetime') || (left === 'datetime' && right === 'date');
}
