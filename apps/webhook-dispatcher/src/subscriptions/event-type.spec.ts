import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { passesFilter, requireValidFilter } from './event-filter.js';
import { EVENT_TYPES, type EventType } from './event-type.js';

const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);

const typeOf = (name: string): EventType => EVENT_TYPES.find((type) => type.name === name) as EventType;
const without = (data: object, name: string) =>
  Object.fromEntries(Object.entries(data).filter(([key]) => key !== name));

describe('the catalogue of event types', () => {
  it.each(EVENT_TYPES.map((type) => [type.name, type] as const))(
    'shows a body of %s that follows its schema',
    (name, type) => {
      const { schema, example } = JSON.parse(JSON.stringify(type)) as EventType & { schema: { required: string[] } };
      const isValid = ajv.compile(schema);
      expect([isValid(example.data), isValid.errors]).toEqual([true, null]);
      // A schema that accepts everything would prove nothing.
      for (const required of schema.required) expect(isValid(without(example.data, required))).toBe(false);
      expect(example).toMatchObject({ type: name, dataschema: type.dataschema });
      expect(name.startsWith(`${type.domain}.`)).toBe(true);
      // The lookup of a receiver: from `dataschema` of a body to the schema.
      expect(ajv.getSchema(example.dataschema)).toBe(isValid);
    },
  );

  it('shows the record as receivers get it: its fields next to what changed, the object in the body', () => {
    const { schema, example } = typeOf('lead.updated');
    expect(schema).toMatchObject({ properties: { lastName: { type: 'string' }, changed: { type: 'array' } } });
    expect(schema.properties).not.toHaveProperty('record');
    expect(example.data).toMatchObject({ status: 'qualified', changed: ['status'], previous: { status: 'new' } });
    const custom = typeOf('record.updated');
    expect(custom.schema.properties).not.toHaveProperty('object');
    expect(custom.example).toMatchObject({ object: 'visit', data: { hours: 5, previous: { hours: 3 } } });
  });
});

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
