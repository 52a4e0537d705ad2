import type { BulkResult, CrmRecord, RecordFields } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';
import { describe, expect, it } from '@jest/globals';
import { countOwned, ownerFields, reassign } from './reassign.js';

const object = (name: string, ...fields: object[]) => ({ name, updatable: true, fields }) as unknown as ObjectModel;
const owner = { apiName: 'ownerId', target: 'user', writable: true };
const objects = [
  object('leads', { apiName: 'lastName', writable: true }, owner),
  object('tasks', { ...owner, apiName: 'assigneeId' }),
  object('custom:visit', { ...owner, apiName: 'guide' }, { ...owner, apiName: 'boss', writable: false }),
  { ...object('companies', owner), updatable: false },
];

/** An API with so many records of `old` in each object, of which some cannot be changed. */
function api(counts: Readonly<Record<string, number>>, stuck: readonly string[] = []) {
  const owners = new Map(
    Object.entries(counts).flatMap(([name, count]) =>
      Array.from({ length: count }, (_, index) => [`${name} ${index}` as string, 'old' as string] as const),
    ),
  );
  const filters: string[] = [];
  return {
    owners,
    filters,
    list: async (name: string, { filter = '', size = 25, cursor = '' }) => {
      filters.push(filter);
      const all = [...owners].filter(([id, by]) => id.startsWith(`${name} `) && by === 'old').map(([id]) => id);
      const rest = all.filter(
        (id) => cursor === '' || [...owners.keys()].indexOf(id) > [...owners.keys()].indexOf(cursor),
      );
      const data = rest.slice(0, size).map((id) => ({ id }) as CrmRecord);
      const nextCursor = rest.length > size ? (data.at(-1)?.id ?? null) : null;
      return { data, nextCursor, total: all.length, totalIsExact: true };
    },
    write: async (_object: string, _operation: string, records: readonly RecordFields[]) =>
      records.map(({ id, ...fields }, index): BulkResult => {
        if (stuck.includes(String(id))) return { index, status: 'failed' };
        owners.set(String(id), Object.values(fields)[0] as string);
        return { index, status: 'updated' };
      }),
  };
}

describe('the records of a person', () => {
  it('are named by the fields for people that the caller may write', () => {
    const names = ownerFields(objects).map(({ object: { name }, field }) => `${name} ${field.apiName}`);
    expect(names).toEqual(['leads ownerId', 'tasks assigneeId', 'custom:visit guide']);
  });

  it('are counted by object, of tasks the open ones', async () => {
    const calls = api({ leads: 2, tasks: 3 });
    const counted = await countOwned(calls, objects, 'old');
    expect(counted.map(({ object: { name }, total }) => [name, total])).toEqual([
      ['leads', 2],
      ['tasks', 3],
    ]);
    expect(calls.filters.map((filter) => JSON.parse(filter).and.length)).toEqual([1, 2, 1]);
  });

  it('are all given to another, page by page, but those that are refused', async () => {
    const calls = api({ leads: 450, tasks: 3 }, ['leads 7', 'leads 300']);
    let done = 0;
    const refused = await reassign(calls, calls, ownerFields(objects), 'old', 'new', (count) => {
      done += count;
    });
    expect([refused, done]).toEqual([2, 451]);
    expect([...calls.owners].filter(([, by]) => by === 'old').map(([id]) => id)).toEqual(['leads 7', 'leads 300']);
  });
});
