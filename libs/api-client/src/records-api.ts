import { CORE_OBJECTS, type CoreObject } from '@crm/contracts/objects';
import type { CatalogueObjectView } from '../dist/api.js';
import type { ApiClient } from './client.js';

/** `leads` and the like, or `custom:` and the API name of a custom object. */
export type StandardObjectName = (typeof CORE_OBJECTS)[CoreObject]['path'];
export const STANDARD_OBJECTS: readonly StandardObjectName[] = Object.values(CORE_OBJECTS).map(({ path }) => path);
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
const CUSTOM_LIST = '/api/crm/custom/{apiName}/records';
const CUSTOM_RECORD = '/api/crm/custom/{apiName}/records/{id}';

/** The calls of records, the same for every object. */
export class RecordsApi {
  constructor(private readonly client: ApiClient) {}

  /** The objects that the caller can read, standard ones first. */
  async objects(language: LabelLanguage, signal?: AbortSignal): Promise<readonly CatalogueObjectView[]> {
    const { data } = await this.client.GET('/api/crm/objects', { params: { query: { language } }, signal });
    return data?.data ?? [];
  }

  async list(object: ObjectName, { filterValue, ...more }: RecordQuery, signal?: AbortSignal): Promise<RecordPage> {
    const apiName = customName(object);
    const query = { ...more, ...(filterValue !== undefined && { filterValue: [filterValue] }) };
    const { data } =
      apiName === undefined
        ? await this.client.GET(listPath(object), { params: { query }, signal })
        : await this.client.GET(CUSTOM_LIST, { params: { path: { apiName }, query }, signal });
    return data as unknown as RecordPage;
  }

  async get(object: ObjectName, id: string, signal?: AbortSignal): Promise<CrmRecord> {
    const apiName = customName(object);
    const { data } =
      apiName === undefined
        ? await this.client.GET(recordPath(object), { params: { path: { id } }, signal })
        : await this.client.GET(CUSTOM_RECORD, { params: { path: { apiName, id } }, signal });
    return data as unknown as CrmRecord;
  }

  /** @param key makes a repeated call create nothing more (`Idempotency-Key`) */
  async create(object: ObjectName, fields: RecordFields, key: string): Promise<CrmRecord> {
    const apiName = customName(object);
    const header = { 'Idempotency-Key': key };
    const { data } =
      apiName === undefined
        ? await this.client.POST(listPath(object), { params: { header }, body: fields as never })
        : await this.client.POST(CUSTOM_LIST, { params: { path: { apiName }, header }, body: fields as never });
    return data as unknown as CrmRecord;
  }

  /** @param version that is changed; any other is refused with `VERSION_MISMATCH`. Without one, every version is changed */
  async update(object: ObjectName, id: string, fields: RecordFields, version?: number): Promise<CrmRecord> {
    const apiName = customName(object);
    const header = version === undefined ? {} : { 'If-Match': `"${version}"` };
    const { data } =
      apiName === undefined
        ? await this.client.PATCH(recordPath(object), { params: { path: { id }, header }, body: fields as never })
        : await this.client.PATCH(CUSTOM_RECORD, { params: { path: { apiName, id }, header }, body: fields as never });
    return data as unknown as CrmRecord;
  }

  /** @param version that is deleted; any other is refused with `VERSION_MISMATCH` */
  async delete(object: ObjectName, id: string, version: number): Promise<void> {
    const apiName = customName(object);
    const header = { 'If-Match': `"${version}"` };
    await (apiName === undefined
      ? this.client.DELETE(recordPath(object), { params: { path: { id }, header } })
      : this.client.DELETE(CUSTOM_RECORD, { params: { path: { apiName, id }, header } }));
  }

  /** Brings a deleted record back, with what its deletion took along. */
  async restore(object: ObjectName, id: string): Promise<CrmRecord> {
    const apiName = customName(object);
    const { data } =
      apiName === undefined
        ? await this.client.POST(`${recordPath(object)}/restore`, { params: { path: { id } } })
        : await this.client.POST(`${CUSTOM_RECORD}/restore`, { params: { path: { apiName, id } } });
    return data as unknown as CrmRecord;
  }
}

/** @returns undefined for a standard object */
const customName = (object: ObjectName): string | undefined =>
  object.startsWith(CUSTOM) ? object.slice(CUSTOM.length) : undefined;

// The calls of the five standard objects differ in the path alone, so that the types of one stand for all.
const listPath = (object: ObjectName) => `/api/crm/${object}` as '/api/crm/leads';
const recordPath = (object: ObjectName) => `/api/crm/${object}/{id}` as '/api/crm/leads/{id}';
