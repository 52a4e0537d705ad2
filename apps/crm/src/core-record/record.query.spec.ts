import { writeCursor } from '@crm/http';
import { describe, expect, it } from '@jest/globals';
import { OPPORTUNITY } from '../core-object/opportunity.object.js';
import { TASK } from '../core-object/task.object.js';
import type { RecordListQuery } from './record.dto.js';
import { parseRecordQuery } from './record.query.js';

const TENANT = '0190a000-0000-7000-8000-000000000001';
const OTHER_TENANT = '0190a000-0000-7000-8000-000000000002';
const ID = '0190a000-0000-7000-8000-0000000000aa';

const parse = (query: RecordListQuery, tenant = TENANT) => parseRecordQuery(OPPORTUNITY, tenant, query);

describe('the query of a list', () => {
  it('is newest first, 25 a page, counted up to the limit when nothing is said', () => {
    expect(parse({})).toMatchObject({
      page: { page: 1, size: 25, after: undefined, countLimit: 10_001 },
      sort: { field: 'createdAt', descending: true },
      filter: undefined,
      search: undefined,
    });
  });

  it('gives a filter value the type of its field', () => {
    expect(parse({ filterField: 'amount', filterValue: '12.5' }).filter).toEqual({ field: 'amount', value: 12.5 });
    expect(parse({ filterField: 'status', filterValue: 'won' }).filter).toEqual({ field: 'status', value: 'won' });
    expect(parse({ filterField: 'closeDate', filterValue: '2026-02-28' }).filter).toEqual({
      field: 'closeDate',
      value: '2026-02-28',
    });
    expect(parse({ filterField: 'companyId', filterValue: ID }).filter).toEqual({ field: 'companyId', value: ID });
  });

  it.each([
    [{ filterField: 'amount', filterValue: 'much' }],
    [{ filterField: 'amount', filterValue: '' }],
    [{ filterField: 'amount', filterValue: '0x10' }],
    [{ filterField: 'closeDate', filterValue: '2026-02-30' }],
    [{ filterField: 'companyId', filterValue: '17' }],
    [{ filterField: 'nothing', filterValue: 'x' }],
    [{ filterField: 'tenant_id', filterValue: TENANT }],
    [{ filterField: 'status' }],
    [{ filterValue: 'won' }],
    [{ sort: 'nothing' }],
    [{ sort: '-' }],
    [{ sort: 'search_text' }],
    [{ sort: 'toString' }],
    [{ page: 10_000, size: 200 }],
    [{ cursor: 'abc' }],
    [{ cursor: 'W10' }],
  ])('refuses %j', (query) => {
    expect(() => parse(query)).toThrow(expect.objectContaining({ code: 'INVALID_QUERY' }));
  });

  it('folds what is searched for like the text it is searched in', () => {
    expect(parse({ q: '  Ação ÜBER ' }).search).toBe('acao uber');
  });
});

describe('a cursor', () => {
  const position = { value: 3, id: ID };
  const cursorFor = (query: RecordListQuery) => writeCursor(parse(query).page.binding, position);

  it('is read back in the same list', () => {
    const query = { sort: 'amount', filterField: 'status', filterValue: 'open', q: 'x' };
    expect(parse({ ...query, cursor: cursorFor(query) }).page.after).toEqual(position);
  });

  it.each([
    ['another order', { sort: '-amount' }],
    ['another filter', { sort: 'amount', filterField: 'status', filterValue: 'won' }],
    ['another search', { sort: 'amount', q: 'y' }],
  ])('is refused in %s', (_name, query) => {
    const cursor = cursorFor({ sort: 'amount', filterField: 'status', filterValue: 'open', q: 'x' });
    expect(() => parse({ ...query, cursor })).toThrow(expect.objectContaining({ code: 'INVALID_QUERY' }));
  });

  it('is refused in another tenant and another object', () => {
    const cursor = cursorFor({});
    expect(() => parse({ cursor }, OTHER_TENANT)).toThrow(expect.objectContaining({ code: 'INVALID_QUERY' }));
    expect(() => parseRecordQuery(TASK, TENANT, { cursor })).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }),
    );
  });
});
