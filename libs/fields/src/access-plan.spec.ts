import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../test/runs.js';
import { accessPlan } from './access-plan.js';
import { compileFieldFormulas } from './check-definition.js';
import type { FieldDefinition } from './field-definition.js';

// Many runs, on a machine that may be busy with other test files.
jest.setTimeout(process.env.DEEP === '1' ? 3_600_000 : 60_000);

const text = (apiName: string, more: Partial<FieldDefinition> = {}): FieldDefinition => {
  return { apiName, type: 'number', ...more };
};
const formula = (apiName: string, expression: string, more: Partial<FieldDefinition> = {}): FieldDefinition => {
  return { apiName, type: 'formula', expression, ...more };
};
const plan = (fields: FieldDefinition[], ...roles: string[]) => {
  const { readable, writable } = accessPlan(fields, roles);
  return { readable: [...readable], writable: [...writable] };
};

describe('a plain field', () => {
  const hr = text('hr', { readRoles: ['hr', 'admin'], writeRoles: ['hr'] });
  const fields = [text('open'), text('empty', { readRoles: [], writeRoles: [] }), hr];
  const OPEN = ['open', 'empty'];
  const ALL = [...OPEN, 'hr'];

  it.each([
    ...[[], ['member'], ['owner'], ['HR'], ['hr ']].map((roles) => ({ roles, readable: OPEN, writable: OPEN })),
    { roles: ['hr'], readable: ALL, writable: ALL },
    { roles: ['admin'], readable: ALL, writable: OPEN },
    { roles: ['member', 'admin'], readable: ALL, writable: OPEN },
  ])('roles $roles', ({ roles, ...expected }) => expect(plan(fields, ...roles)).toEqual(expected));

  it('of every app is of nobody, and one of an app is of that app', () => {
    const every = text('every', { readRoles: ['app'], writeRoles: ['app'] });
    const fields = [every, text('one', { readRoles: ['app:acme'] })];
    expect(plan(fields, 'app')).toEqual({ readable: [], writable: ['one'] });
    expect(plan(fields, 'app:acme')).toEqual({ readable: ['one'], writable: ['one'] });
    expect(plan(fields, 'app:other')).toEqual({ readable: [], writable: ['one'] });
  });

  it('that is unique is writable only for those who can read it', () => {
    const fields = [
      text('open', { is_unique: true }),
      text('code', { is_unique: true, readRoles: ['hr'] }),
      text('number', { is_unique: true, readRoles: ['hr', 'admin'], writeRoles: ['admin', 'member'] }),
    ];
    expect(plan(fields, 'member')).toEqual({ readable: ['open'], writable: ['open'] });
    const all = ['open', 'code', 'number'];
    expect(plan(fields, 'member', 'hr')).toEqual({ readable: all, writable: all });
    expect(plan(fields, 'hr').writable).toEqual(['open', 'code']);
  });

  it('may be writable without being readable', () => {
    expect(plan([text('drop', { readRoles: ['hr'] })], 'member')).toEqual({ readable: [], writable: ['drop'] });
  });
});

