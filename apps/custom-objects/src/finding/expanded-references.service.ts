import { hasScope, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { isVisibleTo, type StoredField, scopeOf, standardObjectWithId } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { RecordRepository } from '../reading/record.repository.js';
import { recordJson } from '../reading/record.serializer.js';
import { PAGE_TEXT_LIMIT, tooLong } from './list-page.js';

/** References of one list that are followed. */
const MAX_EXPANDED = 5;
/** Records may be long: more are read when what there is fits in an answer. */
const READ_AT_ONCE = 16;

/** @throws INVALID_QUERY for a field that the caller cannot read, as for one that does not exist */
function namedFields(model: ObjectModel, plan: AccessPlan, names: string, parameter: string): StoredField[] {
  return [...new Set(names.split(','))].map((name) => {
    const field = model.fieldsByName.get(name);
    if (field && plan.readable.has(name)) return field;
    throw new PlatformError('INVALID_QUERY', `${parameter}: unknown field "${name}"`);
  });
}

/** The plan of a list that shows some fields only. @throws INVALID_QUERY */
export function shownFields(model: ObjectModel, plan: AccessPlan, names: string | undefined): AccessPlan {
  if (names === undefined) return plan;
  const readable = new Set(namedFields(model, plan, names, 'fields').map(({ apiName }) => apiName));
  return { ...plan, readable };
}

/** The references that a list follows. @throws INVALID_QUERY */
export function expandedFields(model: ObjectModel, plan: AccessPlan, names: string | undefined): StoredField[] {
  if (names === undefined) return [];
  const fields = namedFields(model, plan, names, 'expand');
  const other = fields.find(({ referenceObjectIds }) => referenceObjectIds.length === 0);
  if (other) throw new PlatformError('INVALID_QUERY', `expand: ${other.apiName} isn't a reference to records`);
  if (fields.length > MAX_EXPANDED)
    throw new PlatformError('INVALID_QUERY', `expand: use up to ${MAX_EXPANDED} fields`);
  return fields;
}

/** Shows the records that others refer to: each under the scope of its object and the fields' roles. */
@Injectable()
export class ExpandedReferences {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly models: ObjectModelStore,
    private readonly records: RecordRepository,
  ) {}

  /**
   * @param rows the JSON of each record
   * @returns the same with `expanded`, in which a record that the caller cannot read is null like one that does not exist
   */
  async expand(
    caller: Principal,
    fields: readonly StoredField[],
    records: readonly StoredRecord[],
    rows: string[],
    clock: EvaluationContext,
  ): Promise<string[]> {
    if (fields.length === 0 || rows.length === 0) return rows;
    const names = await this.namesOf(caller, fields);
    let text = 0;
    const add = (json: string | null) => {
      text += json?.length ?? 0;
      if (text > PAGE_TEXT_LIMIT && rows.length > 1) throw tooLong();
    };
    const idOf = ({ data }: StoredRecord, { key }: StoredField) => data[key] as string | undefined;
    const keyOf = ({ key }: StoredField, id: string) => `${key}/${id}`;
    const named = records.slice(0, rows.length).flatMap((record) =>
      fields.flatMap((field) => {
        const id = idOf(record, field);
        return id ? [[keyOf(field, id), { field, id }] as const] : [];
      }),
    );
    const wanted = [...new Map(named)];
    const found = new Map<string, string | null>();
    for (let first = 0; first < wanted.length; first += READ_AT_ONCE) {
      const some = wanted.slice(first, first + READ_AT_ONCE);
      const read = await this.find(caller, new Map(some), names, clock);
      for (const [key, json] of read) {
        found.set(key, json);
        add(json);
      }
    }
    text = 0;
    return rows.map((row, index) => {
      const members = fields.map((field) => {
        const id = idOf(records[index] as StoredRecord, field);
        return `${JSON.stringify(field.apiName)}:${(id && found.get(keyOf(field, id))) ?? null}`;
      });
      const expanded = `${row.slice(0, -1)},"expanded":{${members.join(',')}}}`;
      add(expanded);
      return expanded;
    });
  }

  /** The names of the objects that the fields refer to and that the caller sees and has the scope of, by id. */
  private async namesOf(caller: Principal, fields: readonly StoredField[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(fields.flatMap(({ referenceObjectIds }) => referenceObjectIds))].filter((id) =>
      hasScope(caller, scopeOf(id), 'read'),
    );
    const custom = ids.filter((id) => !standardObjectWithId(id));
    const names = new Map(
      ids.flatMap((id) => (standardObjectWithId(id) ? [[id, standardObjectWithId(id)!.apiName]] : [])),
    );
    if (custom.length === 0) return names;
    const found = await this.objects.listHeads(this.database, caller.tenantId, custom);
    for (const object of found) if (isVisibleTo(object, caller)) names.set(object.id, object.apiName);
    return names;
  }

  /**
   * Records of one of the objects that their fields refer to, one read an object.
   * @returns by the keys of what is wanted
   */
  private async find(
    caller: Principal,
    wanted: ReadonlyMap<string, { readonly field: StoredField; readonly id: string }>,
    names: ReadonlyMap<string, string>,
    clock: EvaluationContext,
  ): Promise<[string, string][]> {
    const read = async ([objectId, apiName]: [string, string]): Promise<[string, string][]> => {
      const ofObject = [...wanted].filter(([, { field }]) => field.referenceObjectIds.includes(objectId));
      const ids = [...new Set(ofObject.map(([, { id }]) => id))];
      const records = ids.length === 0 ? new Map() : await this.read(caller, apiName, ids, clock);
      return ofObject.flatMap(([key, { id }]) => (records.has(id) ? [[key, records.get(id)]] : []));
    };
    return (await Promise.all([...names].map(read))).flat();
  }

  /** @returns their JSON by their ids */
  private async read(
    caller: Principal,
    apiName: string,
    ids: readonly string[],
    clock: EvaluationContext,
  ): Promise<ReadonlyMap<string, string>> {
    try {
      const { model, result } = await this.models.readAtOnce(caller, apiName, ({ object }) =>
        this.records.readSeveral(caller.tenantId, object.id, ids),
      );
      const plan = model.planFor(caller.roles);
      const json = (record: StoredRecord) =>
        `{"object":${JSON.stringify(apiName)},${recordJson(model, record, plan, clock).slice(1)}`;
      return new Map(result.map((record) => [record.id, json(record)]));
    } catch (error) {
      // Removed or no longer shared since.
      if (error instanceof PlatformError && error.code === 'NOT_FOUND') return new Map();
      throw error;
    }
  }
}
