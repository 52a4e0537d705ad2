import type { ValueType } from '@crm/formula';

/** What a formula can read. */
export interface Operand {
  readonly apiName: string;
  readonly type: ValueType;
}

export interface GeneratedExpression {
  readonly expression: string;
  readonly type: ValueType;
  /** The fields that it reads, plain ones and formulas. */
  readonly reads: readonly string[];
}

type Template = (first: string, second: string) => [expression: string, type: ValueType];

/** By the type of what they read. */
const TEMPLATES: Readonly<Partial<Record<ValueType, readonly Template[]>>> = {
  number: [
    (a, b) => [`${a} + ${b}`, 'number'],
    (a, b) => [`IF(${a} > 1, ${b}, 0)`, 'number'],
    (a, b) => [`IF(${a} > ${b}, "high", "low")`, 'text'],
    (a) => [`${a} >= 1`, 'boolean'],
    (a, b) => [`MAX(${a}, ${b}) / 2`, 'number'],
  ],
  text: [
    (a, b) => [`CONCAT(${a}, "/", ${b})`, 'text'],
    (a) => [`LEN(${a})`, 'number'],
    (a) => [`UPPER(${a})`, 'text'],
    (a, b) => [`BLANKVALUE(${a}, ${b})`, 'text'],
    (a, b) => [`CONTAINS(${a}, "alph") || ${b} == "Beta"`, 'boolean'],
  ],
  boolean: [(a) => [`IF(${a}, "yes", "no")`, 'text'], (a, b) => [`${a} && !${b}`, 'boolean']],
  date: [
    (a) => [`DAYS_BETWEEN(${a}, TODAY())`, 'number'],
    (a, b) => [`IF(${a} < TODAY(), ${b})`, 'date'],
    (a, b) => [`${a} < ${b}`, 'boolean'],
  ],
  datetime: [
    (a, b) => [`DAYS_BETWEEN(${a}, ${b})`, 'number'],
    (a, b) => [`MIN(${a}, ${b})`, 'datetime'],
    (a) => [`TODAY() > ${a}`, 'boolean'],
  ],
  multi_select: [(a) => [`CONTAINS(${a}, "red")`, 'boolean'], (a, b) => [`LEN(${a}) + LEN(${b})`, 'number']],
};

/**
 * A well-typed expression over some of the operands.
 * @param operands at least one
 * @param choice which operands and which template; any numbers
 */
export function expressionOver(
  operands: readonly Operand[],
  choice: readonly [first: number, second: number, template: number],
): GeneratedExpression {
  const first = at(operands, choice[0]);
  const second = at(
    operands.filter(({ type }) => type === first.type),
    choice[1],
  );
  const template = at(TEMPLATES[first.type] ?? [], choice[2]);
  const [expression, type] = template(first.apiName, second.apiName);
  const reads = [first, second]
    .map(({ apiName }) => apiName)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(expression));
  return { expression, type, reads: [...new Set(reads)] };
}

function at<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length];
  if (found === undefined) throw new Error('There is nothing to choose from');
  return found;
}
