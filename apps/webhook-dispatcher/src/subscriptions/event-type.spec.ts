import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
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
