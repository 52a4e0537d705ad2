import { describe, expect, it } from '@jest/globals';
import { presentInstant } from './record.presentation.js';

describe('an instant in JSON', () => {
  it.each([
    ['2026-03-04T05:06:07.000Z', '2026-03-04T05:06:07Z'],
    ['2026-03-04T05:06:07.120Z', '2026-03-04T05:06:07.12Z'],
    ['2026-03-04T05:06:07.001Z', '2026-03-04T05:06:07.001Z'],
    ['2026-03-04T05:06:00.100Z', '2026-03-04T05:06:00.1Z'],
  ])('%s is written %s', (instant, text) => {
    expect(presentInstant(new Date(instant))).toBe(text);
  });
});
