import fc from 'fast-check';
import { OBJECT_NAMES, type ObjectName } from './object.js';

/** What a field gets in a body, by number of the field and of the value; the value null unsets it. */
export interface Assignment {
  readonly field: number;
  readonly value: number | null;
}

/** The body of a call by the observer. */
export interface BodyChoice {
  readonly assignments: readonly Assignment[];
  /**
   * `allowed`: values that the observer may write, and all that is required; `guess`: the same of hidden fields, if there
   * are such; `anything`: also what is refused.
   */
  readonly kind: 'allowed' | 'guess' | 'anything';
}

/** The query string of a list. Fields are chosen by number, also those that the observer cannot read or that do not exist. */
export interface QueryChoice {
  readonly q: number | null;
  readonly filter: Assignment | null;
  readonly sort: { readonly field: number; readonly descending: boolean } | null;
  readonly size: number | null;
  readonly page: number | null;
  readonly count: string | null;
  /** Whether the following pages are read too, by cursor. */
  readonly follow: boolean;
}

/** A value in each world: the first for both where the observer can read the field. */
export type Draw = readonly [left: number, right: number];

type Precondition = { readonly versions: readonly number[] } | 'any' | null;

/** What happens in both worlds. The writer reads and writes everything, and gives hidden fields different values. */
export type Step = { readonly object: ObjectName } & (
  | { readonly kind: 'writer creates'; readonly draws: readonly Draw[] }
  | { readonly kind: 'writer changes'; readonly record: number; readonly draws: readonly (Draw | null)[] }
  | { readonly kind: 'writer deletes'; readonly record: number }
  | { readonly kind: 'definition tightens'; readonly field: number; readonly required: boolean }
  | { readonly kind: 'list'; readonly query: QueryChoice }
  | { readonly kind: 'get'; readonly record: number }
  | { readonly kind: 'definition' }
  | { readonly kind: 'definitions' }
  | { readonly kind: 'create'; readonly body: BodyChoice; readonly key: string | null }
  | { readonly kind: 'create again' }
  | { readonly kind: 'change'; readonly record: number; readonly body: BodyChoice; readonly ifMatch: Precondition }
  | { readonly kind: 'delete'; readonly record: number; readonly ifMatch: Precondition }
);

const anyObject = fc.constantFrom(...OBJECT_NAMES);
const object = fc.oneof(
  { weight: 3, arbitrary: fc.constant<ObjectName>('thing') },
  { weight: 1, arbitrary: anyObject },
);
const record = fc.nat(7);
const draw: fc.Arbitrary<Draw> = fc.tuple(fc.nat(30), fc.nat(30));
const draws = fc.array(draw, { minLength: 4, maxLength: 8 });
const assignment: fc.Arbitrary<Assignment> = fc.record({
  field: fc.nat(12),
  value: fc.option(fc.nat(30), { freq: 8 }),
});
const body: fc.Arbitrary<BodyChoice> = fc.record({
  assignments: fc.array(assignment, { maxLength: 4 }),
  kind: fc.constantFrom('allowed', 'allowed', 'guess', 'guess', 'anything'),
});
const ifMatch: fc.Arbitrary<Precondition> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.record({ versions: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: fc.constant<Precondition>('any') },
);

export const arbitraryQuery: fc.Arbitrary<QueryChoice> = fc.record({
  q: fc.option(fc.nat(12), { freq: 2 }),
  filter: fc.option(assignment, { freq: 2 }),
  sort: fc.option(fc.record({ field: fc.nat(12), descending: fc.boolean() }), { freq: 2 }),
  size: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
  page: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3, nil: null }),
  count: fc.constantFrom(null, null, 'exact', 'none'),
  follow: fc.boolean(),
});

const weighted = (weight: number, arbitrary: fc.Arbitrary<unknown>) => ({ weight, arbitrary });
const step = <Kind extends Step['kind']>(kind: Kind, more: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ kind: fc.constant(kind), object, ...more });

export const arbitraryStep = fc.oneof(
  weighted(
    4,
    step('writer changes', { record, draws: fc.array(fc.option(draw, { freq: 2 }), { minLength: 4, maxLength: 8 }) }),
  ),
  weighted(1, step('writer creates', { draws })),
  weighted(1, step('writer deletes', { record, object: anyObject })),
  weighted(1, step('definition tightens', { field: fc.nat(12), required: fc.boolean() })),
  weighted(5, step('list', { query: arbitraryQuery })),
  weighted(2, step('get', { record })),
  weighted(1, fc.oneof(step('definition'), step('definitions'))),
  weighted(4, step('create', { body, key: fc.constantFrom(null, 'key-1', 'key-2') })),
  weighted(1, step('create again')),
  weighted(5, step('change', { record, body, ifMatch })),
  weighted(2, step('delete', { record, ifMatch, object: anyObject })),
) as fc.Arbitrary<Step>;

export type CreatingStep = Extract<Step, { kind: 'writer creates' }>;

/** Records of both objects, written before the observer looks. */
export const arbitraryRecords = fc
  .tuple(
    fc.array(step('writer creates', { draws, object: fc.constant('place') }), { minLength: 1, maxLength: 3 }),
    fc.array(step('writer creates', { draws, object: fc.constant('thing') }), { minLength: 2, maxLength: 5 }),
  )
  .map((lists) => lists.flat()) as fc.Arbitrary<CreatingStep[]>;
