import { eventValueTypes } from '@crm/contracts';
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

  it('contains those of a platform event', () => {
    expect(conditionTypes({ type: 'event', event: 'deal.won' })).toEqual(eventValueTypes('deal.won'));
  });

  it('contains what an event of an app declares', () => {
    const payload = [{ name: 'score', type: 'number' as const }];
    expect([...conditionTypes({ type: 'event', event: 'acme.scored', payload })]).toEqual([['score', 'number']]);
    expect([...conditionTypes({ type: 'event' })]).toEqual([]);
    expect([...conditionTypes({ type: 'schedule', cron: '* * * * *' })]).toEqual([]);
  });
});
