import { CREATE_CLAIM_CALLS, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const SLOTS = [
  ...Array.from({ length: 24 }, (_, index) => ({ name: `s${index + 1}`, type: 'text' })),
  ...Array.from({ length: 8 }, (_, index) => ({ name: `n${index + 1}`, type: 'float8' })),
  ...Array.from({ length: 8 }, (_, index) => ({ name: `t${index + 1}`, type: 'timestamptz' })),
];
const SLOT_NAMES = SLOTS.map(({ name }) => name).join(', ');
const TYPED_SLOTS = SLOTS.map(({ name, type }) => `${name} ${type}`).join(', ');

/** Of a function of one tenant. The value of a variable is an expression, which costs a tenth of the statement that PERFORM is. */
const SET_TENANT = "in_context CONSTANT text := set_config('app.tenant_id', tenant::text, true)";

/**
 * Sets the tenant and holds its definitions until the transaction ends. Returns null when they are held and the object has the
 * expected revision, 0 for one without a row; `busy` without waiting while definitions are being changed, `stale` for another
 * revision.
 */
const HOLD_DEFINITION = `
  CREATE OR REPLACE FUNCTION hold_definition(tenant uuid, object uuid, expected integer) RETURNS text LANGUAGE plpgsql AS $body$
  DECLARE
    ${SET_TENANT};
    current_revision integer;
  BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('custom_object:' || tenant, 0)) THEN RETURN 'busy'; END IF;
    SELECT o.revision INTO current_revision FROM custom_object o WHERE o.tenant_id = tenant AND o.id = object AND o.state = 'active';
    RETURN CASE WHEN coalesce(current_revision, 0) <> expected THEN 'stale' END;
  END $body$`;

/**
 * Counts what an object of the tenant has more of. In one of several rows that nobody else holds, so that no write waits for
 * another's commit; what the workspace uses is their sum. `grown_records` and `grown_bytes` are variables of the function.
 */
export const COUNT_STORAGE = `
    IF grown_records <> 0 OR grown_bytes <> 0 THEN
      SELECT u.slot INTO free_slot FROM storage_use u WHERE u.tenant_id = tenant AND u.object_id = object LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      IF FOUND THEN
        UPDATE storage_use AS u SET records = u.records + grown_records, bytes = u.bytes + grown_bytes
         WHERE u.tenant_id = tenant AND u.object_id = object AND u.slot = free_slot;
      ELSE
        INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
        VALUES (tenant, object, gen_random_uuid(), grown_records, grown_bytes);
      END IF;
    END IF`;

/** What is written with records: their search texts, null for none any more, and their events, in this order. */
const WRITTEN = `
  text_ids uuid[], audiences text[], texts text[], event_records uuid[], event_ids uuid[], names text[], subjects text[], envelopes json`;

const TEXTS = 'unnest(text_ids, audiences, texts) AS w (id, audience, text)';

const INSERT_TEXTS = `
    INSERT INTO record_search (tenant_id, object_id, id, audience, text) SELECT tenant, object, w.* FROM ${TEXTS}`;

const APPEND_EVENTS = `
    INSERT INTO outbox (tenant_id, id, name, subject, envelope)
    SELECT tenant, event.id, event.name, event.subject, event.envelope
      FROM ROWS FROM (unnest(event_records, event_ids, names, subjects), json_array_elements(envelopes))
           AS event (record_id, id, name, subject, envelope)`;

/**
 * Writes new records of one tenant: members of each are id, data, at, by and its slots. \`calls\` as for claim_calls, null for none:
 * a record whose call has been made before is refused, the others are written.
 */
const CREATE_RECORDS = `
  CREATE OR REPLACE FUNCTION create_records(tenant uuid, object uuid, expected integer, records jsonb, calls jsonb, ${WRITTEN},
                                 OUT refusal text, OUT refused uuid[])
  LANGUAGE plpgsql AS $body$
  DECLARE
    free_slot uuid;
    grown_records bigint;
    grown_bytes bigint;
  BEGIN
    refused := '{}';
    refusal := hold_definition(tenant, object, expected);
    IF refusal IS NOT NULL THEN RETURN; END IF;
    IF calls IS NOT NULL THEN refused := claim_calls(tenant, calls); END IF;
    WITH created AS (
      INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by, ${SLOT_NAMES})
      SELECT tenant, object, w.id, 1, w.data, w.at, w.at, w.by, ${SLOT_NAMES}
        FROM jsonb_to_recordset(records) AS w (id uuid, data jsonb, at timestamptz, by uuid, ${TYPED_SLOTS})
       WHERE w.id <> ALL (refused)
      RETURNING custom_record.bytes
    ) SELECT count(*), coalesce(sum(created.bytes), 0) INTO grown_records, grown_bytes FROM created;
    ${COUNT_STORAGE};
    ${INSERT_TEXTS} WHERE w.id <> ALL (refused);
    ${APPEND_EVENTS} WHERE event.record_id <> ALL (refused);
  END $body$`;

/** What changes of records were, of each the values before and after. */
const INSERT_HISTORY = `
    INSERT INTO record_history (tenant_id, object_id, record_id, version, at, by, actor, app, data)
    SELECT tenant, object, w.* FROM jsonb_to_recordset(history)
           AS w (id uuid, version integer, at timestamptz, by uuid, actor text, app text, data jsonb)`;

/** Unix time in milliseconds. */
const milliseconds = (column: string) => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

/** Locks those of the records of one tenant that exist and that nobody else has locked: it never waits. The texts are those of READ_RECORDS. */
const LOCK_RECORDS = `
  CREATE OR REPLACE FUNCTION lock_records(tenant uuid, object uuid, expected integer, ids uuid[], OUT refusal text, OUT heads text, OUT data text)
  LANGUAGE plpgsql AS $body$
  BEGIN
    refusal := hold_definition(tenant, object, expected);
    IF refusal IS NOT NULL THEN RETURN; END IF;
    SELECT string_agg(concat_ws(' ', locked.id, locked.version, ${milliseconds('locked.created_at')}, ${milliseconds('locked.updated_at')}), ','),
           string_agg(locked.data::text, E',\\n')
      INTO heads, data
      FROM (SELECT r.id, r.version, r.created_at, r.updated_at, r.data FROM custom_record r
             WHERE r.tenant_id = tenant AND r.object_id = object AND r.id = ANY (ids) AND r.deleted_at IS NULL
             ORDER BY r.id FOR NO KEY UPDATE SKIP LOCKED) AS locked;
  END $body$`;

/** Joined to ids and not to a function, for which the planner would expect a hundred rows. */
const updateRecords = (ids: string, records: string, columns: string, types: string) => `
    WITH changed_records AS (
      UPDATE custom_record AS stored SET version = w.version, data = w.data, updated_at = w.at${columns}
        FROM unnest(${ids}) WITH ORDINALITY AS changed (id, number),
             jsonb_to_record(${records} -> (changed.number::integer - 1)) AS w (version integer, data jsonb, at timestamptz${types})
       WHERE stored.tenant_id = tenant AND stored.object_id = object AND stored.id = changed.id
      RETURNING new.bytes - old.bytes AS grown
    ) SELECT grown_bytes + coalesce(sum(grown), 0) INTO grown_bytes FROM changed_records`;

/**
 * Writes locked records of one tenant: members of each are version, data and at, of those whose slots change also these: setting
 * forty slots to what they are would cost a sixth more. `history` is null where no value changes.
 */
export const CHANGE_RECORDS = `
  CREATE OR REPLACE FUNCTION change_records(tenant uuid, object uuid, ids uuid[], records jsonb, slot_ids uuid[], slot_records jsonb,
                                 history jsonb, ${WRITTEN})
  RETURNS void LANGUAGE plpgsql AS $body$
  DECLARE
    ${SET_TENANT};
    free_slot uuid;
    grown_records CONSTANT bigint := 0;
    grown_bytes bigint := 0;
  BEGIN
    IF cardinality(ids) > 0 THEN ${updateRecords('ids', 'records', '', '')}; END IF;
    IF cardinality(slot_ids) > 0 THEN ${updateRecords(
      'slot_ids',
      'slot_records',
      SLOTS.map(({ name }) => `, ${name} = w.${name}`).join(''),
      `, ${TYPED_SLOTS}`,
    )}; END IF;
    ${COUNT_STORAGE};
    IF history IS NOT NULL THEN ${INSERT_HISTORY}; END IF;
    IF cardinality(text_ids) > 0 THEN
      ${INSERT_TEXTS} WHERE w.text IS NOT NULL
          ON CONFLICT (tenant_id, object_id, id, audience) DO UPDATE SET text = excluded.text;
    END IF;
    IF array_position(texts, NULL) IS NOT NULL THEN
      DELETE FROM record_search s USING ${TEXTS}
       WHERE w.text IS NULL AND s.tenant_id = tenant AND s.object_id = object AND s.id = w.id AND s.audience = w.audience COLLATE "C";
    END IF;
    ${APPEND_EVENTS};
  END $body$`;

/** For what is written without the functions above: notes, and what is erased. */
export const COUNT_STORAGE_FUNCTION = `
  CREATE OR REPLACE FUNCTION count_storage(tenant uuid, object uuid, grown_records bigint, grown_bytes bigint) RETURNS void
  LANGUAGE plpgsql AS $body$
  DECLARE
    ${SET_TENANT};
    free_slot uuid;
  BEGIN
    ${COUNT_STORAGE};
  END $body$`;

export const RECORD_FUNCTIONS = [HOLD_DEFINITION, CREATE_RECORDS, LOCK_RECORDS, CHANGE_RECORDS];

/**
 * Records are written by functions of one tenant, their first argument: their texts do not depend on the object, one transaction
 * calls them for several tenants, and what they set and lock lies where the tenant's rows are.
 */
export class RecordFunctions1795500001610 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CREATE_CLAIM_CALLS);
    for (const statement of RECORD_FUNCTIONS) await runner.query(statement);
  }
}
