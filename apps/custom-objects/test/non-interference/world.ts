import { Database } from '@crm/database';
import type { TestAnswer } from '@crm/testing';
import { searchTextsOf } from '../../src/finding/search-text.js';
import { ObjectRepository } from '../../src/object/object.repository.js';
import { ObjectModel } from '../../src/object/object-model.js';
import { valuesOf } from '../../src/reading/record.js';
import { DeletedRecordSweeper } from '../../src/writing/deleted-record.sweeper.js';
import type { CustomObjectsService, Tenant } from '../custom-objects-service.js';
import { ALL_ROLES, OBJECT_NAMES, type ObjectName } from './object.js';
import { isRecordNumber } from './values.js';

export interface WorldRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export type Json = Record<string, unknown>;

/** Nobody has a record with this id. */
export const NOWHERE = '00000000-0000-7000-8000-000000000000';

/** Headers of an answer that say nothing about its content. */
const PASSING_HEADERS = new Set(['date', 'x-request-id', 'traceparent']);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Members of a record's view whose value is an instant. */
const TIMES = new Set(['createdAt', 'updatedAt', 'at']);

/** Ids that stand for versions, in cursors of histories. */
const VERSIONS = '00000000-0000-0000-0000-';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What stands for ids and times that necessarily differ between two worlds. An id that was given no name is named by the
 * order in which ids appear, so that two worlds agree while they show the same in the same order.
 */
class Names {
  private readonly byId = new Map<string, string>();
  private readonly byTime = new Map<string, string>();

  give(id: string, name: string): void {
    this.byId.set(id.toLowerCase(), name);
  }

  /** A JSON value with its ids and times replaced; the order of members stays. */
  in(value: unknown, record = ''): unknown {
    if (typeof value === 'string') return value.replace(UUID, (id) => this.nameOf(id));
    if (Array.isArray(value)) return value.map((entry) => this.in(entry, record));
    if (typeof value !== 'object' || value === null) return value;
    const owner = Object.hasOwn(value, 'id') ? String((value as { id: unknown }).id) : record;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === 'requestId') return [name, 'a request'];
        // The version distinguishes entries of a history.
        if (name === 'at') return [name, 'a time'];
        if (name === 'nextCursor' && typeof member === 'string') return [name, this.inCursor(member)];
        if (TIMES.has(name) && typeof member === 'string') return [name, this.timeOf(owner, member)];
        return [name, this.in(member, owner)];
      }),
    );
  }

  /** What a cursor says of its position. Its first part binds it to tenant, list and filter. */
  private inCursor(cursor: string): unknown {
    const [, value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [string, unknown, string];
    // In the order of changes the value is a time of the test, in the order of a field it never is.
    const isOfTest = (part: unknown) => typeof part === 'string' && Math.abs(Date.parse(part) - Date.now()) < DAY_MS;
    if (id.startsWith(VERSIONS)) return ['a time', id];
    const shown = (part: unknown) => (isOfTest(part) ? this.timeOf(id, part as string) : this.in(part));
    const isOfSeveral = typeof value === 'string' && value.startsWith('[');
    return [isOfSeveral ? (JSON.parse(value) as unknown[]).map(shown) : shown(value), this.in(id)];
  }

  private nameOf(id: string): string {
    const known = this.byId.get(id.toLowerCase());
    if (known !== undefined) return known;
    const name = `id ${this.byId.size}`;
    this.give(id, name);
    return name;
  }

  /** Times of a record are told apart, and whether two are the same. */
  private timeOf(record: string, time: string): string {
    const key = `${record} ${time}`;
    const known = this.byTime.get(key);
    if (known !== undefined) return known;
    const count = [...this.byTime.keys()].filter((other) => other.startsWith(`${record} `)).length;
    this.byTime.set(key, `time ${count}`);
    return `time ${count}`;
  }
}

/** One of two tenants that differ only in what an observer may not read. */
export class World {
  /** Ids of the records by object, in the order of creation. */
  readonly ids: Readonly<Record<ObjectName, string[]>> = { thing: [], place: [] };
  private readonly names = new Names();
  private eventsSeen = 0;

  private constructor(
    private readonly app: CustomObjectsService,
    readonly tenant: Tenant,
    private readonly writer: string,
    private readonly observer: string,
  ) {
    this.names.give(tenant.id, 'the tenant');
  }

  static async create(
    app: CustomObjectsService,
    objects: Parameters<CustomObjectsService['tenant']>[1],
    observerRoles: readonly string[],
  ): Promise<World> {
    const tenant = await app.tenant('enterprise', objects);
    const writer = await tenant.sign({ roles: [...ALL_ROLES] });
    return new World(app, tenant, writer, await tenant.sign({ roles: [...observerRoles] }));
  }

  asWriter(request: WorldRequest): Promise<TestAnswer<Json>> {
    return this.send(this.writer, request);
  }

