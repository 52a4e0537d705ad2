import type {
  BinaryNode,
  CallNode,
  FieldTypes,
  FormulaError,
  FormulaErrorCode,
  Node,
  Span,
  TypedNode,
  UnaryNode,
  ValueType,
} from './ast.js';
import { ErrorList } from './errors.js';
import { arity, type FunctionDefinition, parameterAt, signature } from './functions/definition.js';
import { functions } from './functions/index.js';
import { KEYWORD_LITERALS, parseFormula } from './parser.js';
import { fieldNames, fieldType, nearestName } from './suggestions.js';

export interface CheckOptions {
  /** Names that are not in `fields` have type `any` (workflow conditions, webhook filters). */
  untypedNames?: boolean;
  /** The type the whole formula must have, e.g. `boolean` for a condition. */
  expected?: ValueType;
}

export interface CheckedFormula {
  /** True when there is no error; only then can the formula be compiled. */
  ok: boolean;
  /** The type of the value; `any` where an error or an undeclared name hides it. */
  resultType: ValueType;
  nullable: boolean;
  /** The names it reads, each once, in source order; also available when the check failed. */
  dependencies: string[];
  errors: FormulaError[];
  tree?: TypedNode;
}

const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  number: 'a number',
  text: 'a text',
  boolean: 'a boolean',
  date: 'a date',
  datetime: 'a datetime',
  multi_select: 'a multi-select',
  any: 'a value',
  null: 'NULL',
};

/**
 * Parses a formula and checks names, arities and types against the fields it may read. Never throws: all
 * mistakes are in `errors`, sorted by position.
 */
export function checkFormula(source: string, fields: FieldTypes, options: CheckOptions = {}): CheckedFormula {
  const parsed = parseFormula(source);
  const errors = new ErrorList();
  for (const error of parsed.errors) errors.add(error);
  if (!parsed.tree) {
    return { ok: false, resultType: 'any', nullable: true, dependencies: [], errors: errors.sorted() };
  }
  const checker = new Checker(fields, options, errors);
  const tree = checker.check(parsed.tree);
  checker.checkResult(tree);
  return {
    ok: errors.errors.length === 0,
    resultType: tree.type,
    // A text result above the limit is null; literals alone cannot reach it.
    nullable: tree.nullable || (tree.type === 'text' && checker.dependencies.size > 0),
    dependencies: [...checker.dependencies],
    errors: errors.sorted(),
    tree,
  };
}

class Checker {
  readonly dependencies = new Set<string>();

  constructor(
    private readonly fields: FieldTypes,
    private readonly options: CheckOptions,
    private readonly errors: ErrorList,
  ) {}

  check(node: Node): TypedNode {
    switch (node.kind) {
      case 'number':
      case 'text':
      case 'boolean':
        return { ...node, type: node.kind, nullable: false };
      case 'null':
        return { ...node, type: 'null', nullable: true };
      case 'error':
        return { ...node, type: 'any', nullable: true };
      case 'field':
        return this.field(node);
      case 'unary':
        return this.unary(node);
      case 'binary':
        return this.binary(node);
      case 'call':
        return this.call(node);
    }
  }

  /** Rules for the formula as a whole. */
  checkResult(tree: TypedNode): void {
    const { expected } = this.options;
    if (tree.type === 'null') {
      this.report('NO_TYPE', 'The formula is always null and has no type', tree);
    } else if (tree.type === 'multi_select') {
      const message = "The result can't be a multi-select. Use CONTAINS, CONCAT, TEXT, or LEN on it";
      this.report('TYPE_MISMATCH', message, tree);
    } else if (expected !== undefined && tree.type !== expected && tree.type !== 'any') {
      const message = `The formula must return ${TYPE_NAMES[expected]}, but returns ${TYPE_NAMES[tree.type]}`;
      this.report('TYPE_MISMATCH', message, tree);
    }
  }

  private field(node: Extract<Node, { kind: 'field' }>): TypedNode {
    this.dependencies.add(node.name);
    const type = fieldType(this.fields, node.name);
    if (type === undefined && !this.options.untypedNames) {
      this.reportUnknown('UNKNOWN_FIELD', `Unknown field "${node.name}"`, node, () => this.nearestOperand(node.name));
    }
    return { ...node, type: type ?? 'any', nullable: true };
  }

