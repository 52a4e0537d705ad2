import { describe, expect, it } from '@jest/globals';
import Value from 'typebox/value';
import { EVENTS } from './catalogue.js';

describe('the catalogue of events', () => {
  it.each(Object.entries(EVENTS))(
    'lists %s under its own name, with an example that follows its schema',
    (name, event) => {
      expect(event.name).toBe(name);
      expect(event.dataschema).toBe(`urn:crm:event:${name}:v${event.version}`);
      expect([...Value.Errors(event.data, event.example)]).toEqual([]);
      // `data` and `record` are open, so that fields can join them: only names the schema knows are shown here.
      expect(Object.keys(event.data.properties)).toEqual(expect.arrayContaining(Object.keys(event.example)));
    },
  );

  it('gives every event a description of its own', () => {
    const descriptions = Object.values(EVENTS).map(({ description }) => description);
    expect(new Set(descriptions).size).toBe(descriptions.length);
    for (const description of descriptions) expect(description).toMatch(/^[A-Z].*[^.]$/);
  });
});
