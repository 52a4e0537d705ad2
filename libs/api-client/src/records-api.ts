import { OBJECT_PATHS } from '@crm/contracts/object-paths';
import type { CatalogueObjectView } from '../dist/api.js';
import type { ApiClient } from './client.js';

/** `leads` and the like, or `custom:` and the API name of a custom object. */
export type StandardObjectName = (typeof OBJECT_PATHS)[keyof typeof OBJECT_PATHS];
export type ObjectName = StandardObjectName | `custom:${string}`;

export type FieldValue = string | number | boolean | readonly string[] | null;

/** A record as the API answers it: its fields stand beside what every record has. */
export type CrmRecord = {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
} & { readonly [field: string]: FieldValue | undefined };

/** The record that a reference names, where a list has asked for it. @returns null for one that the caller cannot read */
export const expandedOf = (
  record: CrmRecord,
  field: string,
): (CrmRecord & { readonly object: string }) | null | undefined =>
  (record as unknown as { expanded?: Readonly<Record<string, (CrmRecord & { object: string }) | null>> }).expanded?.[
    field
  ];

/** When and by whom a record of the bin was deleted. */
export const deletionOf = (record: CrmRecord) =>
  (record as unknown as { readonly deleted: { readonly at: string; readonly by: string | null } }).deleted;

export interface RecordPage {
  readonly data: readonly CrmRecord[];
  /** Null when it was not counted. */
  readonly total: number | null;
  readonly totalIsExact: boolean;
  readonly nextCursor: string | null;
}

export interface RecordQuery {
  readonly q?: string;
  readonly sort?: string;
  readonly cursor?: string;
  readonly size?: number;
  readonly count?: 'estimated' | 'exact' | 'none';
  readonly filterField?: string;
  readonly filterValue?: string;
  /** Conditions in groups, as JSON. */
  readonly filter?: string;
  /** References whose records are answered too. */
  readonly expand?: string;
  /** The bin, which takes no other parameter than the size and the cursor. */
  readonly deleted?: 'only';
}

/** Languages that the labels of standard objects exist in. */
export type LabelLanguage = 'en' | 'de';

export type RecordFields = Readonly<Record<string, FieldValue>>;

const CUSTOM = 'custom:';

/** The name by which pages call an object. @param apiName with `custom:` for a custom object */
export const objectNameOf = (apiName: string): ObjectName =>
  OBJECT_PATHS[apiName as keyof typeof OBJECT_PATHS] ?? (apiName as ObjectName);

/** The path of an object's records. The calls of all objects differ in it alone, so that the types of one stand for all. */
export const listPath = (object: ObjectName) =>
  (object.startsWith(CUSTOM)
    ? `/api/crm/custom/${object.slice(CUSTOM.length)}/records`
    : `/api/crm/${object}`) as '/api/crm/leads';
const recordPath = (object: ObjectName) => `${listPath(object)}/{id}` as const;

/** The calls of records, the same for every object. */
export class RecordsApi {
  constructor(readonly client: ApiClient) {}

  /** The objects that the caller can read, standard ones first. */
  async objects(language: LabelLanguage, signal?: AbortSignal): Promise<readonly CatalogueObjectView[]> {
    const { data } = await this.client.GET('/api/crm/objects', { params: { query: { language } }, signal });
    return data?.data ?? [];
  }

  async list(object: ObjectName, { filterValue, ...more }: RecordQuery, signal?: AbortSignal): Promise<RecordPage> {
    const query = { ...more, ...(filterValue !== undefined && { filterValue: [filterValue] }) };
    const { data } = await this.client.GET(listPath(object), { params: { query }, signal });
    return data as unknown as RecordPage;
  }

  /** @param expand references whose records are answered too */
  async get(object: ObjectName, id: string, expand?: string, signal?: AbortSignal): Promise<CrmRecord> {
    const query = expand === undefined ? {} : { expand };
    const { data } = await this.client.GET(recordPath(object), { params: { path: { id }, query }, signal });
    return data as unknown as CrmRecord;
  }

  /** @param key makes a repeated call create nothing more (`Idempotency-Key`) */
  async create(object: ObjectName, fields: RecordFields, key: string): Promise<CrmRecord> {
    const header = { 'Idempotency-Key': key };
    const { data } = await this.client.POST(listPath(object), { params: { header }, body: fields as never });
    return data as unknown as CrmRecord;
  }

  /** @param version that is changed; any other is refused with `VERSION_MISMATCH`. Without one, every version is changed */
  async update(object: ObjectName, id: string, fields: RecordFields, version?: number): Promise<CrmRecord> {
    const header = version === undefined ? {} : { 'If-Match': `"${version}"` };
    const params = { path: { id }, header };
    const { data } = await this.client.PATCH(recordPath(object), { params, body: fields as never });
    return data as unknown as CrmRecord;
  }

  /** @param version that is deleted; any other is refused with `VERSION_MISMATCH` */
  async delete(object: ObjectName, id: string, version: number): Promise<void> {
    const header = { 'If-Match': `"${version}"` };
    await this.client.DELETE(recordPath(object), { params: { path: { id }, header } });
  }

  /** Merges another record into one. @param fields whose values are those of the loser @param version as in {@link delete} */
  async merge(object: ObjectName, id: string, version: number, loserId: string, fields: string[]): Promise<void> {
    const params = { path: { id }, header: { 'If-Match': `"${version}"` } };
    await this.client.POST(`${recordPath(object)}/merge`, { params, body: { loserId, fields } });
  }

  /** @returns how many erased records the caller could read */
  async erase(object: ObjectName, id: string): Promise<number> {
    const { data } = await this.client.POST(`${recordPath(object)}/erase`, { params: { path: { id } } });
    return data?.erased ?? 1;
  }

  /** Brings a deleted record back, with what its deletion took along. */
  async restore(object: ObjectName, id: string): Promise<CrmRecord> {
    const { data } = await this.client.POST(`${recordPath(object)}/restore`, { params: { path: { id } } });
    return data as unknown as CrmRecord;
  }
}
