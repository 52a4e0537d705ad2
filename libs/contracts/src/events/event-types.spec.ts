import { describe, expect, it } from '@jest/globals';
import { eventValueTypes } from './event-types.js';

describe('eventValueTypes', () => {
  it('returns the types of the data of an event and, directly, of the fields of its record', () => {
    const types = eventValueTypes('deal.won');
    expect(types.get('amount')).toBe('number');
    expect(types.get('name')).toBe('text');
    expect(types.get('createdAt')).toBe('datetime');
    expect(types.get('record')).toBe('any');
    expect(types.has('changed')).toBe(false);
    expect(eventValueTypes('task.completed').get('dueAt')).toBe('datetime');
    expect(eventValueTypes('deal.updated').get('changed')).toBe('any');
  });

  it('does not know the types of the fields of a custom record', () => {
    expect([...eventValueTypes('record.created').keys()]).not.toContain('name');
  });
});
