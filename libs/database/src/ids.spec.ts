import { describe, expect, it } from '@jest/globals';
import { newId } from './ids.js';

describe('new ids', () => {
  const ids = Array.from({ length: 20_000 }, newId);

  it('are UUIDs of version 7 with the time', () => {
    const now = Date.now();
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const time = Number.parseInt((ids[0] as string).replace('-', '').slice(0, 12), 16);
    expect(Math.abs(now - time)).toBeLessThan(60_000);
  });

  it('are different, and in the order in which they were made', () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    // Of two in the same millisecond the rest is random.
    expect(new Set(ids.map((id) => id.slice(-8))).size).toBeGreaterThan(ids.length - 10);
  });
});
