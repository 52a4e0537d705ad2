import { PlatformError } from '@crm/contracts';
import { type CompiledFormula, checkFormula, compileFormula } from '@crm/formula';

/** Names in a filter are keys of the delivery's data; nobody declared their types. */
const OPTIONS = { untypedNames: true } as const;
const COMPILED_KEPT = 1_000;

const compiled = new Map<string, CompiledFormula>();

/** @throws VALIDATION_FAILED with the positions of what is wrong */
export function requireValidFilter(source: string): void {
  const { ok, errors } = checkFormula(source, {}, OPTIONS);
  if (ok) return;
  throw new PlatformError('VALIDATION_FAILED', 'The filter is not a valid formula', {
    errors: errors.map(({ code, message, position, length }) => ({
      pointer: '/filter',
      code,
      detail: message,
      params: { position, length },
    })),
  });
}

/** Whether a filter lets the data through; one that gives anything but TRUE does not. */
export function passesFilter(source: string, data: Readonly<Record<string, unknown>>, now: Date): boolean {
  let formula = compiled.get(source);
  if (!formula) {
    if (compiled.size >= COMPILED_KEPT) compiled.clear();
    formula = compileFormula(source, {}, OPTIONS);
    compiled.set(source, formula);
  }
  return formula.evaluate(data, { now, timeZone: 'UTC' }) === true;
}
