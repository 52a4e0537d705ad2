// Parsing and checking a formula of the largest size.
import { checkFormula } from '@crm/formula';
import { timeOf } from '../measure.mjs';

/** @type {Readonly<Record<string, import('@crm/formula').ValueType>>} */
const FIELDS = { amount: 'number', discount: 'number', stage: 'text', closeDate: 'date', won: 'boolean' };

/** A formula of exactly 500 nodes: ten nodes to a term, joined by `+`. */
function largestFormula() {
  // Nodes: IF, &&, ==, stage, literal, won, *, amount, literal; with the `+` that joins it, ten.
  const term = 'IF(stage=="a"&&won,amount*2)';
  // The last term has no `+`: a unary minus takes its place.
  return `-${term}${`+${term}`.repeat(49)}`;
}

export function measure() {
  const source = largestFormula();
  const { ok, errors } = checkFormula(source, FIELDS);
  if (!ok) throw new Error(`The formula does not pass: ${errors[0]?.message}`);
  if (checkFormula(`-${source}`, FIELDS).ok) throw new Error('The formula is not of the largest size');
  const nanoseconds = timeOf(() => checkFormula(source, FIELDS));
  return [{ name: 'parse and check a formula of 500 nodes', unit: 'ms', ours: nanoseconds / 1e6, atMost: 5 }];
}
