import type { EvaluationContext, FieldTypes, FormulaError, Node, ValueType } from './ast.js';
import { type CheckedFormula, type CheckOptions, checkFormula } from './checker.js';
import { type CompiledFormula, compileFormula } from './compile.js';
import { FormulaCompileError, LIMITS } from './errors.js';
import { orderFormulas, wayBack } from './order.js';
import { parseFormula } from './parser.js';
import { atOnce, type Steps } from './steps.js';
import { fieldNames, fieldType } from './suggestions.js';

/** All formulas of one object, checked together: each may read the others. */
export interface CheckedFormulaSet {
  ok: boolean;
  /** Each formula after those it reads; empty when there is a cycle. */
  order: string[];
  formulas: Map<string, CheckedFormula>;
}

export interface CompiledFormulaSet {
  readonly order: readonly string[];
  readonly formulas: ReadonlyMap<string, CompiledFormula>;
  /** True when any formula depends on the clock or the tenant's zone. */
  readonly readsClock: boolean;
  /**
   * Prepares the evaluation of some formulas, for many records.
   * @returns a function that adds to the values of a record, an object without prototype, those of the wanted formulas and
   *   of what they read
   */
  evaluatorOf(names: ReadonlySet<string>): (values: Record<string, unknown>, context: EvaluationContext) => void;
}

/**
 * Checks the formulas of an object against its fields and each other: syntax, types, cycles, the length of chains.
 * @param fields the types of the plain fields; a name in both is the formula
 */
export function checkFormulaSet(
  sources: ReadonlyMap<string, string>,
  fields: FieldTypes,
  options?: CheckOptions,
): CheckedFormulaSet {
  return atOnce(checkFormulaSteps(sources, fields, options));
}

/** Like {@link checkFormulaSet}, a formula at a time. */
export function* checkFormulaSteps(
  sources: ReadonlyMap<string, string>,
  fields: FieldTypes,
  options?: CheckOptions,
): Steps<CheckedFormulaSet> {
  const reads = new Map<string, string[]>();
  for (const [name, source] of sources) {
    reads.set(name, formulaDependencies(source));
    yield;
  }
  const { order, circles } = orderFormulas(reads);
  const types = new Map<string, ValueType>();
  for (const name of fieldNames(fields)) types.set(name, fieldType(fields, name)!);
  // A formula without a type is `any` to its readers, so that its mistake is reported once.
  for (const name of sources.keys()) types.set(name, 'any');

  const checked = new Map<string, CheckedFormula>();
  const depths = new Map<string, number>();
  for (const name of order) {
    const formula = checkFormula(sources.get(name)!, types, options);
    types.set(name, formula.ok ? formula.resultType : 'any');
    const below = formula.dependencies.filter((dependency) => depths.has(dependency));
    const depth = Math.max(0, ...below.map((dependency) => depths.get(dependency)! + 1));
    depths.set(name, depth);
    if (depth > LIMITS.chainDepth) addError(formula, chainError(name, formula));
    checked.set(name, formula);
    yield;
  }
  for (const [name, ways] of waysBack(circles, reads)) {
    const formula = checkFormula(sources.get(name)!, types, options);
    addError(formula, cycleError(ways, formula));
    checked.set(name, formula);
    yield;
  }
  const formulas = new Map([...sources.keys()].map((name) => [name, checked.get(name)!]));
  const ok = [...formulas.values()].every((formula) => formula.ok);
  return { ok, order: circles.length > 0 ? [] : order, formulas };
}

/** Compiles the formulas of an object. Throws FormulaCompileError with the errors of all that do not pass. */
export function compileFormulaSet(
  sources: ReadonlyMap<string, string>,
  fields: FieldTypes,
  options?: CheckOptions,
): CompiledFormulaSet {
  return atOnce(compileFormulaSteps(sources, fields, options));
}

