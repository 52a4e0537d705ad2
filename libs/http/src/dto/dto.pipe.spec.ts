import { type FieldProblem, PlatformError } from '@crm/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import {
  getMetadataStorage,
  IsDate,
  IsEmail,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Min,
  registerDecorator,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { DtoPipe } from './dto.pipe.js';
import {
  BooleanField,
  EnumField,
  field,
  IntegerField,
  JsonField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
} from './fields.js';
import { coerceQuery } from './lists.js';
import { schemaOf } from './schema.js';

class Part {
  @TextField({ maxLength: 3, pattern: /^[a-z]+$/ })
  name: string;

  @ListField(() => Part, { optional: true, maxItems: 2 })
  parts?: Part[];
}

class Base {
  @IntegerField({ minimum: 1, maximum: 10, optional: true })
  count?: number;
}

class Thing extends Base {
  @TextField({ maxLength: 4, optional: true })
  title?: string;

  @NumberField({ optional: true, nullable: true })
  amount?: number | null;

  @BooleanField({ optional: true })
  done?: boolean;

  @EnumField(['a', 'b'], { optional: true, nullable: true })
  choice?: string | null;

  @ObjectField(() => Part, { optional: true, nullable: true })
  part?: Part | null;

  @ListField(field.integer(), { optional: true, minItems: 1, unique: true })
  numbers?: number[];
}

class WithDefaults {
  @EnumField(['new', 'open'], { optional: true })
  status: string = 'new';

  @ObjectField(() => Part, { optional: true })
  part?: Part;
}

class Free {
  @JsonField()
  payload: Record<string, unknown>;

  @ListField(field.json())
  items: Record<string, unknown>[];
}

class Large extends Thing {
  @ListField(() => Part, { optional: true })
  parts?: Part[];

  @ListField(() => Part, { optional: true, maxItems: 10_000 })
  many?: Part[];

  @JsonField({ optional: true })
  payload?: Record<string, unknown>;
}

class Strict extends Thing {
  @IntegerField()
  override count: number;
}

/** A custom asynchronous rule. */
const IsEven = (): PropertyDecorator => (prototype, property) =>
  registerDecorator({
    name: 'even',
    target: prototype.constructor,
    propertyName: String(property),
    async: true,
    validator: { validate: async (value) => Number(value) % 2 === 0, defaultMessage: () => '$property must be even' },
  });

class Buyer {
  @ObjectField(() => Seller, { optional: true })
  seller?: object;
}

class Seller {
  @ObjectField(() => Buyer, { optional: true })
  buyer?: object;

  @IsOptional()
  @IsEven()
  orders?: number;
}

class Plain {
  @IsEmail()
  mail: string;

  @TextField({ maxLength: 5 })
  @Matches(/^[a-z]+$/)
  code: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  size?: number;

  @IsOptional()
  @IsDate()
  @Type(() => Date)
  at?: Date;

  @TextField({ maxLength: 3, optional: true })
  @Transform(({ value }) => (typeof value === 'string' ? value.trim() : value))
  name?: string;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Part)
  parts?: Part[];

  @IsOptional()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @IsEven()
  even?: number;
}

const pipe = new DtoPipe();

async function problemsOf(metatype: new () => object, value: unknown): Promise<FieldProblem[]> {
  try {
    await pipe.transform(value, { type: 'body', metatype });
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError) || !error.extra.errors) throw error;
    return [...error.extra.errors];
  }
}

const codes = async (value: unknown, type: new () => object = Thing): Promise<string[]> =>
  (await problemsOf(type, value)).map(({ pointer, code }) => `${pointer} ${code}`);

const manyMembers = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));

/** The problems that are found within a number of seconds of processor time. */
async function problemsWithin(seconds: number, type: new () => object, value: unknown): Promise<FieldProblem[]> {
  const start = process.cpuUsage();
  const problems = await problemsOf(type, value);
  expect(process.cpuUsage(start).user).toBeLessThan(seconds * 1_000_000);
  return problems;
}

