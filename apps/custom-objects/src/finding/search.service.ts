import { hasScope, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type AccessPlan, phoneDigits } from '@crm/fields';
import { readCursor, writeCursor } from '@crm/http';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ObjectHead, ObjectRepository } from '../object/object.repository.js';
import {
  isVisibleTo,
  STANDARD_OBJECTS,
  scopeOf,
  standardObjectWithId,
  titleFieldsOf,
} from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { CostlyQueries } from './costly-query.service.js';
import { type FoundRecords, SearchRepository } from './search.repository.js';
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

/** What is looked for in each object. */
type QueryText = SearchedText & { readonly isOfPhones: boolean };

/** How many workspaces' objects are kept in memory. */
const WORKSPACES_KEPT = 1_000;
/** With the objects that are known, with those that are there, and once more if these change meanwhile. */
const ATTEMPTS = 3;
const DEFAULT_SIZE = 20;
const LONGEST_VALUE = 200;

/** Looks for a text in all objects, by the index of each one's texts. */
@Injectable()
export class SearchService {
  /** By workspace the objects of apps, as they were listed last. What a search finds says whether they are the same. */
  private readonly ofApps = new LRUCache<string, readonly ObjectHead[]>({ max: WORKSPACES_KEPT });

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
      ...{ cause: 'q: too many values had to be compared', help: 'search for longer text' },
      ...{ isBounded: true, callerId: principal.userId },
    };
    const search = (ofApps: readonly ObjectHead[]) =>
      this.costly.run(principal, cost, (database) =>
        this.models.readSeveralAtOnce(principal, namesOf(ofApps, principal, objects?.split(',')), async (models) => {
          const searches = models.flatMap((model) => searchesOf(model, principal, texts));
          const result = await this.searches.findInObjects(database, principal, searches, after, size + 1);
          return { revisions: result.revisions, result };
        }),
      );
    const { models, result } = await this.withObjects(principal.tenantId, search);
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

  /** Searches the objects that are known, and again while they turn out to have changed. */
  private async withObjects<T extends { readonly result: FoundRecords }>(
    tenantId: string,
    search: (ofApps: readonly ObjectHead[]) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const ofApps = this.ofApps.get(tenantId) ?? (await this.objects.listHeads(this.database, tenantId, null));
      this.ofApps.set(tenantId, ofApps);
      try {
        const found = await search(ofApps);
        if (attempt === ATTEMPTS || areAll(ofApps, found.result.revisions)) return found;
      } catch (error) {
        // An object that has been removed is no longer listed.
        const isRemoved = error instanceof PlatformError && error.code === 'NOT_FOUND';
        if (attempt === ATTEMPTS || !isRemoved) throw error;
      }
      this.ofApps.delete(tenantId);
    }
  }

  /** The text, and of a phone number its digits. @throws INVALID_QUERY for a text that no index can find */
  private async textsOf({ tenantId }: Principal, q: string): Promise<QueryText[]> {
    const { country } = await this.tenants.get(tenantId);
    const [text, digits] = [searchedText(q), searchedText(phoneDigits(q, country) ?? undefined)];
    const indexed = [
      ...(text?.isIndexed ? [{ ...text, isOfPhones: false }] : []),
      ...(digits?.isIndexed && digits.text !== text?.text ? [{ ...digits, isOfPhones: true }] : []),
    ];
    if (indexed.length === 0) throw new PlatformError('INVALID_QUERY', 'q: enter at least 3 letters or digits');
    return indexed;
  }
}

/** The names of the objects that the caller can read, of those that are wanted. */
const namesOf = (
  ofApps: readonly ObjectHead[],
  principal: Principal,
  wanted: readonly string[] | undefined,
): readonly string[] =>
  [...Object.values(STANDARD_OBJECTS), ...ofApps]
    .filter((object) => isVisibleTo(object, principal) && hasScope(principal, scopeOf(object.id), 'read'))
    .flatMap(({ apiName }) => (wanted === undefined || wanted.includes(apiName) ? apiName : []));

/** Returns whether these are the objects of apps, as they are now. @param revisions of all objects that have a row */
function areAll(ofApps: readonly ObjectHead[], revisions: Readonly<Record<string, number>>): boolean {
  const count = Object.keys(revisions).filter((id) => !standardObjectWithId(id)).length;
  return count === ofApps.length && ofApps.every(({ id, revision }) => revisions[id] === revision);
}

/** The text, and where there are phone numbers its digits, alone where the text has them too: what has the text has the digits. */
function searchesOf(model: ObjectModel, { roles }: Principal, texts: readonly QueryText[]) {
  const plan = model.planFor(roles);
  const audiences = audiencesFor(model, plan);
  // Hits have no formulas, so that the bound of a page counts nothing that is read for them.
  const hidden = model.object.fields.filter(({ apiName, type }) => type !== 'formula' && !plan.readable.has(apiName));
  const unneeded = hidden.map(({ key }) => String(key));
  const hasPhone = model.object.fields.some(({ isPhone }) => isPhone);
  const wanted = texts.filter(({ isOfPhones }) => hasPhone || !isOfPhones);
  return wanted
    .filter(({ text }) => wanted.every((other) => other.text === text || !text.includes(other.text)))
    .map((searched) => ({ objectId: model.object.id, audiences, searched, unneeded }));
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