  private unary(node: UnaryNode): TypedNode {
    const wanted = node.operator === '-' ? 'number' : 'boolean';
    const operand = this.take(node.operand, [wanted], `"${node.operator}"`);
    return { ...node, operand, type: wanted, nullable: node.operator === '-' && operand.nullable };
  }

  private binary(node: BinaryNode): TypedNode {
    switch (node.operator) {
      case '&&':
      case '||':
        return this.uniform(node, 'boolean', false);
      case '-':
      case '*':
      case '/':
      case '%':
        // A result that is not finite is null even when both operands are numbers.
        return this.uniform(node, 'number', true);
      case '+':
        return this.plus(node);
      default:
        return this.comparison(node);
    }
  }

  private uniform(node: BinaryNode, type: 'number' | 'boolean', nullable: boolean): TypedNode {
    const name = `"${node.operator}"`;
    const left = this.take(node.left, [type], name);
    const right = this.take(node.right, [type], name);
    return { ...node, left, right, type, nullable };
  }

  /** CONCAT when an operand is a text, else a sum; with an undeclared name the values decide at run time. */
  private plus(node: BinaryNode): TypedNode {
    const left = this.check(node.left);
    const right = this.check(node.right);
    const types = [left.type, right.type];
    const typed = (type: ValueType, nullType: ValueType): TypedNode => ({
      ...node,
      left: adopt(left, nullType),
      right: adopt(right, nullType),
      type,
      nullable: true,
    });
    if (types.includes('text')) return typed('text', 'text');
    if (types.includes('any')) {
      const mayBeNumber = types.every((type) => type === 'any' || type === 'number' || type === 'null');
      return mayBeNumber ? typed('any', 'number') : typed('text', 'text');
    }
    for (const operand of [left, right]) {
      if (operand.type === 'number' || operand.type === 'null') continue;
      const message = `"+" adds numbers or joins texts, but this is ${TYPE_NAMES[operand.type]}`;
      this.report('TYPE_MISMATCH', message, operand);
    }
    return typed('number', 'number');
  }

  private comparison(node: BinaryNode): TypedNode {
    const left = this.check(node.left);
    const right = this.check(node.right);
    const equality = node.operator === '==' || node.operator === '!=';
    const typed: TypedNode = {
      ...node,
      left: adopt(left, right.type),
      right: adopt(right, left.type),
      type: 'boolean',
      // An undeclared name can hold a boolean, which has no order.
      nullable: !equality && (left.nullable || right.nullable),
    };
    let reported = false;
    for (const operand of [left, right]) {
      const message =
        operand.type === 'multi_select'
          ? "A multi-select can't be compared. Use CONTAINS or LEN"
          : 'Booleans have no order. Compare them with "==" or "!="';
      if (operand.type !== 'multi_select' && (operand.type !== 'boolean' || equality)) continue;
      this.report('TYPE_MISMATCH', message, operand);
      reported = true;
    }
    if (!reported && !comparable(left.type, right.type)) {
      const message = `"${node.operator}" cannot compare ${TYPE_NAMES[left.type]} with ${TYPE_NAMES[right.type]}`;
      this.report('TYPE_MISMATCH', message, { position: node.operatorPosition, length: node.operatorLength });
    }
    return typed;
  }

  private call(node: CallNode): TypedNode {
    const definition = functions.get(node.name);
    if (!definition) {
      const args = node.args.map((argument) => this.check(argument));
      const span = { position: node.position, length: node.nameLength };
      this.reportUnknown('UNKNOWN_FUNCTION', `Unknown function "${node.name}"`, span, () =>
        nearestName(node.name, functions.keys()),
      );
      return { ...node, args, type: 'any', nullable: true };
    }
    this.checkArity(node, definition);
    const { max } = arity(definition);
    const args = node.args.map((argument, index) => {
      // Too many arguments are already reported.
      if (index >= max) return this.check(argument);
      const { accepts, shared } = parameterAt(definition, index);
      return this.take(argument, accepts, definition.name, shared);
    });
    const shared = definition.result === 'shared' ? this.sharedType(definition, args) : undefined;
    const type = shared ?? (definition.result as ValueType);
    return {
      ...node,
      args: shared === undefined ? args : args.map((argument) => adopt(argument, shared)),
      type,
      nullable: definition.nullable(args.map((argument) => argument.nullable)),
    };
  }