describe('DtoPipe', () => {
  it('accepts declared fields, including inherited ones', async () => {
    expect(await codes({})).toEqual([]);
    const full = { count: 10, title: '', amount: null, done: false, choice: null, part: null, numbers: [1] };
    expect(await codes(full)).toEqual([]);
    expect(await codes({ part: { name: 'a', parts: [{ name: 'b', parts: [] }] } })).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    [{ count: 0 }, ['/count TOO_SMALL']],
    [{ count: 11 }, ['/count TOO_LARGE']],
    [{ count: 1.5 }, ['/count INVALID_TYPE']],
    [{ count: '1' }, ['/count INVALID_TYPE']],
    [{ count: null }, ['/count INVALID_TYPE']],
    [{ title: '😀😀😀😀' }, []],
    [{ title: '😀😀😀😀😀' }, ['/title TOO_LONG']],
    [{ title: 'a\u{fe0f}a\u{fe0f}a' }, ['/title TOO_LONG']],
    [{ amount: Number.NaN }, ['/amount INVALID_TYPE']],
    [{ done: 'true' }, ['/done INVALID_TYPE']],
    [{ choice: 'c' }, ['/choice NOT_AN_OPTION']],
    [{ part: {} }, ['/part/name REQUIRED']],
    [{ part: { name: 'A' } }, ['/part/name PATTERN_MISMATCH']],
    [{ part: { name: 'a', parts: [{ name: '' }, 1] } }, ['/part/parts/0/name TOO_SHORT', '/part/parts/1 INVALID_TYPE']],
    [
      { part: { name: 'a', parts: [[{ name: 'b' }], null] } },
      ['/part/parts/0 INVALID_TYPE', '/part/parts/1 INVALID_TYPE'],
    ],
    [{ part: { name: 'a', parts: [[]] } }, ['/part/parts/0 INVALID_TYPE']],
    [{ part: { name: 'a', parts: { name: 'b' } } }, ['/part/parts INVALID_TYPE']],
    [{ part: { name: 'a', parts: [1, 2, 3] } }, ['/part/parts TOO_MANY_ITEMS']],
    [{ part: [] }, ['/part INVALID_TYPE']],
    [{ part: [{ name: 'a' }] }, ['/part INVALID_TYPE']],
    [{ numbers: [] }, ['/numbers TOO_FEW_ITEMS']],
    [{ numbers: [1, 1] }, ['/numbers DUPLICATE_ITEMS']],
    [
      { numbers: [2 ** 31, 1, '1', null] },
      ['/numbers/0 TOO_LARGE', '/numbers/2 INVALID_TYPE', '/numbers/3 INVALID_TYPE'],
    ],
    [{ toString: 1 }, ['/toString UNKNOWN_FIELD']],
    [{ hasOwnProperty: 1 }, ['/hasOwnProperty UNKNOWN_FIELD']],
    [{ constructor: 1 }, ['/constructor UNKNOWN_FIELD']],
    [{ prototype: 1 }, ['/prototype UNKNOWN_FIELD']],
    [{ part: { name: 1, constructor: 'x' } }, ['/part/constructor UNKNOWN_FIELD', '/part/name INVALID_TYPE']],
    [{ part: { name: 'a', constructor: Object } }, ['/part/constructor UNKNOWN_FIELD']],
    [JSON.parse('{"__proto__": {"count": 1}}'), ['/__proto__ UNKNOWN_FIELD']],
    [{ 'a/b~c': 1 }, ['/a~1b~0c UNKNOWN_FIELD']],
  ])('%j: %j', async (value, expected) => {
    expect(await codes(value)).toEqual(expected);
  });

  it('describes the problem of a value', async () => {
    const problem = (pointer: string, code: string, detail: string, params: object) => ({
      pointer,
      code,
      detail,
      params,
    });
    expect(await problemsOf(Thing, { count: 11, choice: 'c', part: 1, numbers: [2 ** 31] })).toEqual(
      expect.arrayContaining([
        problem('/count', 'TOO_LARGE', 'Must be 10 or less', { maximum: 10 }),
        problem('/choice', 'NOT_AN_OPTION', 'Must be one of: a, b', { options: ['a', 'b'] }),
        problem('/part', 'INVALID_TYPE', 'Must be an object or null', { expected: ['object', 'null'] }),
        problem('/numbers/0', 'TOO_LARGE', 'Must be 2147483647 or less', { maximum: 2147483647 }),
      ]),
    );
  });

  it('ignores inherited members of a value', async () => {
    expect(await codes(Object.create({ name: 'a' }), Part)).toEqual(['/name REQUIRED']);
  });

  it('creates instances with initial values for absent members, also in nested objects', async () => {
    const body = { part: { name: 'a', parts: [{ name: 'b' }] } };
    const thing = (await pipe.transform(body, { type: 'body', metatype: WithDefaults })) as WithDefaults;
    expect(thing).toBeInstanceOf(WithDefaults);
    expect(thing.status).toBe('new');
    expect(thing.part).toBeInstanceOf(Part);
    expect(thing.part?.parts?.[0]).toBeInstanceOf(Part);
  });

  it('passes free-form JSON on unchanged, whatever the names of its members', async () => {
    const payload = { constructor: 'x', prototype: 1, toString: null, valueOf: true, deep: { constructor: { a: 1 } } };
    const body = { payload, items: [payload] };
    expect(await pipe.transform(body, { type: 'body', metatype: Free })).toEqual(body);
  });

  it('names each invalid parameter of a query', async () => {
    const judged = async (query: object) => pipe.transform(query, { type: 'query', metatype: Thing });
    await expect(judged({ count: '11', colour: 'red' })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      message: 'colour: Unknown field; count: Must be 10 or less',
    });
    await expect(judged({ count: '5', numbers: ['1', '2'] })).resolves.toEqual({ count: 5, numbers: [1, 2] });
  });

  it('returns a bounded list of problems for any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
        expect((await codes(value)).length).toBeLessThanOrEqual(50);
      }),
    );
    expect((await codes(manyMembers(500))).length).toBe(50);
  });

  it.each<[string, () => unknown]>([
    ['100,000 unknown members', () => manyMembers(100_000)],
    ['100,000 unknown members of an object inside', () => ({ part: { name: 'a', ...manyMembers(100_000) } })],
    ['a free object with 100,000 members of a wrong type around it', () => ({ payload: [manyMembers(100_000)] })],
    ['100,000 wrong items', () => ({ numbers: Array.from({ length: 100_000 }, () => 'x') })],
    [
      '10,000 wrong objects, as many as the list may have',
      () => ({ many: Array.from({ length: 10_000 }, () => ({ name: 1 })) }),
    ],
    ['100,000 wrong objects', () => ({ parts: Array.from({ length: 100_000 }, () => ({ name: 1 })) })],
    [
      '10,000 items that are no objects, as many as the list may have',
      () => ({ many: Array.from({ length: 10_000 }, () => 1) }),
    ],
  ])('rejects %s quickly and with a short error', async (_what, make) => {
    const problems = await problemsWithin(1, Large, make());
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems).length).toBeLessThan(10_000);
  });

  it('finds duplicates in a long list quickly', async () => {
    class Tags {
      @ListField(field.text({ maxLength: 10 }), { unique: true, maxItems: 200_000 })
      tags: string[];
    }
    const tags = Array.from({ length: 100_000 }, (_, index) => String(index));
    expect(await problemsWithin(1, Tags, { tags })).toEqual([]);
    expect(await problemsWithin(1, Tags, { tags: [...tags, '7'] })).toMatchObject([{ code: 'DUPLICATE_ITEMS' }]);
  });

  it('accepts a free-form object with 100,000 members quickly', async () => {
    expect(await problemsWithin(1, Large, { payload: manyMembers(100_000) })).toEqual([]);
  });
});

