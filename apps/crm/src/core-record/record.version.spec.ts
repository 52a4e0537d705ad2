import { describe, expect, it } from '@jest/globals';
import { requireMatch } from './record.version.js';

describe('If-Match', () => {
  it.each([undefined, '*', '"3"', '"1", "3"'])('%s matches version 3', (header) => {
    expect(() => requireMatch(header, 3)).not.toThrow();
  });

  it.each(['"2"', '3', 'W/"3"', '', '"33"'])('%j does not match version 3', (header) => {
    expect(() => requireMatch(header, 3)).toThrow(expect.objectContaining({ code: 'VERSION_MISMATCH' }));
  });
});
