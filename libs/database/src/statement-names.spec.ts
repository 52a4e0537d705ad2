import { describe, expect, it } from '@jest/globals';
import { StatementNames } from './segment.js';

describe('the names of prepared statements', () => {
  it('stay the same for a text', () => {
    const names = new StatementNames();
    expect(['SELECT 1', 'SELECT 2', 'SELECT 1'].map((text) => names.nameOf(text))).toEqual([
      'prepared_1',
      'prepared_2',
      'prepared_1',
    ]);
  });

  it('are limited, however many texts come', () => {
    const names = new StatementNames();
    const given = Array.from({ length: 1_000 }, (_, index) => names.nameOf(`SELECT ${index}`));
    expect(given.filter((name) => name !== undefined)).toHaveLength(200);
    expect(names.nameOf('SELECT 0')).toBe('prepared_1');
    expect(names.nameOf('SELECT 999')).toBeUndefined();
  });

  it('are left for other statements, however many variants of lists come', () => {
    const names = new StatementNames();
    const given = Array.from({ length: 1_000 }, (_, index) => names.nameOf(`SELECT ${index}`, true));
    expect(given.filter((name) => name !== undefined)).toHaveLength(150);
    expect(names.nameOf('UPDATE')).toBe('prepared_151');
  });
});
