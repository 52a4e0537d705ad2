import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RowCondition } from '../src/finding/filter-sql.js';
import { aggregateRecords } from '../src/finding/record-aggregate.repository.js';
import { rowConditions } from '../src/finding/record-filter.js';
import { COUNT_RECORDS, type ListShape, listRecords, SEARCH_PAGE } from '../src/finding/record-list.repository.js';
import * as search from '../src/finding/search.repository.js';
import { containsText } from '../src/finding/search-text.js';
import { migrations } from '../src/migrations/index.js';
import * as objects from '../src/object/object.repository.js';
import { STANDARD_OBJECTS } from '../src/object/object-definition.js';
import { ObjectModel } from '../src/object/object-model.js';
import * as reading from '../src/reading/record.repository.js';
import * as notes from '../src/timeline/note.repository.js';
import * as history from '../src/timeline/record-history.repository.js';
import { listRelated } from '../src/timeline/related-task.repository.js';
import * as bin from '../src/writing/bin.repository.js';
import * as claims from '../src/writing/claim.repository.js';
import * as writing from '../src/writing/record-write.repository.js';
import { nestedPlans, withClient } from './nested-plans.js';

const textSearch = { objectId: '', audiences: [''], searched: { text: 'text', isIndexed: true } };

const company = new ObjectModel(STANDARD_OBJECTS.company);

/** A filter by a field in a slot, by one without, and what a search has found. */
const bySlot = [{ sql: 's1 = $3', parameters: ['value'] }];
const byData = [{ sql: 'data->$3::text = $4::jsonb', parameters: ['field', '"value"'] }];
const byIds = [{ sql: 'id = ANY ($3::uuid[])', parameters: [[]] }];

const byRange = { sql: "n1 >= $3::float8 AND n1 < 'infinity'", parameters: [1] };
/** A filter has its values in this form, each of which is looked up. */
const byValues = {
  sql: rowConditions(company, company.planFor([]), { filterField: 'name', filterOp: 'in', filterValue: ['a'] }, 3, {
    now: new Date(),
  })[0]?.bySlot as string,
  parameters: [[]],
};
const byPeriod = { sql: 'id >= $3::uuid AND id < $4::uuid', parameters: ['from', 'to'] };

/** The first portion of a first page, newest first. */
const first: ListShape = { by: null, descending: true, after: null, counted: true };
/** In the order of a slot. */
const sorted: ListShape = { ...first, by: { sql: 'n1', sqlType: 'float8', unset: 'infinity' } };

/** The statements that repositories export, by name. */
const exported = Object.entries({
  ...bin,
  ...claims,
  ...history,
  ...notes,
  ...objects,
  ...reading,
  ...search,
  ...writing,
}).filter(([name, value]) => /^[A-Z_]+$/.test(name) && /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(String(value)));

/** A page that is not counted, newest first unless the shape says otherwise. */
const page = (conditions: RowCondition[], shape: Partial<ListShape> = {}) =>
  listRecords(conditions, { ...first, counted: false, ...shape });
const { by } = sorted;
const byNinth = { sql: 's9', sqlType: 'text', unset: '\u{10FFFF}' } as const;
const bySlotAndRange = [...bySlot, { ...byRange, sql: 'n1 >= $4::float8' }];
const keyed = { orderBy: "s9 ASC, (n1 = 'infinity'), n1 DESC, id DESC", position: '', parameters: [] };
const grouped = { groups: ["nullif(s1, '\u{10FFFF}')"], measures: [], json: 'to_json(g0)' };

/** What runs per request; of a statement that is made for its conditions there are several, with the case behind the name. */
const statements = {
  ...Object.fromEntries(exported as [string, string][]),
  listRecords: listRecords([], first),
  'listRecords by slot': listRecords(bySlot, first),
  'listRecords by data': listRecords(byData, first),
  'listRecords by ids': page(byIds),
  'listRecords by slot and text': page([...bySlot, containsText(textSearch, 4)]),
  'listRecords by slot, after': page(bySlot, { after: 'id' }),
  'listRecords by slot, few, sorted by another': page(bySlot, { by, driver: 0 }),
  'listRecords sorted': listRecords([], sorted),
  'listRecords sorted, after a value': page([], { by, after: 'value' }),
  'listRecords sorted, after one without a value': page([], { by, after: 'id' }),
  'listRecords sorted, ascending': page([], { by, descending: false }),
  'listRecords sorted, ascending, after a value': page([], { by, descending: false, after: 'value' }),
  'listRecords by the ninth text, sorted by it': page([{ sql: 's9 = $3', parameters: ['value'] }], {
    by: byNinth,
    counted: true,
  }),
  'listRecords sorted by the ninth text': page([], { by: byNinth, descending: false }),
  'listRecords by a range, in its order': page([byRange], { by }),
  'listRecords by a period of creation': page([byPeriod]),
  'listRecords by two slots, found by the first, in the order of two': page(bySlotAndRange, { driver: 0, keyed }),
  'listRecords by values, found by them': listRecords([byValues], { ...first, driver: 0 }),
  'listRecords measured': listRecords([], { ...first, measured: true }),
  'listRecords without some values': listRecords([], { ...first, trimmed: true }),
  'listRecords by slot and data, found by the first in order': listRecords(
    [...bySlot, { sql: 'data->$4::text = $5::jsonb', parameters: ['field', '"value"'] }],
    { ...first, driver: 0, counted: false },
  ),
  'listRecords by a range, found by it': listRecords([byRange], { ...first, driver: 0 }),
  SEARCH_PAGE,
  'aggregateRecords by slot': aggregateRecords([], { ...grouped, slot: 's1' }),
  'aggregateRecords by slot, measured, found by another': aggregateRecords(
    [byRange],
    { ...grouped, measures: ["sum((data->'1')::numeric)"] },
    0,
  ),
  COUNT_RECORDS,
  listRelated: listRelated('s1'),
  unsetFields: writing.unsetFields([{ type: 'reference', slot: 's1' }]),
  'unsetFields, silently': writing.unsetFields([{ type: 'reference', slot: 's1' }], true),
  setReference: writing.setReference({ slot: 's1' }),
};

