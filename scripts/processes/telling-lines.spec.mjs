import { describe, expect, it } from '@jest/globals';
import { tellingLines } from './telling-lines.mjs';

describe('the excerpt of a log', () => {
  it('leaves out the frames of a stack trace', () => {
    const lines = ['up', 'Error: boom', '    at one (a.js:1)', '    at two (b.js:2)', 'Node.js v20.20.2'];
    expect(tellingLines(lines, 2)).toEqual(['Error: boom', 'Node.js v20.20.2']);
  });
});
