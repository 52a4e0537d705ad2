import fc from 'fast-check';
import { OBJECT_NAMES, type ObjectName, type Of } from './object.js';

const anyObject = fc.constantFrom(...OBJECT_NAMES);
const object = fc.oneof(
  { weight: 3, arbitrary: fc.constant<ObjectName>('thing') },
  { weight: 1, arbitrary: anyObject },
);
const record = fc.nat(7);

/** A value in each world: the first for both where the observer can read the field. */
const draw = fc.tuple(fc.nat(30), fc.nat(30));
const draws = fc.array(draw, { minLength: 4, maxLength: 8 });
export type Draw = Of<typeof draw>;

/** What a field gets in a body, by number of the field and of the value; the value null unsets it. */
const assignment = fc.record({ field: fc.nat(12), value: fc.option(fc.nat(30), { freq: 8 }) });
export type Assignment = Of<typeof assignment>;

/**
 * The body of a call by the observer. `allowed`: values that the observer may write, and all that is required; `guess`: the
 * same of hidden fields, if there are such; `anything`: also what is refused.
 */
const body = fc.record({
  assignments: fc.array(assignment, { maxLength: 4 }),
  kind: fc.constantFrom('allowed', 'allowed', 'guess', 'guess', 'anything'),
});
export type BodyChoice = Of<typeof body>;

const ifMatch = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.record({ versions: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: fc.constant('any') },
);

/** A condition of a filter: number of the field, of the operator and of the value. */
const condition = fc.record({ field: fc.nat(14), op: fc.nat(10), value: fc.nat(30) });
export type ConditionChoice = Of<typeof condition>;

/** The query string of a list. Fields are chosen by number, also those that the observer cannot read or that do not exist. */
const query = fc.record({
  q: fc.option(fc.nat(12), { freq: 2 }),
  filter: fc.option(assignment, { freq: 2 }),
  conditions: fc.array(condition, { maxLength: 3 }),
  kind: fc.constantFrom('and', 'or'),
  sorts: fc.array(fc.record({ field: fc.nat(14), descending: fc.boolean() }), { maxLength: 3 }),
  fields: fc.option(fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }), { freq: 2 }),
  expand: fc.option(fc.nat(12), { freq: 2 }),
  size: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
  page: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3, nil: null }),
  count: fc.constantFrom(null, null, 'exact', 'none'),
  /** True when the following pages are read too, by cursor. */
  follow: fc.boolean(),
});
export type QueryChoice = Of<typeof query>;

/** A call for two records, the second of which there is when all or none are written. The field is that of an upsert. */
const bulk = {
  operation: fc.constantFrom('create', 'update', 'upsert', 'delete'),
  bodies: fc.tuple(body, body),
  field: fc.nat(12),
  atomic: fc.boolean(),
};

const weighted = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary });
const step = <const Kind extends string>(kind: Kind) => ({ kind: fc.constant(kind), object });
const creation = { ...step('writer creates'), draws };
const change = { record, draws: fc.array(fc.option(draw, { freq: 2 }), { minLength: 4, maxLength: 8 }) };

/** What happens in both worlds. The writer reads and writes everything, and gives hidden fields different values. */
export const arbitraryStep = fc.oneof(
  weighted(4, fc.record({ ...step('writer changes'), ...change })),
  weighted(1, fc.record(creation)),
  weighted(1, fc.record({ ...step('writer deletes'), record, object: anyObject })),
  weighted(1, fc.record(step('bin is purged'))),
  weighted(1, fc.record({ ...step('definition tightens'), field: fc.nat(12), required: fc.boolean() })),
  weighted(5, fc.record({ ...step('list'), query })),
  weighted(2, fc.record({ ...step('get'), record })),
  weighted(1, fc.oneof(fc.record(step('definition')), fc.record(step('definitions')))),
  weighted(4, fc.record({ ...step('create'), body, key: fc.constantFrom(null, 'key-1', 'key-2') })),
  weighted(1, fc.record(step('create again'))),
  weighted(5, fc.record({ ...step('change'), record, body, ifMatch })),
  weighted(2, fc.record({ ...step('delete'), record, ifMatch, object: anyObject })),
  weighted(2, fc.record({ ...step('delete and restore'), record, object: anyObject })),
  weighted(4, fc.record({ ...step('bulk'), record, ...bulk })),
  weighted(4, fc.record({ ...step('merge'), record, winner: record, fields: fc.array(fc.nat(12), { maxLength: 2 }) })),
);
export type Step = Of<typeof arbitraryStep>;

/** Records of both objects, written before the observer looks. */
export const arbitraryRecords = fc
  .tuple(
    fc.array(fc.record({ ...creation, object: fc.constant<ObjectName>('place') }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.record({ ...creation, object: fc.constant<ObjectName>('thing') }), { minLength: 2, maxLength: 5 }),
  )
  .map((lists) => lists.flat());
