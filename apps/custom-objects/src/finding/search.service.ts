import { hasScope, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type AccessPlan, phoneDigits } from '@crm/fields';
import { readCursor, writeCursor } from '@crm/http';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { isVisibleTo, STANDARD_OBJECTS, scopeOf, titleFieldsOf } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { CostlyQueries } from './costly-query.service.js';
import { SearchRepository } from './search.repository.js';
import { audiencesFor, hasText, type SearchedText, searchedText, type TextSearch } from './search-text.js';

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

/** What is looked for in each object. */
type QueryText = SearchedText & { readonly isOfPhones: boolean };

const DEFAULT_SIZE = 20;
const LONGEST_VALUE = 200;

/** Looks for a text in all objects, by the index of each one's texts. */
@Injectable()
export class SearchService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly models: ObjectModelStore,
    private readonly searches: SearchRepository,
    private readonly costly: CostlyQueries,
    private readonly tenants: TenantDirectory,
  ) {}

  /** @throws INVALID_QUERY, QUERY_TOO_EXPENSIVE */
  async find(
    principal: Principal,
    { q, objects, size = DEFAULT_SIZE, cursor }: SearchRequest,
  ): Promise<{ data: Hit[]; nextCursor: string | null }> {
    const binding = { tenantId: principal.tenantId, list: 'search', filter: [q, objects ?? null] };
    const after = cursor === undefined ? null : readCursor(binding, cursor).id;
    const texts = await this.textsOf(principal, q);
    const cost = {
      ...{ cause: 'q: very many texts were compared', help: 'search for a longer text' },
      ...{ isBounded: true, callerId: principal.userId },
    };
    const search = async () => {
      const names = await this.objectsOf(principal, objects?.split(','));
      return this.costly.run(principal, cost, (database) =>
        this.models.readSeveralAtOnce(principal, names, async (models) => {
          const searches = models.flatMap((model) => searchesOf(model, principal, texts));
          const found = await this.searches.findInObjects(database, principal, searches, after, size + 1);
          // A phone number that no text index finds is not looked for in objects without phone fields.
          const asked = new Set(searches.map(({ objectId }) => objectId));
          const unasked = models.filter(({ object }) => !asked.has(object.id));
          const known = Object.fromEntries(unasked.map(({ object }) => [object.id, object.revision]));
          return { revisions: { ...known, ...found.revisions }, result: found };
        }),
      );
    };
    const { models, result } = await search().catch((error: unknown) => {
      // An object that was removed meanwhile is no longer listed.
      if (error instanceof PlatformError && error.code === 'NOT_FOUND') return search();
      throw error;
    });
    const byId = new Map(models.map((model) => [model.object.id, model]));
    // Ids are in the order of creation.
    const newest = [...result.found].sort(({ record: one }, { record: other }) => (one.id < other.id ? 1 : -1));
    const shown = newest.slice(0, size);
    const last = shown.at(-1)?.record;
    const hasMore = newest.length > size || !result.isWhole;
    return {
      data: shown.map(({ objectId, record }) => {
        const model = byId.get(objectId) as ObjectModel;
        return hitOf(model, model.planFor(principal.roles), record, texts);
      }),
      nextCursor: last && hasMore ? writeCursor(binding, { id: last.id, value: null }) : null,
    };
  }

  /** The text, and of a phone number its digits. @throws INVALID_QUERY for a text that no index can find */
  private async textsOf({ tenantId }: Principal, q: string): Promise<QueryText[]> {
    const { country } = await this.tenants.get(tenantId);
    const [text, digits] = [searchedText(q), searchedText(phoneDigits(q, country) ?? undefined)];
    const indexed = [
      ...(text?.isIndexed ? [{ ...text, isOfPhones: false }] : []),
      ...(digits?.isIndexed && digits.text !== text?.text ? [{ ...digits, isOfPhones: true }] : []),
    ];
    if (indexed.length === 0) throw new PlatformError('INVALID_QUERY', 'q: needs three letters or digits');
    return indexed;
  }

  /** The names of the objects that the caller can read, of those that are wanted. */
  private async objectsOf(principal: Principal, wanted: readonly string[] | undefined): Promise<string[]> {
    const custom = await this.objects.listHeads(this.database, principal.tenantId, null);
    return [...Object.values(STANDARD_OBJECTS), ...custom]
      .filter((object) => isVisibleTo(object, principal) && hasScope(principal, scopeOf(object.id), 'read'))
      .flatMap(({ apiName }) => (wanted === undefined || wanted.includes(apiName) ? apiName : []));
  }
}

/** The text, and where there are phone numbers its digits, alone where the text has them too: what has the text has the digits. */
function searchesOf(model: ObjectModel, { roles }: Principal, texts: readonly QueryText[]): TextSearch[] {
  const audiences = audiencesFor(model, model.planFor(roles));
  const hasPhone = model.object.fields.some(({ isPhone }) => isPhone);
  const wanted = texts.filter(({ isOfPhones }) => hasPhone || !isOfPhones);
  return wanted
    .filter(({ text }) => wanted.every((other) => other.text === text || !text.includes(other.text)))
    .map((searched) => ({ objectId: model.object.id, audiences, searched }));
}

function hitOf(model: ObjectModel, plan: AccessPlan, record: StoredRecord, texts: readonly QueryText[]): Hit {
  const title = titleFieldsOf(model.object)
    .filter((name) => plan.readable.has(name))
    .map((name) => record.data[model.fieldsByName.get(name)?.key ?? -1] ?? '')
    .join(' ')
    .trim()
    .slice(0, 500);
  const field = model.object.fields.find(
    (one) => plan.readable.has(one.apiName) && texts.some(({ text }) => hasText(one, record.data[one.key], text)),
  );
  const value = field ? String(record.data[field.key]).slice(0, LONGEST_VALUE) : title.slice(0, LONGEST_VALUE);
  return { object: model.object.apiName, id: record.id, title, matched: { field: field?.apiName ?? null, value } };
}
