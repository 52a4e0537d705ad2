import { describe, expect, it } from '@jest/globals';
import type { ObjectDefinition, StoredField } from '../object/object-definition.js';
import { ObjectModel } from '../object/object-model.js';
import { recordEtag } from './record.serializer.js';

const EVENING = new Date('2024-02-29T20:00:00Z');

/** An object with one formula. */
function modelOf(expression: string, revision = 1): ObjectModel {
  const formula = { id: 'f', apiName: 'day', type: 'formula', expression, referenceObjectIds: [] };
  return new ObjectModel({ fields: [formula as unknown as StoredField], revision } as unknown as ObjectDefinition);
}

describe('the entity tag of a record', () => {
  it('is the version and the revision of the definition when no formula reads the clock', () => {
    expect(recordEtag(modelOf('1 + 1', 7), 3, { now: EVENING, timeZone: 'Asia/Tokyo' })).toBe('"3.7"');
  });

  it.each([
    ['Asia/Tokyo', '"3.1.2024-03-01.Asia/Tokyo"'],
    ['America/New_York', '"3.1.2024-02-29.America/New_York"'],
    ['Nowhere/Land', '"3.1.2024-02-29.UTC"'],
    [undefined, '"3.1.2024-02-29.UTC"'],
  ])('has the date in the time zone %s', (timeZone, tag) => {
    const clock = { now: EVENING, ...(timeZone === undefined ? {} : { timeZone }) };
    expect(recordEtag(modelOf('TODAY()'), 3, clock)).toBe(tag);
  });
});
