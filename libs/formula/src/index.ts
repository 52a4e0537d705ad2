export type * from './ast.js';
export {
  dayNumber,
  formatDate,
  formatInstant,
  isTimeZone,
  parseDate,
  parseInstant,
  postgresTimeZone,
  timeZone,
} from './calendar.js';
export { type CheckedFormula, type CheckOptions, checkFormula } from './checker.js';
export { type CompiledFormula, compileFormula } from './compile.js';
export { FormulaCompileError, FormulaSqlError, LIMITS } from './errors.js';
export * from './formula-set.js';
export { orderFormulas, wayBack } from './order.js';
export { parseFormula } from './parser.js';
export { type BindParameter, type EmittedSql, emitSql, type SqlColumn } from './sql/emit.js';
export { FORMULA_SQL_FUNCTIONS } from './sql/helpers.js';
export { atOnce, inPieces, nextTurn, type Steps } from './steps.js';
export { nearestName } from './suggestions.js';
export { codePointLength, compareText, isCleanText } from './text.js';
export { compareNumbers, decimalText } from './values.js';
