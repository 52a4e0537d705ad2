import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  BooleanField,
  EnumField,
  field,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
} from './fields.js';
import { coerceQuery } from './query.js';
import { schemaOf } from './schema.js';
import { validate } from './validate.js';

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

const codes = (value: unknown): string[] =>
  validate(schemaOf(Thing)!, value).map(({ pointer, code }) => `${pointer} ${code}`.trim());

describe('validate', () => {
  it('accepts what is declared, inherited fields included', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ count: 10, title: '', amount: null, done: false, choice: null, part: null, numbers: [1] })).toEqual(
      [],
    );
    expect(codes({ part: { name: 'a', parts: [{ name: 'b', parts: [] }] } })).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    [{ count: 0 }, ['/count TOO_SMALL']],
    [{ count: 11 }, ['/count TOO_LARGE']],
    [{ count: 1.5 }, ['/count INVALID_TYPE']],
    [{ count: '1' }, ['/count INVALID_TYPE']],
    [{ count: null }, ['/count INVALID_TYPE']],
    [{ title: '😀😀😀😀' }, []],
    [{ title: '😀😀😀😀😀' }, ['/title TOO_LONG']],
    [{ amount: Number.NaN }, ['/amount INVALID_TYPE']],
    [{ done: 'true' }, ['/done INVALID_TYPE']],
    [{ choice: 'c' }, ['/choice NOT_AN_OPTION']],
    [{ part: {} }, ['/part/name REQUIRED']],
    [{ part: { name: 'A' } }, ['/part/name PATTERN_MISMATCH']],
    [{ part: { name: 'a', parts: [{ name: '' }, 1] } }, ['/part/parts/0/name TOO_SHORT', '/part/parts/1 INVALID_TYPE']],
    [{ part: [] }, ['/part INVALID_TYPE']],
    [{ numbers: [] }, ['/numbers TOO_FEW_ITEMS']],
    [{ numbers: [1, 1] }, ['/numbers DUPLICATE_ITEMS']],
    [{ numbers: [2 ** 31] }, ['/numbers/0 TOO_LARGE']],
    [{ toString: 1 }, ['/toString UNKNOWN_FIELD']],
    [{ hasOwnProperty: 1 }, ['/hasOwnProperty UNKNOWN_FIELD']],
    ['text', ['INVALID_TYPE']],
  ])('%j: %j', (value, expected) => {
    expect(codes(value)).toEqual(expected);
  });

  it('does not take an inherited member for a given one', () => {
    expect(validate(schemaOf(Part)!, Object.create({ name: 'a' }))).toMatchObject([{ code: 'REQUIRED' }]);
  });

  it('answers any JSON value with a bounded list of problems', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(codes(value).length).toBeLessThanOrEqual(50);
      }),
    );
    expect(codes(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]))).length).toBe(50);
  });
});

describe('coerceQuery', () => {
  it('makes declared types of text and leaves the rest for validation', () => {
    const query = { count: '5', done: 'true', amount: '-1.5', title: '5', numbers: '7', choice: 'a', unknown: '1' };
    expect(coerceQuery(schemaOf(Thing)!, query)).toEqual({
      count: 5,
      done: true,
      amount: -1.5,
      title: '5',
      numbers: [7],
      choice: 'a',
      unknown: '1',
    });
    expect(coerceQuery(schemaOf(Thing)!, { count: '1e3', done: 'yes', numbers: ['1', 'x'] })).toEqual({
      count: '1e3',
      done: 'yes',
      numbers: [1, 'x'],
    });
  });
});
