export type * from './ast.js';
export type * from './ast.js';
export { printFormula } from './ast.js';
export { formatDate, formatInstant, isTimeZone, parseDate, parseInstant } from './calendar.js';
export { type CheckedFormula, type CheckOptions, checkFormula } from './checker.js';
export { type CompiledFormula, compileFormula } from './compile.js';
export { type Completion, type CompletionItem, completeFormula, type SignatureHelp } from './completion.js';
export { FormulaCompileError, FormulaSqlError, LIMITS } from './errors.js';
export {
  type CheckedFormulaSet,
  type CompiledFormulaSet,
  checkFormulaSet,
  compileFormulaSet,
  formulaDependencies,
} from './formula-set.js';
export { type FunctionDefinition, type Parameter, signature } from './functions/definition.js';
export { functions } from './functions/index.js';
export { type FormulaOrder, orderFormulas, wayBack } from './order.js';
export { type ParsedFormula, parseFormula } from './parser.js';
export {
  type BindParameter,
  type EmitOptions,
  type EmittedSql,
  emitSql,
  type SqlColumn,
  type SqlParameter,
} from './sql/emit.js';
export { FORMULA_SQL_FUNCTIONS, formulaSqlFunctions } from './sql/helpers.js';
export type { SqlOperand, SqlTarget } from './sql-target.js';
export { nearestName } from './suggestions.js';
export { codePointLength, compareText, isCleanText } from './text.js';
export { compareNumbers, decimalText, roundTo15Digits } from './values.js';
