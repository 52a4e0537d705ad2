import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { Components } from '../openapi/components.js';
import { DtoPipe } from './dto.pipe.js';
import {
  BooleanField,
  DateField,
  DateTimeField,
  EmailField,
  EnumField,
  type FieldOptions,
  type FieldType,
  field,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
  UrlField,
} from './fields.js';
import { FORMATS } from './rules.js';
import type { StringFormat } from './schema.js';

/**
 * ajv validates with the OpenAPI schema, the pipe with the decorators. For formats both use `FORMATS`, which has its own
 * tests: JSON Schema does not define how strictly a format is validated.
 */
const ajv = new Ajv2020({ allowUnionTypes: true, allErrors: false });
// Where OpenAPI stores referenced schemas.
ajv.addKeyword('components');
for (const format of Object.keys(FORMATS) as StringFormat[]) ajv.addFormat(format, FORMATS[format].test);

interface Sample {
  readonly decorator: PropertyDecorator;
  /** Values near the limits of the field. */
  readonly values: fc.Arbitrary<unknown>;
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, '', '0', 'true', [], {}, [[]], [null], [{}]),
  fc.constantFrom<unknown>({ constructor: 1 }, { toString: 1 }, { hasOwnProperty: null }, [[{}]], { 0: 'a' }),
  fc.jsonValue({ maxDepth: 2 }),
);
const near = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: anything });

const flags = fc.record({ optional: fc.boolean(), nullable: fc.boolean() });
const edges = (bounds: readonly number[]): fc.Arbitrary<number> =>
  fc.constantFrom(...bounds.flatMap((bound) => [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1]));
/** Letters, among them one of two UTF-16 units and a variation selector that class-validator does not count. */
const textOf = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('a', 'B', '😀', '\u{fe0f}', '-', '\n'), {
      minLength: Math.max(0, length - 1),
      maxLength: length + 1,
    })
    .map((letters) => letters.join(''));

const text = (options: FieldOptions): fc.Arbitrary<Kind> =>
  fc
    .record(
      {
        minLength: fc.nat({ max: 3 }),
        maxLength: fc.integer({ min: 3, max: 5 }),
        pattern: fc.constantFrom(/^[a-z]+$/, /^.{2,4}$/, /B/),
      },
      { requiredKeys: ['maxLength'] },
    )
    .map((own) => ({
      decorator: TextField({ ...options, ...own }),
      type: field.text({ ...options, ...own }),
      values: fc.oneof(textOf(own.minLength ?? 1), textOf(own.maxLength), fc.constantFrom('aaa', 'aB', 'aaaa')),
    }));

interface Kind extends Sample {
  readonly type: FieldType;
}

const kind = <Options>(
  decorator: (options: Options) => PropertyDecorator,
  type: (options: Options) => FieldType,
  options: Options,
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<Kind> => fc.constant({ decorator: decorator(options), type: type(options), values });

const INT4 = [-(2 ** 31), 2 ** 31 - 1];
const OPTIONS = ['a', 'b', 'toString'];
const LONG_ADDRESS = `${'a'.repeat(64)}@${'b.'.repeat(100)}test`;
const LONG_URL = 'https://a.test/aaaaaaaaaaa';

const scalar = (own: FieldOptions): fc.Arbitrary<Kind> =>
  fc.oneof(
    text(own),
    kind(EmailField, field.email, own, fc.constantFrom('a@b.test', 'a@b', LONG_ADDRESS)),
    kind(IdField, field.id, own, fc.constantFrom('0199aa00-0000-7000-8000-000000000001', '0199aa00')),
    kind(UrlField, field.url, { ...own, maxLength: 20 }, fc.constantFrom('https://a.test', LONG_URL, 'ftp://a')),
    kind(DateField, field.date, own, fc.constantFrom('2024-02-29', '2023-02-29', '0000-01-01')),
    kind(DateTimeField, field.dateTime, own, fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01')),
    kind(
      (more: FieldOptions) => EnumField(OPTIONS, more),
      (more) => field.enum(OPTIONS, more),
      own,
      fc.constantFrom('a', 'c', 'toString', 'A'),
    ),
    kind(IntegerField, field.integer, own, edges(INT4)),
    kind(IntegerField, field.integer, { ...own, minimum: 1, maximum: 3 }, edges([1, 3])),
    kind(NumberField, field.number, { ...own, minimum: 0.5 }, edges([0.5])),
    kind(NumberField, field.number, own, fc.constantFrom(0, -0, 1e300, 5e-324)),
    kind(BooleanField, field.boolean, own, fc.boolean()),
    kind(JsonField, field.json, own, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })),
  );