  private checkArity(node: CallNode, definition: FunctionDefinition): void {
    const { min, max } = arity(definition);
    const count = node.args.length;
    if (count >= min && count <= max) return;
    const wanted = max === Number.POSITIVE_INFINITY ? `at least ${min}` : min === max ? `${min}` : `${min} to ${max}`;
    const message = `${signature(definition)} accepts ${wanted} argument${wanted.endsWith(' 1') || wanted === '1' ? '' : 's'}, not ${count}`;
    this.report('WRONG_ARITY', message, node);
  }

  /** The type that the shared arguments have in common: `null` when all are NULL, `any` when all are undeclared names. */
  private sharedType(definition: FunctionDefinition, args: readonly TypedNode[]): ValueType {
    const shared = args.filter((_, index) => parameterAt(definition, index).shared);
    // Missing arguments are already reported.
    if (shared.length === 0) return 'any';
    let type: ValueType = 'null';
    for (const argument of shared) {
      if (argument.type === 'null') continue;
      if (type === 'null' || type === 'any') {
        type = argument.type;
      } else if (argument.type !== 'any' && argument.type !== type) {
        const message = `${definition.name} needs values of one type: this is ${TYPE_NAMES[argument.type]}, an earlier one is ${TYPE_NAMES[type]}`;
        this.report('TYPE_MISMATCH', message, argument);
      }
    }
    return type;
  }

  /** Checks an operand or argument against the types it may have; NULL gets the first of them. */
  private take(node: Node, accepts: readonly ValueType[], owner: string, keepNull = false): TypedNode {
    const typed = this.check(node);
    if (typed.type === 'null') return keepNull ? typed : adopt(typed, accepts[0]!);
    if (typed.type !== 'any' && !accepts.includes(typed.type)) {
      const wanted = accepts.map((type) => TYPE_NAMES[type]).join(' or ');
      this.report('TYPE_MISMATCH', `${owner} needs ${wanted}, but this is ${TYPE_NAMES[typed.type]}`, typed);
      // Reported here once; `any` keeps the enclosing nodes from reporting it again.
      return { ...typed, type: 'any' };
    }
    return typed;
  }

  /** What an unknown name may mean: a function without its parentheses, a field, TRUE, FALSE or NULL. */
  private nearestOperand(name: string): string | undefined {
    const upper = name.toUpperCase();
    const field = nearestName(name, fieldNames(this.fields));
    if (functions.has(upper) && field?.toUpperCase() !== upper) return `${upper}()`;
    return field ?? nearestName(name, KEYWORD_LITERALS);
  }

  /** @param nearest called only when the error is shown: the search compares every known name */
  private reportUnknown(
    code: FormulaErrorCode,
    message: string,
    { position, length }: Span,
    nearest: () => string | undefined,
  ): void {
    if (this.errors.isFull) return;
    const suggestion = nearest();
    if (suggestion === undefined) this.errors.add({ code, message, position, length });
    else this.errors.add({ code, message: `${message}; did you mean ${suggestion}?`, position, length, suggestion });
  }

  private report(code: FormulaErrorCode, message: string, { position, length }: Span): void {
    this.errors.add({ code, message, position, length });
  }
}

function comparable(left: ValueType, right: ValueType): boolean {
  if (left === right || [left, right].some((type) => type === 'any' || type === 'null')) return true;
  return [left, right].every((type) => type === 'date' || type === 'datetime');
}

/** Gives NULL, or a call that is always null, the type that its place requires. */
function adopt(node: TypedNode, type: ValueType): TypedNode {
  if (node.type !== 'null' || type === 'null') return node;
  if (node.kind !== 'call') return { ...node, type } as TypedNode;
  return { ...node, type, args: node.args.map((argument) => adopt(argument, type)) };
}
