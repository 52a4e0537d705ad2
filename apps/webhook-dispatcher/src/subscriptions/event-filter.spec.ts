import { describe, expect, it } from '@jest/globals';
import { passesFilter, requireValidFilter } from './event-filter.js';

const NOW = new Date('2024-02-29T12:00:00Z');

describe('a filter of events', () => {
  it.each<[string, string, Record<string, unknown>, boolean]>([
    ['amount > 1000', 'deal.won', { amount: 2000 }, true],
    ['amount > 1000', 'deal.won', { amount: 500 }, false],
    ['amount > 1000', 'deal.won', { amount: '2000' }, false],
    ['amount > 1000', 'deal.won', {}, false],
    // The schema declares an instant, so functions of dates accept it.
    ['DAYS_BETWEEN(createdAt, TODAY()) > 3', 'deal.won', { createdAt: '2024-02-20T00:00:00Z' }, true],
    ['DAYS_BETWEEN(createdAt, TODAY()) > 3', 'deal.won', { createdAt: '2024-02-28T00:00:00Z' }, false],
    // The fields of a custom record have no declared types.
    ['hours > 3', 'record.created', { hours: 4 }, true],
    ['hours > 3', 'record.created', { hours: '4' }, false],
    ['object == "visit"', 'record.created', {}, false],
    // Accepted before the schema had types, or for an event that no longer exists.
    ['createdAt == "2024-02-29T12:00:00Z"', 'deal.won', { createdAt: '2024-02-29T12:00:00Z' }, true],
    ['x == 1', 'lead.exploded', { x: 1 }, true],
  ])('evaluates %s for %s with %j to %s', (source, event, data, passes) => {
    expect(passesFilter(source, event, data, NOW)).toBe(passes);
  });

  it('is checked against the schema of each of its events', () => {
    expect(() => requireValidFilter('amount > 1', ['deal.won', 'record.created'])).not.toThrow();
    expect(() => requireValidFilter('amount == "a"', ['record.created'])).not.toThrow();
    expect(() => requireValidFilter('amount == "a"', ['record.created', 'deal.won'])).toThrow('for deal.won');
    expect(() => requireValidFilter('1 + 1', ['deal.won'])).toThrow('for deal.won');
  });
});