describe('formula fields', () => {
  const salary = text('salary', { readRoles: ['hr'] });
  const readable = (fields: FieldDefinition[], ...roles: string[]) => plan(fields, ...roles).readable;

  it('are never writable', () =>
    expect(plan([formula('f', '1', { writeRoles: ['member'] })], 'member').writable).toEqual([]));
  it('are readable when the fields they read are', () => {
    expect(readable([salary, formula('f', 'salary * 2')], 'member')).toEqual([]);
    expect(readable([salary, formula('f', 'salary * 2')], 'hr')).toEqual(['salary', 'f']);
  });
  it('depend on the fields of a branch that never runs too', () => {
    expect(readable([salary, formula('f', 'IF(TRUE, 1, salary)')], 'member')).toEqual([]);
  });
  it('depend on fields read through other formulas, in any order', () => {
    const fields = [formula('g', 'f + 1'), formula('f', 'salary * 2'), salary];
    expect(readable(fields, 'member')).toEqual([]);
    expect(readable(fields, 'hr').sort()).toEqual(['f', 'g', 'salary']);
  });
  it('have read roles of their own', () => {
    expect(readable([formula('f', '1', { readRoles: ['hr'] })], 'member')).toEqual([]);
    expect(readable([formula('g', 'f + 1'), formula('f', '1', { readRoles: ['hr'] })], 'member')).toEqual([]);
  });
  it('that expose their value are readable by their own roles alone, also for formulas that read them', () => {
    const band = formula('band', 'IF(salary > 5, "high", "low")', { exposes: true });
    expect(readable([salary, band, formula('g', 'band + "!"')], 'member')).toEqual(['band', 'g']);
  });
  it('that expose their value still have read roles of their own', () => {
    const fields = [salary, formula('band', 'salary', { exposes: true, readRoles: ['lead'] }), formula('g', 'band')];
    expect(readable(fields, 'member')).toEqual([]);
    expect(readable(fields, 'lead')).toEqual(['band', 'g']);
  });
  it('that expose their value do not open another path to the same field', () => {
    const fields = [salary, formula('band', 'salary', { exposes: true }), formula('g', 'band + salary')];
    expect(readable(fields, 'member')).toEqual(['band']);
  });
  it('without inputs are readable by everyone', () =>
    expect(readable([formula('f', 'TODAY()')], 'member')).toEqual(['f']));
  it('that cannot be parsed or name an unknown field are not readable', () => {
    expect(readable([formula('f', '1 +')], 'member')).toEqual([]);
    expect(readable([formula('f', 'missing + 1')], 'member')).toEqual([]);
    expect(readable([formula('f', '1 +', { exposes: true })], 'member')).toEqual([]);
    expect(readable([{ apiName: 'f', type: 'formula' }], 'member')).toEqual([]);
  });
  it('on a cycle, and formulas that read them, are not readable', () => {
    const fields = Object.entries({ a: 'b', b: 'a', c: 'a', d: '1' }).map(([name, reads]) => formula(name, reads));
    expect(readable(fields, 'member')).toEqual(['d']);
    expect(readable([formula('a', 'a', { exposes: true })], 'member')).toEqual([]);
  });
});

describe('non-interference', () => {
  const roles = ['r1', 'r2'];
  const roleList = fc.subarray(roles);
  const model = fc
    .record({
      plain: fc.array(roleList, { minLength: 3, maxLength: 4 }),
      formulas: fc.array(
        fc.record({ reads: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }), readRoles: roleList }),
        { maxLength: 6 },
      ),
      held: roleList,
      values: fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 4, maxLength: 4 }),
      others: fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 4, maxLength: 4 }),
    })
    .map(({ plain, formulas, ...rest }) => {
      const fields: FieldDefinition[] = plain.map((readRoles, index) => text(`p${index}`, { readRoles }));
      for (const [index, { reads, readRoles }] of formulas.entries()) {
        // Only earlier fields, so that there is no cycle.
        const names = reads.map((index) => fields[index % fields.length]!.apiName);
        fields.push(formula(`f${index}`, `IF(${names[0]} > 0, ${names.join(' + ')}, ${names.at(-1)})`, { readRoles }));
      }
      return { fields, ...rest };
    });

  it('a change to an unreadable field changes nothing that the principal reads', () => {
    fc.assert(
      fc.property(model, ({ fields, held, values, others }) => {
        const { readable } = accessPlan(fields, held);
        const plainNames = fields.filter((field) => field.type !== 'formula').map((field) => field.apiName);
        const before = Object.fromEntries(plainNames.map((name, index) => [name, values[index]!]));
        const after = Object.fromEntries(
          plainNames.map((name, index) => [name, readable.has(name) ? values[index]! : others[index]!]),
        );
        const formulas = compileFieldFormulas(fields);
        const seen = (record: Record<string, number>) => {
          const all: Record<string, unknown> = { ...record };
          formulas.evaluatorOf(new Set(formulas.order))(all, { now: new Date(0) });
          return [...readable].map((name) => [name, all[name]]);
        };
        expect(seen(after)).toEqual(seen(before));
      }),
      runs(250),
    );
  });

  it('additional roles never remove a field', () => {
    fc.assert(
      fc.property(model, ({ fields, held }) => {
        const all = accessPlan(fields, roles);
        for (const name of accessPlan(fields, held).readable) expect(all.readable.has(name)).toBe(true);
      }),
      runs(100),
    );
  });
});
