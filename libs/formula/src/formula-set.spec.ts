import { describe, expect, it } from '@jest/globals';
import { FormulaCompileError } from './errors.js';
import { type CompiledFormulaSet, checkFormulaSet, compileFormulaSet, formulaDependencies } from './formula-set.js';
import { orderFormulas, wayBack } from './order.js';

const NOW = { now: new Date('2024-02-29T12:00:00Z') };
const sources = (entries: Record<string, string>) => new Map(Object.entries(entries));
const DATES = { due: 'TODAY()', late: 'due == due' };
const NUMBER = { n: 'number' } as const;

/** The values of a record with those of all formulas, or of the wanted ones and those they read. */
function evaluated(set: CompiledFormulaSet, record: Record<string, unknown>, names: readonly string[] = set.order) {
  const values = { ...record };
  set.evaluatorOf(new Set(names))(values, NOW);
  return values;
}

describe('the order of formulas', () => {
  it.each<[Record<string, string[]>, string[]]>([
    [{}, []],
    [{ a: [] }, ['a']],
    [{ a: ['b'], b: [] }, ['b', 'a']],
    [{ a: ['b', 'c'], b: ['c'], c: ['field'] }, ['c', 'b', 'a']],
    [{ a: ['c'], b: ['c'], c: [] }, ['c', 'a', 'b']],
  ])('%j: %j', (reads, order) => expect(orderFormulas(new Map(Object.entries(reads)))).toEqual({ order, circles: [] }));

  it.each<[Record<string, string[]>, string[], string[][]]>([
    [{ a: ['a'] }, [], [['a']]],
    [{ a: ['a', 'b'], b: [] }, ['b'], [['a']]],
    [{ a: ['b'], b: ['a'] }, [], [['a', 'b']]],
    [{ x: ['a'], a: ['b', 'd'], b: ['c'], c: ['a'], d: [] }, ['d', 'x'], [['a', 'b', 'c']]],
    // On two cycles that share a name: one group.
    [{ a: ['b', 'c'], b: ['a'], c: ['a'] }, [], [['a', 'b', 'c']]],
    // The second reads the first, not the other way round.
    [{ a: ['b', 'c'], b: ['a'], c: ['d'], d: ['c'] }, [], ['cd', 'ab'].map((names) => [...names])],
    // A name that was placed before does not close a cycle.
    [{ a: ['b'], b: [], c: ['b', 'd'], d: ['c', 'a'] }, ['b', 'a'], [['c', 'd']]],
  ])('%j: in order %j, in circles %j', (reads, order, circles) => {
    expect(orderFormulas(new Map(Object.entries(reads)))).toEqual({ order, circles });
  });

  it.each<[Record<string, string[]>, string, string[]]>([
    [{ a: ['a'] }, 'a', ['a', 'a']],
    [{ a: ['b'], b: ['a'] }, 'b', ['b', 'a', 'b']],
    [{ a: ['b', 'c'], b: ['c'], c: ['d'], d: ['a'] }, 'a', ['a', 'c', 'd', 'a']],
    [{ a: ['x', 'b'], x: ['a'], b: ['a'] }, 'a', ['a', 'b', 'a']],
  ])('%j: the way from %s back to itself is %j', (reads, name, way) => {
    expect(wayBack(name, new Set(['a', 'b', 'c', 'd']), new Map(Object.entries(reads)))).toEqual(way);
  });

  it('finds no cycle where there is none', () => {
    const reads = new Map(Object.entries({ a: ['b'], b: [] }));
    expect(() => wayBack('a', new Set(['a', 'b']), reads)).toThrow('a does not read itself');
  });

  it('handles a chain of any length', () => {
    const reads = new Map(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, [`f${index + 1}`]] as const));
    expect(orderFormulas(reads).order).toHaveLength(50_000);
  });
});

