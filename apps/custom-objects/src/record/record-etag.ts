import { PlatformError } from '@crm/contracts';
import type { EvaluationContext } from '@crm/formula';
import type { ObjectModel } from '../object/object-model.js';

/**
 * The entity tag of a record's representation. A formula that reads the clock changes it without a new version, so the
 * tenant's date and zone are part of the tag then.
 */
export function recordEtag(model: ObjectModel, version: number, clock: EvaluationContext): string {
  if (!model.formulas.readsClock) return `"${version}"`;
  const timeZone = clock.timeZone ?? 'UTC';
  const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(clock.now);
  return `"${version}.${date}.${timeZone}"`;
}

/**
 * The version an `If-Match` header asks for; null when there is no header or it is `*`.
 * @throws MALFORMED_REQUEST when it is no entity tag that this API gave out
 */
export function expectedVersion(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch.trim() === '*') return null;
  const match = /^\s*(?:W\/)?"([1-9][0-9]{0,9})(?:\.[^"]*)?"\s*$/.exec(ifMatch);
  if (!match) throw new PlatformError('MALFORMED_REQUEST', 'If-Match must be the ETag of the record');
  return Number(match[1]);
}
