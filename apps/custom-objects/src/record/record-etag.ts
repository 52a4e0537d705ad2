import { type EvaluationContext, isTimeZone } from '@crm/formula';
import { entityTag } from '@crm/http';
import type { ObjectModel } from '../object/object-model.js';

/**
 * The entity tag of a record's representation. A new definition changes it without a new version, so the tag includes the
 * definition's revision; so does a formula that reads the clock, so the tag then also includes the tenant's date and time
 * zone. `If-Match` compares the version alone.
 */
export function recordEtag(model: ObjectModel, version: number, clock: EvaluationContext): string {
  const revision = String(model.object.revision);
  if (!model.formulas.readsClock) return entityTag(version, revision);
  // As in formulas: a zone that Node's data no longer has counts as UTC, so that records stay readable.
  const timeZone = clock.timeZone !== undefined && isTimeZone(clock.timeZone) ? clock.timeZone : 'UTC';
  const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(clock.now);
  return entityTag(version, revision, date, timeZone);
}