describe('formulas of an object', () => {
  it('read each other in any order, with their types', () => {
    const set = compileFormulaSet(
      sources({ label: '"Total " + total', total: 'net + tax', tax: 'ROUND(net * 0.2, 2)', ...DATES }),
      { net: 'number' },
    );
    expect(set.order).toEqual(['tax', 'total', 'label', 'due', 'late']);
    const values = { net: 10, tax: 2, total: 12, label: 'Total 12', due: '2024-02-29', late: true };
    expect(evaluated(set, { net: 10 })).toEqual(values);
    expect(set.readsClock).toBe(true);
  });

  it('are computed with those they read, and no others', () => {
    const set = compileFormulaSet(sources({ a: 'n + 1', b: 'a + 1', c: 'b + 1' }), NUMBER);
    expect(evaluated(set, { n: 1 }, ['b'])).toEqual({ n: 1, a: 2, b: 3 });
    expect(evaluated(set, { n: 1 }, [])).toEqual({ n: 1 });
    expect(evaluated(set, { n: 1 }, ['unknown'])).toEqual({ n: 1 });
    expect(set.readsClock).toBe(false);
  });

  it('ignores a value in the record under the name of a formula', () => {
    const set = compileFormulaSet(sources({ a: 'n + 1', b: 'a' }), NUMBER);
    expect(evaluated(set, { n: 1, a: 100 })).toEqual({ n: 1, a: 2, b: 2 });
  });

  it('passes datetimes and texts between formulas unchanged', () => {
    const set = compileFormulaSet(sources({ start: 'IF(TRUE, at)', same: 'start == at' }), { at: 'datetime' });
    const at = '2024-01-01T00:00:00.5Z';
    expect(evaluated(set, { at })).toEqual({ at, start: at, same: true });
  });

  it('report a type error once', () => {
    const { ok, formulas } = checkFormulaSet(sources({ a: '"x" * 2', b: 'a + 1', c: 'b > 0' }), {});
    expect(ok).toBe(false);
    expect([...formulas.values()].map((formula) => formula.ok)).toEqual([false, true, true]);
  });

  it('report a cycle at each of its formulas, with the path and the position', () => {
    const { ok, order, formulas } = checkFormulaSet(sources({ a: '1 + b', b: 'IF(TRUE, c)', c: '-a', d: 'a + 1' }), {});
    expect([ok, order]).toEqual([false, []]);
    expect(formulas.get('a')!.errors).toEqual([
      { code: 'CYCLE', message: 'The formulas form a cycle: a → b → c → a', position: 4, length: 1 },
    ]);
    expect(formulas.get('b')!.errors[0]).toMatchObject({ code: 'CYCLE', position: 9 });
    expect(formulas.get('c')!.errors[0]!.message).toContain('c → a → b → c');
    expect(formulas.get('d')!.ok).toBe(true);
  });

  it('report each formula of cycles that share one', () => {
    const { formulas } = checkFormulaSet(sources({ a: 'b + c', b: 'a', c: 'a' }), {});
    const ways = [...formulas.values()].map(({ errors }) => errors[0]?.message.split(': ')[1]);
    expect(ways).toEqual(['a → b → a', 'b → a → b', 'c → a → c']);
  });

  it.each([
    [7, 'f3 → f2 → f1 → f0 → f6 → f5 → f4 → f3'],
    [8, 'f3 → f2 → f1 → f0 → f7 → f6 → f5 → … → f3'],
  ])('show of a circle of %i names: %s', (length, way) => {
    const ring = Array.from({ length }, (_, index) => [`f${index}`, `f${(index + length - 1) % length}`] as const);
    const { formulas } = checkFormulaSet(new Map(ring), {});
    expect(formulas.get('f3')!.errors[0]!.message).toBe(`The formulas form a cycle: ${way}`);
  });

  it('report thousands of cycles, each formula at the name it reads from its cycle', () => {
    const hub = Array.from({ length: 200 }, (_, index) => `f${index}`);
    const set = new Map([['hub', hub.join(' + ')], ...hub.map((name) => [name, 'n + hub'] as const), ['own', 'own']]);
    const { formulas } = checkFormulaSet(set, NUMBER);
    expect([...formulas.values()].every(({ errors }) => errors[0]!.code === 'CYCLE')).toBe(true);
    const message = 'The formulas form a cycle: f150 → hub → … → f150';
    expect(formulas.get('f150')!.errors[0]).toMatchObject({ position: 4, message });
    expect(formulas.get('own')!.errors[0]!.message).toBe('The formulas form a cycle: own → own');
  });

  it('report a cycle of many thousand formulas', () => {
    const length = 20_000;
    const ring = Array.from({ length }, (_, index) => [`f${index}`, `f${(index + 1) % length}`] as const);
    const { formulas } = checkFormulaSet(new Map(ring), {});
    expect(formulas.get('f19999')!.errors[0]!.message).toContain('f19999 → f0 → f1 → f2 → f3 → f4 → f5 → … → f19999');
  });

  it('may read through a chain of ten formulas and no more', () => {
    const chain = (length: number) =>
      new Map(Array.from({ length }, (_, index) => [`f${index}`, index === 0 ? 'n' : `f${index - 1} + 1`] as const));
    expect(checkFormulaSet(chain(11), NUMBER).ok).toBe(true);
    const { formulas } = checkFormulaSet(chain(12), NUMBER);
    expect(formulas.get('f10')!.ok).toBe(true);
    expect(formulas.get('f11')!.errors).toMatchObject([{ code: 'CHAIN_TOO_DEEP', position: 0, length: 7 }]);
  });

  it('are not compiled when one has an error', () => {
    expect(() => compileFormulaSet(sources({ a: 'a' }), {})).toThrow(FormulaCompileError);
    expect(() => compileFormulaSet(sources({ a: 'b' }), {})).toThrow(FormulaCompileError);
  });

  it('may be called __proto__ or like any other property of objects', () => {
    const names = { constructor: 'n + 1', ['__proto__']: 'constructor + 1', b: '__proto__ + 1' };
    const set = compileFormulaSet(sources(names), NUMBER);
    const values = Object.assign(Object.create(null), { n: 1 });
    set.evaluatorOf(new Set(['b']))(values, NOW);
    expect(Object.entries(values).flat()).toEqual(['n', 1, 'constructor', 2, '__proto__', 3, 'b', 4]);
  });
});

it('the names a formula reads are found without knowing the fields, even in a formula with errors', () => {
  expect(formulaDependencies('IF(a, -b, c + a) * ')).toEqual(['a', 'b', 'c']);
  expect(formulaDependencies('')).toEqual([]);
});
