import { type EvaluationContext, isTimeZone } from '@crm/formula';
import { entityTag } from '@crm/http';
import type { ObjectModel } from '../object/object-model.js';

/**
 * The entity tag of a record's representation. A formula that reads the clock changes it without a new version, so the
 * tenant's date and zone are part of the tag then; a change asks for the version alone.
 */
export function recordEtag(model: ObjectModel, version: number, clock: EvaluationContext): string {
  if (!model.formulas.readsClock) return entityTag(version);
  // As in formulas: a zone that this platform's data no longer has counts as UTC, so that records stay readable.
  const timeZone = clock.timeZone !== undefined && isTimeZone(clock.timeZone) ? clock.timeZone : 'UTC';
  const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(clock.now);
  return entityTag(version, date, timeZone);
}
