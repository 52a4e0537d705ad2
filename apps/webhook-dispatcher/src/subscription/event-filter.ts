import { type EventName, eventValueTypes, isEventName, PlatformError } from '@crm/contracts';
import { type CompiledFormula, checkFormula, compileFormula } from '@crm/formula';

/** Names in a filter are keys of the delivery's data; those that the event's schema does not know have no type. */
const OPTIONS = { untypedNames: true, expected: 'boolean' } as const;
const COMPILED_KEPT = 1_000;

/** By event and source. */
const compiled = new Map<string, CompiledFormula>();

/**
 * Checks a filter against the data of each event that it is for.
 * @throws VALIDATION_FAILED with the positions of what is wrong
 */
export function requireValidFilter(source: string, events: readonly EventName[]): void {
  for (const event of events) {
    const { ok, errors } = checkFormula(source, eventValueTypes(event), OPTIONS);
    if (ok) continue;
    throw new PlatformError('VALIDATION_FAILED', `The filter is not a valid formula for ${event}`, {
      errors: errors.map(({ code, message, position, length }) => ({
        pointer: '/filter',
        code,
        detail: message,
        params: { position, length },
      })),
    });
  }
}

/** Whether a filter lets the data of an event through; one that gives anything but TRUE does not. */
export function passesFilter(
  source: string,
  event: string,
  data: Readonly<Record<string, unknown>>,
  now: Date,
): boolean {
  const key = `${event}\n${source}`;
  let formula = compiled.get(key);
  if (!formula) {
    if (compiled.size >= COMPILED_KEPT) compiled.clear();
    formula = compileFilter(source, event);
    compiled.set(key, formula);
  }
  return formula.evaluate(data, { now, timeZone: 'UTC' }) === true;
}

function compileFilter(source: string, event: string): CompiledFormula {
  const types = isEventName(event) ? eventValueTypes(event) : new Map();
  const checked = checkFormula(source, types, OPTIONS);
  if (checked.ok) return compileFormula(checked, types);
  // Accepted when the event's schema said less: it goes on as it was then.
  return compileFormula(source, {}, { untypedNames: true });
}
