import { hasScope, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type AccessPlan, phoneDigits } from '@crm/fields';
import { type ListPage, readCursor, writeCursor } from '@crm/http';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import {
  isVisibleTo,
  type ObjectDefinition,
  STANDARD_OBJECTS,
  scopeOf,
  titleFieldsOf,
} from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { CostlyQueries } from './costly-query.service.js';
import { RecordListRepository } from './record-list.repository.js';
import { audiencesFor, hasText, type SearchedText, searchedText } from './search-text.js';

interface SearchRequest {
  readonly q: string;
  readonly objects?: string;
  readonly size?: number;
  readonly cursor?: string;
}

/** A record that has the text. */
export interface Hit {
  readonly object: string;
  readonly id: string;
  readonly title: string;
  readonly matched: { readonly field: string | null; readonly value: string };
}

const DEFAULT_SIZE = 20;
const LONGEST_VALUE = 200;
/** Objects of one search that are looked through at once: tenants share the connections. */
const OBJECTS_AT_ONCE = 3;

/** Looks for a text in all objects, by the index of each one's texts. */
@Injectable()
export class SearchService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly models: ObjectModelStore,
    private readonly records: RecordListRepository,
    private readonly costly: CostlyQueries,
    private readonly tenants: TenantDirectory,
  ) {}

  /** @throws INVALID_QUERY, QUERY_TOO_EXPENSIVE */
  async find(
    principal: Principal,
    { q, objects, size = DEFAULT_SIZE, cursor }: SearchRequest,
  ): Promise<{ data: Hit[]; nextCursor: string | null }> {
    const binding = { tenantId: principal.tenantId, list: 'search', filter: [q, objects ?? null] };
    const after = cursor === undefined ? undefined : readCursor(binding, cursor);
    const texts = await this.textsOf(principal, q);
    const page: ListPage = {
      ...{ page: 1, size, offset: 0, limit: size + 1, counts: false, countLimit: 0, binding },
      ...(after && { after }),
    };
    const wanted = await this.objectsOf(principal, objects?.split(','));
    const lookups = wanted.flatMap(({ apiName, fields }) =>
      texts
        .filter(({ isOfPhones }) => !isOfPhones || fields.some(({ isPhone }) => isPhone))
        .map((searched) => (database: Database) => this.findIn(database, principal, apiName, searched, page)),
    );
    const cost = {
      ...{ cause: 'q: very many texts were compared', help: 'search for a longer text' },
      ...{ isBounded: true, callerId: principal.userId },
    };
    const hits = new Map<string, Hit>();
    await this.costly.run(principal, cost, async (database) => {
      for (let first = 0; first < lookups.length; first += OBJECTS_AT_ONCE) {
        const some = lookups.slice(first, first + OBJECTS_AT_ONCE);
        const found = await Promise.all(some.map((lookUp) => lookUp(database)));
        for (const hit of found.flat()) hits.set(hit.id, hit);
      }
    });
    // Ids are in the order of creation.
    const newest = [...hits.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
    const data = newest.slice(0, size);
    const last = data.at(-1);
    return {
      data,
      nextCursor: last && newest.length > size ? writeCursor(binding, { id: last.id, value: null }) : null,
    };
  }

  /** The text, and of a phone number its digits. @throws INVALID_QUERY for a text that no index can find */
  private async textsOf({ tenantId }: Principal, q: string): Promise<(SearchedText & { isOfPhones: boolean })[]> {
    const { country } = await this.tenants.get(tenantId);
    const [text, digits] = [searchedText(q), searchedText(phoneDigits(q, country) ?? undefined)];
    const indexed = [
      ...(text?.isIndexed ? [{ ...text, isOfPhones: false }] : []),
      ...(digits?.isIndexed && digits.text !== text?.text ? [{ ...digits, isOfPhones: true }] : []),
    ];
    if (indexed.length === 0) throw new PlatformError('INVALID_QUERY', 'q: needs three letters or digits');
    return indexed;
  }

  /** The objects that the caller can read, of those that are wanted. */
  private async objectsOf(principal: Principal, wanted: readonly string[] | undefined): Promise<ObjectDefinition[]> {
    const custom = await this.database.transaction(principal.tenantId, (tx) => this.objects.list(tx));
    const all: ObjectDefinition[] = [...Object.values(STANDARD_OBJECTS), ...custom];
    return all
      .filter((object) => isVisibleTo(object, principal) && hasScope(principal, scopeOf(object.id), 'read'))
      .filter(({ apiName }) => wanted === undefined || wanted.includes(apiName));
  }

  private async findIn(
    database: Database,
    principal: Principal,
    apiName: string,
    searched: SearchedText,
    page: ListPage,
  ): Promise<Hit[]> {
    const found = await this.models
      .readAtOnce(principal, apiName, async (model) => {
        const audiences = audiencesFor(model, model.planFor(principal.roles));
        const search = { objectId: model.object.id, audiences, searched };
        const { revision, records } = await this.records.search(database, principal, search, page, (found) => found);
        return { revision, result: records };
      })
      .catch((error: unknown) => {
        // Removed since.
        if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
        throw error;
      });
    if (!found) return [];
    const { model, result } = found;
    const plan = model.planFor(principal.roles);
    return result.map((record) => hitOf(model, plan, record, searched.text));
  }
}

function hitOf(model: ObjectModel, plan: AccessPlan, record: StoredRecord, text: string): Hit {
  const title = titleFieldsOf(model.object)
    .filter((name) => plan.readable.has(name))
    .map((name) => record.data[model.fieldsByName.get(name)?.key ?? -1] ?? '')
    .join(' ')
    .trim()
    .slice(0, 500);
  const field = model.object.fields.find(
    (one) => plan.readable.has(one.apiName) && hasText(one, record.data[one.key], text),
  );
  const value = field ? String(record.data[field.key]).slice(0, LONGEST_VALUE) : title.slice(0, LONGEST_VALUE);
  return { object: model.object.apiName, id: record.id, title, matched: { field: field?.apiName ?? null, value } };
}