  asObserver(request: WorldRequest): Promise<TestAnswer<Json>> {
    return this.send(this.observer, request);
  }

  /** All that an answer tells, in a form that is the same in a world that differs in ids and times alone. */
  shown({ status, headers, body }: TestAnswer<Json>): string {
    const told = [...headers].filter(([name]) => !PASSING_HEADERS.has(name));
    return JSON.stringify(this.names.in({ status, headers: Object.fromEntries(told), body: body ?? null }), null, 1);
  }

  /** Remembers a record that was created. */
  add(object: ObjectName, id: string): void {
    if (this.ids[object].includes(id)) return;
    this.names.give(id, `${object} ${this.ids[object].length}`);
    this.ids[object].push(id);
  }

  /** The record with a number; one that does not exist while there is none. */
  idOf(object: ObjectName, number: number): string {
    const ids = this.ids[object];
    return ids[number % Math.max(1, ids.length)] ?? NOWHERE;
  }

  /**
   * A value as this world's API takes it.
   * @param target the object that a reference points to
   */
  toApi(value: unknown, target: ObjectName | undefined): unknown {
    return isRecordNumber(value) && target !== undefined ? this.idOf(target, value.record) : value;
  }

  /** A value of this world's API in the form that both worlds share. */
  fromApi(value: unknown): unknown {
    if (typeof value !== 'string') return value;
    for (const object of OBJECT_NAMES) {
      const record = this.ids[object].indexOf(value);
      if (record >= 0) return { record };
    }
    return value;
  }

  /** Changes definitions as another process would: with a new revision and new search texts in the same transaction. */
  async redefine(changes: readonly { object: ObjectName; field: string; members: Json }[]): Promise<void> {
    const { service } = this.app;
    await service.get(Database).transaction(this.tenant.id, async (tx) => {
      for (const { object, field, members } of changes) {
        await tx.query(
          `UPDATE custom_field SET definition = definition || $1::jsonb
            WHERE api_name = $2 AND object_id = (SELECT id FROM custom_object WHERE api_name = $3)`,
          [JSON.stringify(members), field, object],
        );
      }
      await tx.query('UPDATE custom_object SET revision = revision + 1');
      await tx.query('DELETE FROM record_search');
      const objects = service.get(ObjectRepository);
      for (const { apiName } of await objects.list(tx)) {
        const object = (await objects.findByApiName(tx, apiName))!;
        const model = new ObjectModel(object);
        const records = await tx.query<{ id: string; data: Json }>(
          'SELECT id, data FROM custom_record WHERE object_id = $1 AND deleted_at IS NULL',
          [object.id],
        );
        const write =
          'INSERT INTO record_search (tenant_id, object_id, id, audience, text) VALUES ($1, $2, $3, $4, $5)';
        for (const { id, data } of records) {
          for (const text of searchTextsOf(model, valuesOf(model, data))) {
            await tx.query(write, [tx.tenantId, object.id, id, ...text]);
          }
        }
      }
    });
  }

  /** Gives a record a text that is longer than all that one page has, past the API and its limits. */
  async lengthen(object: ObjectName, id: string, field: string): Promise<void> {
    await this.app.admin.query(
      `UPDATE custom_record r SET data = r.data || jsonb_build_object(f.key::text, repeat('x', 17000000))
         FROM custom_field f JOIN custom_object o ON o.tenant_id = f.tenant_id AND o.id = f.object_id AND o.api_name = $2
        WHERE r.tenant_id = $1 AND f.tenant_id = $1 AND r.id = $3 AND f.api_name = $4`,
      [this.tenant.id, object, id, field],
    );
  }

  /** All that is in the bin has been there for so long that it is purged. */
  async purge(): Promise<void> {
    for (const [table, column] of Object.entries({ custom_record: 'deleted_at', cleared_reference: 'cleared_at' })) {
      await this.app.admin.query(
        `UPDATE ${table} SET ${column} = ${column} - interval '31 days' WHERE tenant_id = $1 AND ${column} IS NOT NULL`,
        [this.tenant.id],
      );
    }
    await this.app.service.get(DeletedRecordSweeper).sweep();
  }

  /** The events since the last call, as a subscriber gets them. */
  async newEvents(): Promise<string[]> {
    const sql = 'SELECT envelope FROM outbox WHERE tenant_id = $1 ORDER BY seq OFFSET $2';
    const { rows } = await this.app.admin.query<{ envelope: Json }>(sql, [this.tenant.id, this.eventsSeen]);
    this.eventsSeen += rows.length;
    return rows.map(({ envelope: { id, time, traceparent, ...event } }) =>
      JSON.stringify(this.names.in(event), null, 1),
    );
  }

  private send(token: string, { method, path, headers, body }: WorldRequest): Promise<TestAnswer<Json>> {
    return this.app.service.request<Json>(method, path, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(headers ? { headers } : {}),
    });
  }
}
