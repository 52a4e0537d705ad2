import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EVENT_NAMES } from './catalogue.js';
import {
  domainOf,
  EVENT_PATTERNS,
  eventScope,
  eventsOf,
  isEventPattern,
  matchesEvent,
  patternsOf,
} from './event-pattern.js';

describe('a pattern of events', () => {
  it.each([
    ['lead.created', true],
    ['lead.*', true],
    ['webhook.*', true],
    ['*', false],
    ['*.*', false],
    ['.*', false],
    ['lead', false],
    ['lead.', false],
    ['lead*', false],
    ['*.created', false],
    ['lead.**', false],
    ['lead.cre*', false],
    ['lead.exploded', false],
    ['opportunity.*', false],
    ['LEAD.*', false],
    ['constructor', false],
  ])('%s is one: %s', (text, expected) => expect(isEventPattern(text)).toBe(expected));

  it('stands for its event, or for every event of its domain', () => {
    expect(eventsOf('deal.won')).toEqual(['deal.won']);
    expect(eventsOf('deal.*')).toEqual([
      'deal.created',
      'deal.updated',
      'deal.deleted',
      'deal.restored',
      'deal.won',
      'deal.lost',
    ]);
    expect(eventsOf('*')).toEqual([]);
    expect(new Set(EVENT_PATTERNS.flatMap(eventsOf))).toEqual(new Set(EVENT_NAMES));
  });

  it.each<[readonly string[], string, boolean]>([
    [['lead.created'], 'lead.created', true],
    [['lead.created'], 'lead.updated', false],
    [['deal.won', 'lead.*'], 'lead.updated', true],
    [['lead.*'], 'lead.joined_the_vocabulary_later', true],
    [['lead.*'], 'leads.created', false],
    [['lead.*'], 'lea.created', false],
    [['lead.*'], 'lead', false],
    [['lead.*', 'lead.created'], 'lead.created', true],
    [['*'], 'lead.created', false],
    [['.*'], 'lead.created', false],
    [[], 'lead.created', false],
  ])('%j match %s: %s', (patterns, event, expected) => expect(matchesEvent(patterns, event)).toBe(expected));

  it('matches exactly the events that it stands for, however it is looked up', () => {
    const name = fc.constantFrom(...EVENT_NAMES);
    const patterns = fc.array(fc.constantFrom(...EVENT_PATTERNS), { maxLength: 4 });
    fc.assert(
      fc.property(patterns, name, (chosen, event) => {
        const expected = chosen.flatMap(eventsOf).includes(event);
        expect(matchesEvent(chosen, event)).toBe(expected);
        expect(patternsOf(event).some((pattern) => (chosen as string[]).includes(pattern))).toBe(expected);
      }),
    );
  });

  it.each([
    ['lead.created', 'leads:read'],
    ['record.*', 'custom_objects:read'],
    // They have names and e-mail addresses.
    ['user.created', 'users:read'],
    ['user.*', 'users:read'],
    ['app.installed', undefined],
  ])('%s needs the scope %s', (pattern, scope) => expect(eventScope(pattern)).toBe(scope));

  it('needs the scope that every event of its domain needs', () => {
    for (const event of EVENT_NAMES) expect(eventScope(`${domainOf(event)}.*`)).toBe(eventScope(event));
  });
});
