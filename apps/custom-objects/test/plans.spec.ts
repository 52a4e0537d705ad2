import { newId } from '@crm/database';
import { explainStatements, exportedStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../src/migrations/index.js';
import {
  DELETE_RECORDS_OF_INSTALLATION,
  DELETE_REFERENCES_OF_INSTALLATION,
  DELETE_UNIQUE_VALUES_OF_INSTALLATION,
  FIND_OBJECT,
  FIND_OBJECT_BY_ID,
  FIND_REVISION,
  HOLD_DEFINITIONS,
  LIST_OBJECTS,
  LOCK_DEFINITIONS,
  REQUIRE_REVISION,
} from '../src/object/object.sql.js';
import {
  FIND_RECORD,
  insertRecord,
  type ListShape,
  LOCK_RECORD,
  LOCK_RECORDS_FOR_DELETION,
  listRecords,
  MARK_RECORDS_DELETED,
  READ_RECORD,
  unsetFields,
  updateRecord,
} from '../src/record/record.sql.js';
import { CLAIM_REFERENCES, LIST_REFERRING, RELEASE_REFERENCES } from '../src/record/reference.sql.js';
import { CLAIM_UNIQUE_VALUES, RELEASE_UNIQUE_VALUES } from '../src/record/unique.sql.js';
import {
  DELETE_SEARCH_TEXTS,
  DELETE_SEARCH_TEXTS_OF_INSTALLATION,
  DELETE_SEARCH_TEXTS_OF_OBJECT,
  LOCK_NEXT_RECORDS,
  SEARCH_RECORDS,
  WRITE_SEARCH_TEXTS,
} from '../src/search/search.sql.js';
import { containsText } from '../src/search/text-condition.js';

const search = { objectId: '', audiences: [''], searched: { text: 'text', isIndexed: true } };

/** A filter by a field in a slot, by one without, and what a search has found. */
const bySlot = [{ sql: 's1 = $3', parameters: ['value'] }];
const byData = [{ sql: 'data->$3::text = $4::jsonb', parameters: ['field', '"value"'] }];
const byIds = [{ sql: 'id = ANY ($3::uuid[])', parameters: [[]] }];

/** The first portion of a first page, newest first. */
const first: ListShape = { by: null, descending: true, after: null, counted: true };
/** In the order of a slot. */
const sorted: ListShape = { ...first, by: { sql: 'n1', sqlType: 'float8', isNullable: true } };

/** By name; of a statement that is made for its conditions there are several, with the case behind the name. */
const statements = {
  CLAIM_REFERENCES,
  CLAIM_UNIQUE_VALUES,
  DELETE_RECORDS_OF_INSTALLATION,
  DELETE_SEARCH_TEXTS,
  DELETE_SEARCH_TEXTS_OF_INSTALLATION,
  DELETE_SEARCH_TEXTS_OF_OBJECT,
  DELETE_REFERENCES_OF_INSTALLATION,
  DELETE_UNIQUE_VALUES_OF_INSTALLATION,
  FIND_OBJECT,
  FIND_OBJECT_BY_ID,
  FIND_RECORD,
  FIND_REVISION,
  HOLD_DEFINITIONS,
  LIST_OBJECTS,
  LIST_REFERRING,
  LOCK_DEFINITIONS,
  LOCK_NEXT_RECORDS,
  LOCK_RECORD,
  LOCK_RECORDS_FOR_DELETION,
  MARK_RECORDS_DELETED,
  READ_RECORD,
  REQUIRE_REVISION,
  RELEASE_REFERENCES,
  RELEASE_UNIQUE_VALUES,
  SEARCH_RECORDS,
  WRITE_SEARCH_TEXTS,
  insertRecord: insertRecord(['s1', 'n1']),
  listRecords: listRecords([], first),
  'listRecords by slot': listRecords(bySlot, first),
  'listRecords by data': listRecords(byData, first),
  'listRecords by ids': listRecords(byIds, { ...first, counted: false }),
  'listRecords by slot and text': listRecords([...bySlot, containsText(search, 4)], { ...first, counted: false }),
  'listRecords by slot, after': listRecords(bySlot, { ...first, after: 'id', counted: false }),
  'listRecords sorted': listRecords([], sorted),
  'listRecords sorted, after a value': listRecords([], { ...sorted, after: 'value', counted: false }),
  'listRecords sorted, after one without a value': listRecords([], { ...sorted, after: 'id', counted: false }),
  unsetFields: unsetFields(['s1']),
  updateRecord: updateRecord(['s1', 'n1']),
};

const indentOf = (line: string): number => line.search(/\S/);

/**
 * A generic plan names each of the eight partitions of the record table, of which only the tenant's is read at run time:
 * the first one stands for all.
 */
function withOnePartition(plan: string): string {
  const lines = plan.split('\n');
  const kept: string[] = [];
  let skippedIndent = Number.POSITIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    if (indentOf(line) > skippedIndent) continue;
    skippedIndent = Number.POSITIVE_INFINITY;
    const end = lines.findIndex((next, at) => at > index && indentOf(next) <= indentOf(line));
    const node = line.includes('->') ? lines.slice(index, end < 0 ? undefined : end).join('\n') : line;
    if (/custom_record_p[1-7]/.test(node) && !node.includes('custom_record_p0')) skippedIndent = indentOf(line);
    else kept.push(line);
  }
  return kept.join('\n');
}

describe('plans of the hand-written SQL of custom-objects', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('custom-objects', migrations);
  });
  afterAll(() => database?.drop());

  it('are what they were for the runtime role, in the context of a tenant', async () => {
    const plans = await explainStatements({ url: database.config.url, tenantId: newId() }, statements);
    const shortened = Object.entries(plans).map(([name, plan]) => [name, withOnePartition(plan)]);
    expect(Object.fromEntries(shortened)).toMatchSnapshot();
  });

  it('are looked at for every statement', async () => {
    const exported = await exportedStatements(new URL('../src/', import.meta.url));
    const names = new Set(Object.keys(statements).map((name) => name.split(' ')[0]));
    expect([...names].sort()).toEqual(exported);
  });
});
