import { isUuid } from '@crm/contracts';
import { newId } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deliveryId } from './attempt.js';

describe('the id of a delivery', () => {
  it('is the same for the same event and subscription, and another for any other', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.uuid(), fc.uuid(), (event, one, other) => {
        fc.pre(one !== other);
        expect(deliveryId(event, one)).toBe(deliveryId(event.toUpperCase(), one));
        expect(deliveryId(event, one)).not.toBe(deliveryId(event, other));
      }),
    );
  });

  it('is a UUIDv7 with the time of the event', () => {
    fc.assert(
      fc.property(fc.uuid(), (subscription) => {
        const event = newId();
        const id = deliveryId(event, subscription);
        expect(isUuid(id)).toBe(true);
        expect(id.slice(0, 13)).toBe(event.slice(0, 13));
        expect(id).toMatch(/^.{14}7.{4}[89ab]/);
      }),
    );
  });
});