/** 2,000 tenants, of which a hundred have records. */
const TENANTS = `
  SELECT n, md5('tenant' || n)::uuid AS tenant, md5('object' || n)::uuid AS object FROM generate_series(1, 2000) AS n`;
/** The first has half of the records. */
const MANY_RECORDS = `
  SELECT tenant, object, md5(tenant::text || i)::uuid AS id, i
    FROM (SELECT *, CASE WHEN n = 1 THEN 10000 ELSE 100 END AS size FROM (${TENANTS}) AS t WHERE n <= 100) AS t,
         generate_series(1, size) AS i`;

/** 20,000 records with what belongs to them, as ANALYZE sees them. */
const FILL_EVERYTHING = [
  `INSERT INTO custom_object (tenant_id, id, installation_id, app_key, sandbox, declared_api_name, api_name, label, plural_label)
   SELECT tenant, object, object, 'acme-visits', false, 'visit', 'visit', 'Visit', 'Visits' FROM (${TENANTS}) AS t`,
  `INSERT INTO custom_field (tenant_id, id, object_id, api_name, key, position, definition)
   SELECT tenant, md5(object::text || k)::uuid, object, 'field_' || k, k, k, '{}' FROM (${TENANTS}) AS t, generate_series(1, 5) AS k`,
  `INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, s1, n1, s9)
   SELECT tenant, object, id, 1, '{}', now(), now(), 'value ' || i / 40, CASE WHEN i % 10 > 0 THEN i ELSE 'infinity'::float8 END, 'value ' || i FROM (${MANY_RECORDS}) AS r`,
  `INSERT INTO custom_unique (tenant_id, object_id, field_id, norm_value, record_id)
   SELECT tenant, object, md5(object::text || 1)::uuid, 'value ' || i, id FROM (${MANY_RECORDS}) AS r`,
  `INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
   SELECT tenant, md5(tenant::text || i / 10)::uuid, object, id, 2 FROM (${MANY_RECORDS}) AS r`,
  `INSERT INTO cleared_reference (tenant_id, target_id, object_id, record_id, field_key, cleared_at)
   SELECT tenant, md5(tenant::text || i / 10)::uuid, object, id, 2, now() FROM (${MANY_RECORDS}) AS r`,
  `INSERT INTO record_history (tenant_id, object_id, record_id, version, at, by, actor, data)
   SELECT tenant, object, id, 2, now(), id, 'user', '{}' FROM (${MANY_RECORDS}) AS r`,
  `INSERT INTO record_note (tenant_id, id, object_id, record_id, kind, text, at, author_id, version)
   SELECT tenant, id, object, id, 'note', 'text', now(), id, 1 FROM (${MANY_RECORDS}) AS r`,
  `INSERT INTO record_search (tenant_id, object_id, id, audience, text) SELECT tenant, object, id, '', 'value ' || i FROM (${MANY_RECORDS}) AS r`,
  'ANALYZE',
];

describe('plans of the hand-written SQL of custom-objects', () => {
  let filled: TestDatabase;
  beforeAll(async () => {
    filled = await testDatabase('custom-objects', migrations);
    await withClient(filled.adminUrl, async (client) => {
      for (const statement of FILL_EVERYTHING) await client.query(statement);
    });
  });
  afterAll(() => filled?.drop());

  it('are what they were for the runtime role, in the context of a tenant, with 20,000 records', async () => {
    const plans = await explainStatements({ url: filled.config.url, tenantId: newId(), areFilled: true }, statements);
    expect(plans).toMatchSnapshot();
  });

  it('of the functions that lock and change records begin with their ids', async () => {
    const { rows } = await withClient(filled.adminUrl, (client) =>
      client.query('SELECT tenant_id AS tenant, object_id AS object, id FROM custom_record ORDER BY 1, 2, 3 LIMIT 1'),
    );
    const { tenant, object, id } = rows[0];
    const none = [[], [], [], [], [], [], [], '[]'];
    const record = JSON.stringify([{ version: 2, data: {}, at: new Date(), s1: 'changed' }]);
    const locking = await nestedPlans(filled, tenant, writing.LOCK_RECORDS, [tenant, object, 1, [id]]);
    const change = [tenant, object, [id], record, [id], record, null, ...none];
    const changing = await nestedPlans(filled, tenant, writing.CHANGE_RECORDS, change);
    const plans = [...locking, ...changing].filter((plan) => plan.includes(' on custom_record'));
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toMatch(
        /Index Scan using custom_record_\S+ on custom_record \w+\s+Index Cond: \(\(tenant_id = .*\) AND \(object_id = .*\) AND \(id = /,
      );
      expect(plan).not.toMatch(/Hash|Seq Scan/);
    }
  });
});
