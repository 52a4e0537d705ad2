import { patternsOf } from '@crm/contracts';

/** Whether an event is among the names, or one of them names its whole domain. */
export const isCovered = (names: ReadonlySet<string>, event: string): boolean =>
  patternsOf(event).some((pattern) => names.has(pattern));

/** Whether a scope is among the names, or one of them is its scope for reading and writing. */
export const isCoveredScope = (names: ReadonlySet<string>, scope: string): boolean =>
  names.has(scope) || names.has(scope.replace(/:read$/, ''));