const list = (own: FieldOptions, depth: number): fc.Arbitrary<Sample> =>
  fc
    .record({
      bounds: fc.record({
        minItems: fc.nat({ max: 2 }),
        maxItems: fc.integer({ min: 2, max: 3 }),
        unique: fc.boolean(),
      }),
      item: flags.chain((item): fc.Arbitrary<Sample & { of: FieldType | (() => new () => object) }> => {
        const scalars = scalar(item).map((kind) => ({ ...kind, of: kind.type }));
        return depth === 0 ? scalars : fc.oneof(scalars, dto(depth - 1).map(asItem));
      }),
    })
    .map(({ bounds, item }) => ({
      decorator: ListField(item.of, { ...own, ...bounds, unique: bounds.unique && isComparable(item.of) }),
      values: fc.array(near(item.values), { minLength: 0, maxLength: 4 }),
    }));

/** ajv compares objects by calling their members `toString` and `valueOf`, of any type. */
const isComparable = (item: FieldType | (() => new () => object)): boolean =>
  typeof item !== 'function' && !item.schema.additionalProperties;

const asItem = ({ type, values }: Dto) => ({
  decorator: (() => undefined) as PropertyDecorator,
  values,
  of: () => type,
});

interface Dto {
  readonly type: new () => object;
  readonly values: fc.Arbitrary<unknown>;
}

let classes = 0;

/** A class of one or two fields, some of them inherited, and values for it. */
function dto(depth: number): fc.Arbitrary<Dto> {
  const fieldOf = flags.chain((own): fc.Arbitrary<Sample> => {
    if (depth === 0) return fc.oneof(scalar(own), list(own, 0));
    const object = dto(depth - 1).map(({ type, values }) => ({ decorator: ObjectField(() => type, own), values }));
    return fc.oneof(scalar(own), list(own, depth), object);
  });
  const names = fc.constantFrom('a', 'b', 'a/b~c', 'length');
  return fc
    .uniqueArray(fc.tuple(names, fieldOf, fc.boolean()), { selector: ([name]) => name, minLength: 1, maxLength: 2 })
    .map((fields) => {
      classes += 1;
      class Base {}
      class Own extends Base {}
      const type = Object.defineProperty(Own, 'name', { value: `Dto${classes}` });
      for (const [name, { decorator }, inherited] of fields) decorator((inherited ? Base : type).prototype, name);
      const members = Object.fromEntries(fields.map(([name, { values }]) => [name, near(values)]));
      const known = fc.oneof({ weight: 4, arbitrary: fc.record(members) }, fc.record(members, { requiredKeys: [] }));
      const unknown = fc.oneof(
        fc.constant({}),
        fc.constantFrom({ x: 1 }, { constructor: 1 }, { hasOwnProperty: 1 }, { valueOf: 1 }),
      );
      return {
        type,
        values: fc.tuple(known, unknown).map(([value, more]) => JSON.parse(JSON.stringify({ ...value, ...more }))),
      };
    });
}

const pipe = new DtoPipe();

async function isAccepted(metatype: new () => object, value: unknown): Promise<boolean> {
  try {
    await pipe.transform(value, { type: 'body', metatype });
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

/** The schema of a class as the document shows it, with the classes that it refers to. */
function judgeOf(type: new () => object): (value: unknown) => boolean {
  const components = new Components('http://base.test');
  const schema = components.schema(type);
  return ajv.compile({ ...schema, components: components.all() });
}

describe('the decorators and the OpenAPI schema', () => {
  it('accept the same values', async () => {
    let accepted = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        dto(1).chain(({ type, values }) =>
          fc.tuple(fc.constant(type), fc.array(values, { minLength: 15, maxLength: 20 })),
        ),
        async ([type, values]) => {
          const judge = judgeOf(type);
          for (const value of values) {
            const expected = judge(value);
            expect({ value, accepted: await isAccepted(type, value) }).toEqual({ value, accepted: expected });
            if (expected) accepted += 1;
            else refused += 1;
          }
        },
      ),
      { numRuns: 100 },
    );
    // Otherwise the values are not near the limits.
    expect(Math.min(accepted, refused)).toBeGreaterThan(20);
  }, 60_000);
});
