import type { CoreObject } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type CoreField, type CoreObjectDefinition, type CoreRecord, columnName } from '../core-object/core-object.js';
import { presentRow } from './record.presentation.js';
import type { RecordQuery } from './record.query.js';
import { searchTextOf } from './record.search-text.js';
import { listSql, selectList } from './record.sql.js';

export interface RecordPage {
  /** One more than the page has when there are more. */
  readonly records: CoreRecord[];
  /** Records of the whole list, counted up to the page's limit. */
  readonly counted: number;
}

/** The SQL of every core object, made from its definition: names come from the definition, values are parameters. */
@Injectable()
export class RecordRepository {
  async find(tx: TenantTransaction, definition: CoreObjectDefinition, id: string): Promise<CoreRecord | undefined> {
    return this.one(tx, definition, `SELECT ${selectList(definition)} FROM ${definition.object} WHERE id = $1`, [id]);
  }

  /** The record, locked against other writers until the transaction ends. */
  async lock(tx: TenantTransaction, definition: CoreObjectDefinition, id: string): Promise<CoreRecord | undefined> {
    const sql = `SELECT ${selectList(definition)} FROM ${definition.object} WHERE id = $1 FOR UPDATE`;
    return this.one(tx, definition, sql, [id]);
  }

  async list(tx: TenantTransaction, definition: CoreObjectDefinition, query: RecordQuery): Promise<RecordPage> {
    const { page, count } = listSql(definition, query);
    const rows = await tx.query<Record<string, unknown>>(page.sql, page.parameters);
    const [counted] = await tx.query<{ total: string }>(count.sql, count.parameters);
    return { records: rows.map((row) => presentRow(definition, row)), counted: Number(counted?.total ?? 0) };
  }

  /** @param values canonical values of all fields by name */
  async insert(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    id: string,
    values: Readonly<Record<string, unknown>>,
  ): Promise<CoreRecord> {
    const names = definition.fields.map((field) => field.name);
    const columns = ['tenant_id', 'id', 'search_text', ...names.map(columnName)];
    const parameters = [
      tx.tenantId,
      id,
      searchTextOf(definition, values),
      ...names.map((name) => values[name] ?? null),
    ];
    const places = parameters.map((_value, index) => `$${index + 1}`);
    const sql = `INSERT INTO ${definition.object} (${columns.join(', ')}) VALUES (${places.join(', ')})
      RETURNING ${selectList(definition)}`;
    return this.one(tx, definition, sql, parameters) as Promise<CoreRecord>;
  }

  /**
   * Sets the named fields of a locked record and counts its version up.
   * @param record the record with the new values in place
   * @param changed names of the fields that differ
   */
  async update(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    record: CoreRecord,
    changed: readonly string[],
  ): Promise<CoreRecord> {
    const assignments = changed.map((name, index) => `${columnName(name)} = $${index + 3}`);
    const parameters = [record.id, searchTextOf(definition, record), ...changed.map((name) => record[name])];
    const sql = `UPDATE ${definition.object}
      SET ${['search_text = $2', ...assignments].join(', ')}, version = version + 1, updated_at = now()
      WHERE id = $1 RETURNING ${selectList(definition)}`;
    return this.one(tx, definition, sql, parameters) as Promise<CoreRecord>;
  }

  async delete(tx: TenantTransaction, definition: CoreObjectDefinition, id: string): Promise<void> {
    await tx.query(`DELETE FROM ${definition.object} WHERE id = $1`, [id]);
  }

  /** Which of the ids exist in the tenant; with `hold` they cannot be deleted before the transaction ends. */
  async existing(
    tx: TenantTransaction,
    object: CoreObject,
    ids: readonly string[],
    options: { hold: boolean },
  ): Promise<string[]> {
    const lock = options.hold ? 'FOR KEY SHARE' : '';
    const rows = await tx.query<{ id: string }>(`SELECT id FROM ${object} WHERE id = ANY($1::uuid[]) ${lock}`, [ids]);
    return rows.map((row) => row.id);
  }

  /** Records whose reference field names the id, locked, at most `limit` of them. */
  async lockReferencing(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    field: CoreField,
    id: string,
    limit: number,
  ): Promise<CoreRecord[]> {
    const rows = await tx.query<Record<string, unknown>>(
      `SELECT ${selectList(definition)} FROM ${definition.object} WHERE ${columnName(field.name)} = $1
        ORDER BY id LIMIT ${limit} FOR UPDATE`,
      [id],
    );
    return rows.map((row) => presentRow(definition, row));
  }

  private async one(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<CoreRecord | undefined> {
    const [row] = await tx.query<Record<string, unknown>>(sql, parameters);
    return row && presentRow(definition, row);
  }
}