describe('decorators of class-validator and class-transformer themselves', () => {
  it.each<[unknown, string[]]>([
    [{ mail: 'a@b.test', code: 'ab', at: '2026-01-01T00:00:00Z', name: ' Ada ' }, []],
    [{ mail: 'nobody', code: 'ab' }, ['/mail INVALID_FORMAT']],
    [{ code: 'ab' }, ['/mail REQUIRED']],
    [{ mail: 'a@b.test', code: 'AB' }, ['/code PATTERN_MISMATCH']],
    [{ mail: 'a@b.test', code: 'abcdef' }, ['/code TOO_LONG']],
    [{ mail: 'a@b.test', code: 'ab', size: 0 }, ['/size TOO_SMALL']],
    [{ mail: 'a@b.test', code: 'ab', at: 'x' }, ['/at INVALID_TYPE']],
    [{ mail: 'a@b.test', code: 'ab', parts: [{ name: 'A' }] }, ['/parts/0/name PATTERN_MISMATCH']],
    [
      { mail: 'a@b.test', code: 'ab', parts: [{ constructor: 1 }] },
      ['/parts/0/constructor UNKNOWN_FIELD', '/parts/0/name REQUIRED'],
    ],
    [{ mail: 'a@b.test', code: 'ab', even: 3 }, ['/even INVALID_VALUE']],
    [{ mail: 'a@b.test', code: 'ab', other: 3 }, ['/other UNKNOWN_FIELD']],
  ])('validate %j: %j', async (value, expected) => {
    expect((await codes(value, Plain)).sort()).toEqual(expected);
  });

  it('describe problems with their own messages', async () => {
    expect(await problemsOf(Plain, { mail: 'nobody', code: 'ab' })).toEqual([
      { pointer: '/mail', code: 'INVALID_FORMAT', detail: 'Must be an email' },
    ]);
  });

  it('transform values', async () => {
    const body = { mail: 'a@b.test', code: 'ab', at: '2026-01-01T00:00:00Z', name: ' Ada ', parts: [{ name: 'b' }] };
    const plain = (await pipe.transform(body, { type: 'body', metatype: Plain })) as Plain;
    expect(plain).toMatchObject({ name: 'Ada', at: new Date('2026-01-01T00:00:00Z') });
    expect(plain.parts?.[0]).toBeInstanceOf(Part);
  });

  it('add a property without a type to the OpenAPI schema when there is no field decorator', () => {
    expect(schemaOf(Plain)).toMatchObject({
      properties: { mail: {}, code: { type: 'string', maxLength: 5 } },
      required: ['code', 'mail'],
    });
  });
});

