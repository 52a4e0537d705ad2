import type { EVENTS, EventData, EventName } from '@crm/contracts';
import { expect, it } from '@jest/globals';
import type { EventDataByType, EventType } from './events.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The members of an intersection as one object. */
type Flat<T> = { [K in keyof T]: T[K] };

/** `data` of a delivery, made of the `data` of its event as webhook-dispatcher makes it (delivery-body.ts). */
type Delivered<Data> = Flat<
  (Data extends { record: infer Fields } ? Fields : unknown) & Omit<Data, 'record' | 'object'>
>;

type SameData = {
  [Name in EventName]: Same<Flat<EventDataByType[Name]>, Delivered<EventData<(typeof EVENTS)[Name]>>>;
};

// The compiler checks these lines (`npm run check`); running them proves nothing more.
it('the types of events are those of the contracts, each with its data', () => {
  const sameNames: Same<EventType, EventName> = true;
  const sameData: Same<SameData, Record<EventName, true>> = true;
  expect([sameNames, sameData]).toEqual([true, true]);
});
