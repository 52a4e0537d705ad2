import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvCell } from './audit-log.service.js';

/** A cell as RFC 4180 reads it. */
const read = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

describe('a cell of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1+1', "' =1+1"],
    ['\t=1', "'\t=1"],
    [' plain', '" plain"'],
    ['＝1', "'＝1"],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    [null, ''],
  ])('of %j is %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it('is read back as the text, or as the text behind an apostrophe, and never begins as a formula', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const text = read(csvCell(value));
        expect([value, `'${value}`]).toContain(text);
        expect(text).not.toMatch(/^\s*[=+\-@]/);
      }),
      { numRuns: 500 },
    );
  });
});
