import { describe, expect, it } from '@jest/globals';
import { conditionTypes } from './package-model.js';

describe('conditionTypes', () => {
  it('contains the declared keys of a payload', () => {
    const payload = [
      { name: 'subject', type: 'text' },
      { name: 'hours', type: 'number' },
      { name: 'urgent', type: 'boolean' },
      { name: 'due', type: 'date' },
      { name: 'tags', type: 'multi_select' },
      { name: 'file' },
      { type: 'text' },
      undefined,
    ] as never;
    expect(Object.fromEntries(conditionTypes({ type: 'webhook_received', payload }))).toEqual({
      subject: 'text',
      hours: 'number',
      urgent: 'boolean',
      due: 'date',
      tags: 'multi_select',
      file: 'any',
    });
  });

  it('contains the data of a platform event and, directly, the fields of its record', () => {
    const types = conditionTypes({ type: 'event', event: 'deal.won' });
    expect(types.get('amount')).toBe('number');
    expect(types.get('name')).toBe('text');
    expect(types.get('createdAt')).toBe('datetime');
    expect(types.get('record')).toBe('any');
    expect(types.get('changed')).toBeUndefined();
    expect(conditionTypes({ type: 'event', event: 'task.completed' }).get('dueAt')).toBe('datetime');
  });

  it('contains what an event of an app declares', () => {
    const payload = [{ name: 'score', type: 'number' as const }];
    expect([...conditionTypes({ type: 'event', event: 'acme.scored', payload })]).toEqual([['score', 'number']]);
    expect([...conditionTypes({ type: 'event' })]).toEqual([]);
    expect([...conditionTypes({ type: 'schedule', cron: '* * * * *' })]).toEqual([]);
  });
});
