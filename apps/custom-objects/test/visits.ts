import type { DeclaredObject } from '../src/object/object-definition.js';
import { app, call, type Json, type Tenant } from './custom-objects-service.js';

export const VISITS = '/api/crm/custom/visit/records';
export const LONG = 'long '.repeat(60);
const TODAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date());
/** So many days from the day on which the tests began, in the zone of the tenants. */
export const day = (days: number) => new Date(Date.parse(TODAY) + days * 86_400_000).toISOString().slice(0, 10);

/** Half of the fields have an index; each type is there with and without. */
const indexed = (apiName: string, more: object) => [
  { apiName, indexed: true, ...more },
  { apiName: `${apiName}_bare`, ...more },
];
const OPTIONS = { type: 'picklist', options: ['low', 'mid', 'high'] };
export const VISIT: DeclaredObject = {
  apiName: 'visit',
  fields: [
    { apiName: 'name', type: 'text', indexed: true },
    ...indexed('title', { type: 'text' }),
    ...indexed('amount', { type: 'number' }),
    ...indexed('day', { type: 'date' }),
    ...indexed('at', { type: 'datetime' }),
    ...indexed('level', OPTIONS),
    ...indexed('done', { type: 'checkbox' }),
    { apiName: 'place', type: 'reference', referenceTarget: 'company' },
    { apiName: 'parent', type: 'reference', referenceTarget: 'custom:visit' },
    { apiName: 'tags', type: 'multi_select', options: ['a', 'b', 'c'] },
    { apiName: 'title_f', type: 'formula', expression: 'title' },
    { apiName: 'amount_f', type: 'formula', expression: 'amount' },
    { apiName: 'day_f', type: 'formula', expression: 'day' },
    { apiName: 'at_f', type: 'formula', expression: 'at' },
    { apiName: 'done_f', type: 'formula', expression: 'done' },
    { apiName: 'secret', type: 'number', readRoles: ['admin'], writeRoles: ['admin'] },
    {
      apiName: 'secret_place',
      type: 'reference',
      referenceTarget: 'company',
      readRoles: ['admin'],
      writeRoles: ['admin'],
    },
    { apiName: 'secret_f', type: 'formula', expression: 'secret * 2' },
  ] as DeclaredObject['fields'],
};
const both = (values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [name, value],
      [`${name}_bare`, value],
    ]),
  );

/** A tenant with five visits, named a to e, of which the last has nothing but its name. */
export interface Visits {
  readonly tenant: Tenant;
  readonly companies: readonly string[];
  readonly ids: readonly string[];
  /** Lists them, as a member by default. */
  find(query: string, token?: string): Promise<Json>;
}

/** A condition of a filter, and groups of them. */
export const is = (field: string, value: unknown, op = 'eq') => ({ field, op, value });
export const and = (...members: object[]) => ({ and: members });
export const or = (...members: object[]) => ({ or: members });
export const encoded = (filter: unknown): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`;
export const namesOf = ({ data }: Pick<Json, 'data'>): string => data.map(({ name }) => name).join('');

export async function createVisits(): Promise<Visits> {
  const tenant = await app.tenant('business', [VISIT]);
  const companies: string[] = [];
  for (const name of ['One', 'Two'])
    companies.push((await app.create('/api/crm/companies', tenant.admin, { name })).id);
  const create = async (name: string, values: Record<string, unknown>, more = {}) =>
    (await app.create(VISITS, tenant.admin, { name, ...both(values), ...more })).id;
  const [one, two] = companies;
  const at = (text: string) => `2026-03-0${text}Z`;
  const ids = [
    await create(
      'a',
      { title: 'Alpha', amount: 1, day: day(0), at: at('1T10:00:00'), level: 'low', done: true },
      { place: one, tags: ['a', 'b'], secret: 1, secret_place: one },
    ),
    await create(
      'b',
      { title: 'alphabet', amount: 2.5, day: day(-1), at: at('2T10:00:00'), level: 'mid', done: false },
      { place: two, tags: ['b'], secret: 2 },
    ),
    await create(
      'c',
      { title: `${LONG}x`, amount: -3, day: day(7), at: at('3T10:00:00'), level: 'high', done: true },
      { place: one, tags: ['c'], secret: 3 },
    ),
    await create(
      'd',
      { title: `${LONG}y`, amount: 2.5, day: day(-40), at: at('3T10:00:00'), level: 'low' },
      { secret: 4 },
    ),
    await create('e', {}, {}),
  ];
  await call('PATCH', `${VISITS}/${ids[1]}`, tenant.admin, { parent: ids[0] });
  const find = async (query: string, token = tenant.member) =>
    (await call('GET', `${VISITS}?size=200&${query}`, token)).body;
  return { tenant, companies, ids, find };
}
