import { ANY_APP } from '@crm/contracts';
import { formulaDependencies, orderFormulas, parseFormula } from '@crm/formula';
import type { FieldDefinition } from './field-definition.js';

/** Which fields a principal can read and write, by api name. Everything that shows or uses a field follows it. */
export interface AccessPlan {
  readonly readable: ReadonlySet<string>;
  readonly writable: ReadonlySet<string>;
}

/**
 * Decides field security once for an object and a principal's roles. Role names match exactly and there is no
 * hierarchy; an empty list means everyone. A bare `app` in a list names nobody.
 * A unique field is writable only for those who can read it: others could find out its values by the conflicts.
 * A formula is readable only if its own roles allow it and everything it reads, in any branch, is readable. `exposes:
 * true` ends that chain: its own roles alone decide about such a formula, also for formulas that read it. A formula
 * that cannot be analysed (bad source, unknown name, cycle) is not readable. Formulas are never writable.
 */
export function accessPlan(fields: readonly FieldDefinition[], roles: readonly string[]): AccessPlan {
  const held = new Set(roles);
  const readable = new Set<string>();
  const writable = new Set<string>();
  for (const field of fields) {
    if (field.type === 'formula') continue;
    const isReadable = allows(field.readRoles, held);
    if (isReadable) readable.add(field.apiName);
    if (allows(field.writeRoles, held) && (isReadable || !field.is_unique)) writable.add(field.apiName);
  }
  addReadableFormulas(fields, held, readable);
  return { readable, writable };
}

function allows(listed: readonly string[] | undefined, held: ReadonlySet<string>): boolean {
  return !listed || listed.length === 0 || listed.some((role) => role !== ANY_APP && held.has(role));
}

/** What each formula reads, cached per definition, because plans are computed for every new set of roles. */
const inputs = new WeakMap<FieldDefinition, readonly string[] | null>();

/** @returns what a formula reads; null for one that cannot be analysed */
export function analyseFormula(field: FieldDefinition): readonly string[] | null {
  let known = inputs.get(field);
  if (known === undefined) {
    const source = field.expression ?? '';
    known = parseFormula(source).errors.length === 0 ? formulaDependencies(source) : null;
    inputs.set(field, known);
  }
  return known;
}

function addReadableFormulas(
  fields: readonly FieldDefinition[],
  held: ReadonlySet<string>,
  readable: Set<string>,
): void {
  const formulas = new Map(fields.filter((field) => field.type === 'formula').map((field) => [field.apiName, field]));
  const reads = new Map([...formulas].map(([name, field]) => [name, analyseFormula(field) ?? []]));
  for (const name of orderFormulas(reads).order) {
    const field = formulas.get(name)!;
    if (!allows(field.readRoles, held)) continue;
    const names = analyseFormula(field);
    if (names !== null && (field.exposes === true || names.every((input) => readable.has(input)))) readable.add(name);
  }
}
