import { type EventName, eventValueTypes, isEventName, PlatformError } from '@crm/contracts';
import { type CompiledFormula, checkFormula, compileFormula } from '@crm/formula';
import { LRUCache } from 'lru-cache';

/** Keys of the data that the schema of the event does not declare have no type. */
const OPTIONS = { untypedNames: true, expected: 'boolean' } as const;
const COMPILED_KEPT = 1_000;

const compiled = new LRUCache<string, CompiledFormula>({ max: COMPILED_KEPT });

/** @throws PlatformError VALIDATION_FAILED with the positions of what is wrong */
export function requireValidFilter(source: string, events: Iterable<EventName>): void {
  for (const event of events) {
    const { ok, errors } = checkFormula(source, eventValueTypes(event), OPTIONS);
    if (ok) continue;
    throw new PlatformError('VALIDATION_FAILED', `The filter isn't a valid formula for ${event}`, {
      errors: errors.map(({ code, message, position, length }) => ({
        pointer: '/filter',
        code,
        detail: message,
        params: { position, length },
      })),
    });
  }
}

export function passesFilter(
  source: string,
  event: string,
  data: Readonly<Record<string, unknown>>,
  now: Date,
): boolean {
  const key = `${event}\n${source}`;
  let formula = compiled.get(key);
  if (!formula) {
    formula = compileFilter(source, event);
    compiled.set(key, formula);
  }
  return formula.evaluate(data, { now, timeZone: 'UTC' }) === true;
}

function compileFilter(source: string, event: string): CompiledFormula {
  const types = isEventName(event) ? eventValueTypes(event) : new Map();
  const checked = checkFormula(source, types, OPTIONS);
  if (checked.ok) return compileFormula(checked, types);
  // It was accepted when the schema of the event declared fewer types, and keeps its meaning.
  return compileFormula(source, {}, { untypedNames: true });
}