describe('classes that contain each other', () => {
  it('are judged by the asynchronous rules of both, whichever is judged first', async () => {
    expect(await codes({ seller: { orders: 3 } }, Buyer)).toEqual(['/seller/orders INVALID_VALUE']);
    expect(await codes({ buyer: { seller: { orders: 3 } } }, Seller)).toEqual(['/buyer/seller/orders INVALID_VALUE']);
    expect(await codes({ buyer: { seller: { orders: 2 } } }, Seller)).toEqual([]);
  });
});

describe('a redeclared property', () => {
  it('follows the class that redeclares it', async () => {
    expect(await codes({}, Strict)).toEqual(['/count REQUIRED']);
    expect(await codes({ count: 11 }, Strict)).toEqual([]);
  });

  it('cannot have another shape', () => {
    expect(() => {
      class Wrong extends Thing {}
      TextField({ maxLength: 3 })(Wrong.prototype, 'part');
    }).toThrow('Wrong.part is inherited as object');
  });
});

describe('the rules of a class', () => {
  it('are looked up by class-validator only when the class is first used', async () => {
    class Once {
      @TextField({ maxLength: 3 })
      name: string;
    }
    const entries = jest.spyOn(Map.prototype, 'entries');
    // class-validator iterates over all classes with the entries of this map.
    const rules = (getMetadataStorage() as unknown as { validationMetadatas: Map<unknown, unknown> })
      .validationMetadatas;
    const lookups = (): number => entries.mock.contexts.filter((map) => map === rules).length;
    try {
      await codes({ name: 'a' }, Once);
      const first = lookups();
      expect(first).toBeGreaterThan(0);
      await codes({ name: 'abcd' }, Once);
      expect(lookups()).toBe(first);
    } finally {
      entries.mockRestore();
    }
  });
});

describe('coerceQuery', () => {
  it('converts text to the declared types and leaves the rest to validation', () => {
    const query = { count: '5', done: 'true', amount: '-1.5', title: '5', numbers: '7', choice: 'a', unknown: '1' };
    const coerced = { count: 5, done: true, amount: -1.5, title: '5', numbers: [7], choice: 'a', unknown: '1' };
    expect(coerceQuery(schemaOf(Thing)!, query)).toEqual(coerced);
    const wrong = { count: '1e3', done: 'yes', numbers: ['1', 'x'] };
    expect(coerceQuery(schemaOf(Thing)!, wrong)).toEqual({ ...wrong, numbers: [1, 'x'] });
  });
});