/** Like {@link compileFormulaSet}, a formula at a time. */
export function* compileFormulaSteps(
  sources: ReadonlyMap<string, string>,
  fields: FieldTypes,
  options?: CheckOptions,
): Steps<CompiledFormulaSet> {
  const { ok, order, formulas: checked } = yield* checkFormulaSteps(sources, fields, options);
  if (!ok) throw new FormulaCompileError([...checked.values()].flatMap((formula) => formula.errors));
  const formulas = new Map<string, CompiledFormula>();
  for (const name of order) {
    formulas.set(name, compileFormula(checked.get(name)!, fields));
    yield;
  }
  return {
    order,
    formulas,
    readsClock: [...formulas.values()].some((formula) => formula.readsClock),
    evaluatorOf(names) {
      const needed = closure(names, formulas);
      const steps = [...formulas].filter(([name]) => needed.has(name));
      return (values, context) => {
        for (const [name, formula] of steps) values[name] = formula.evaluate(values, context);
      };
    },
  };
}

/** The names a formula reads, each once, in source order; works for a formula with errors too. */
export function formulaDependencies(source: string): string[] {
  const names = new Set<string>();
  const { tree } = parseFormula(source);
  if (tree) eachRead(tree, ({ name }) => names.add(name));
  return [...names];
}

/** Visits the reads of fields in source order. */
function eachRead(node: Node, visit: (field: Extract<Node, { kind: 'field' }>) => void): void {
  if (node.kind === 'field') visit(node);
  else if (node.kind === 'unary') eachRead(node.operand, visit);
  else if (node.kind === 'call') for (const argument of node.args) eachRead(argument, visit);
  else if (node.kind === 'binary') {
    eachRead(node.left, visit);
    eachRead(node.right, visit);
  }
}

/**
 * For each name that depends on itself, a path back to itself. All names of one path share it; after many searches the
 * remaining names get only the next name of their cycle, so that the time does not grow with the square of the names.
 */
function waysBack(
  circles: readonly string[][],
  reads: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>();
  let searches = 0;
  for (const names of circles) {
    const circle = new Set(names);
    for (const name of names) {
      if (ways.has(name)) continue;
      if (searches === MAX_SEARCHES) {
        const read = reads.get(name)!.find((other) => circle.has(other))!;
        ways.set(name, read === name ? [name, name] : [name, read, ELLIPSIS, name]);
        continue;
      }
      searches++;
      const ring = wayBack(name, circle, reads).slice(1);
      for (const [at, member] of ring.entries()) {
        if (!ways.has(member)) ways.set(member, shown(member, ring, at));
      }
    }
  }
  return ways;
}

const MAX_SEARCHES = 100;
const ELLIPSIS = '…';
/** Names beyond this length of a path are left out. */
const SHOWN_NAMES = 8;

/** The path around a cycle from one of its members back to it. */
function shown(member: string, ring: readonly string[], at: number): string[] {
  const shortened = ring.length >= SHOWN_NAMES;
  const steps = shortened ? SHOWN_NAMES - 2 : ring.length - 1;
  const way = Array.from({ length: steps }, (_, step) => ring[(at + 1 + step) % ring.length]!);
  return [member, ...way, ...(shortened ? [ELLIPSIS] : []), member];
}

function closure(names: ReadonlySet<string>, formulas: ReadonlyMap<string, CompiledFormula>): Set<string> {
  const needed = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (needed.has(name) || !formulas.has(name)) continue;
    needed.add(name);
    open.push(...formulas.get(name)!.dependencies);
  }
  return needed;
}

function addError(formula: CheckedFormula, error: FormulaError): void {
  formula.errors.push(error);
  formula.errors.sort((a, b) => a.position - b.position);
  formula.ok = false;
}

function chainError(name: string, { tree }: CheckedFormula): FormulaError {
  const message = `"${name}" reads formulas that read formulas, over more than ${LIMITS.chainDepth} steps`;
  return { code: 'CHAIN_TOO_DEEP', message, position: 0, length: tree!.position + tree!.length };
}

function cycleError(way: readonly string[], formula: CheckedFormula): FormulaError {
  let read: Node | undefined;
  eachRead(formula.tree!, (field) => {
    if (field.name === way[1]) read ??= field;
  });
  // The names come from this tree, so it contains the node.
  const { position, length } = read!;
  return { code: 'CYCLE', message: `The formulas form a cycle: ${way.join(' → ')}`, position, length };
}
