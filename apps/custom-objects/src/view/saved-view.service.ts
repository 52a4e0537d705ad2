import { hasScope, type Principal } from '@crm/access';
import { type FieldProblem, PlatformError, requireNoProblems, rolesAllow } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import { filteredFields, rowConditions } from '../finding/record-filter.js';
import { parseSort, sortedFields } from '../finding/record-sort.js';
import { ObjectRepository } from '../object/object.repository.js';
import { isVisibleTo, objectNotFound, scopeOf } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { ChangeSavedViewInput, CreateSavedViewInput, SavedViewView } from './saved-view.dto.js';
import type { SavedView } from './saved-view.entity.js';
import { SavedViewRepository } from './saved-view.repository.js';

/** Views of one user. */
export const MAX_VIEWS = 200;
/** Longest JSON of a filter: more does not fit into the address of a list. */
const MAX_FILTER = 16_000;

/** Not with a key, embedded or with a scope for reading: what an administrator lends for that changes nothing for everyone. */
const mayShare = (principal: Principal, { object }: ObjectModel): boolean =>
  principal.kind === 'user' &&
  principal.apiKeyId === undefined &&
  rolesAllow(principal.roles, 'administer') &&
  hasScope(principal, scopeOf(object.id), 'write');
const viewNotFound = () => new PlatformError('NOT_FOUND', 'View not found');

/** Views that people save of lists. What one may see of them follows what they may read of the object. */
@Injectable()
export class SavedViewService {
  constructor(
    private readonly database: Database,
    private readonly models: ObjectModelStore,
    private readonly objects: ObjectRepository,
    private readonly views: SavedViewRepository,
  ) {}

  /** @throws NOT_FOUND for an object that the caller does not see */
  list(principal: Principal, object: string): Promise<SavedViewView[]> {
    return this.models.read(principal, object, async (model, tx) => {
      requireScope(principal, model);
      const views = await this.views.list(tx, model.object.id, principal.userId);
      const plan = model.planFor(principal.roles);
      return views
        .filter((view) => view.ownerId === principal.userId || isReadable(view, plan))
        .map((view) => shown(view, model, plan, principal));
    });
  }

  /** @throws NOT_FOUND, FORBIDDEN when only administrators may share; VALIDATION_FAILED */
  create(principal: Principal, { object, ...input }: CreateSavedViewInput): Promise<SavedViewView> {
    return this.models.read(principal, object, async (model, tx) => {
      requireScope(principal, model);
      const { name, filter = null, sort = null, columns = [], shared = false } = input;
      const view: SavedView = {
        ...{ tenantId: tx.tenantId, id: newId(), objectId: model.object.id, ownerId: principal.userId },
        ...{ name, filter, sort, columns, shared },
      };
      const plan = model.planFor(principal.roles);
      if (shared) requireSharing(principal, model);
      requireValid(view, model, plan);
      if ((await this.views.lockAndCount(tx, principal.userId)) >= MAX_VIEWS) {
        throw new PlatformError('VALIDATION_FAILED', `A user can have up to ${MAX_VIEWS} views`);
      }
      await this.views.insert(tx, view);
      return shown(view, model, plan, principal);
    });
  }

  /** @throws NOT_FOUND, FORBIDDEN for a shared one and who is no administrator; VALIDATION_FAILED */
  change(principal: Principal, id: string, changes: ChangeSavedViewInput): Promise<SavedViewView> {
    return this.withView(principal, id, async (view, model, tx) => {
      const plan = model.planFor(principal.roles);
      if (changes.shared) requireSharing(principal, model);
      // Only what is named is judged and replaced: the rest may be about fields that the caller cannot read.
      const judged = changes.shared && !view.shared ? { ...view, columns: [] } : NOTHING;
      requireValid({ ...judged, ...changes }, model, plan);
      const { columns, ...others } = changes;
      const parts = columns ? { ...others, columns: withUnseen(columns, view.columns, model, plan) } : others;
      if (Object.keys(parts).length > 0) await this.views.update(tx, id, parts);
      return shown({ ...view, ...parts }, model, plan, principal);
    });
  }

  /** @throws NOT_FOUND, FORBIDDEN for a shared one and who is no administrator */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.withView(principal, id, (_view, _model, tx) => this.views.delete(tx, id), true);
  }

  /**
   * A view that the caller sees and may change.
   * @param ofRetired whether an own one of an object that is no longer in use is there too
   */
  private withView<T>(
    principal: Principal,
    id: string,
    work: (view: SavedView, model: ObjectModel, tx: TenantTransaction) => Promise<T>,
    ofRetired = false,
  ): Promise<T> {
    return this.database.transaction(principal, async (tx) => {
      const view = await this.views.find(tx, id);
      if (!view || (!view.shared && view.ownerId !== principal.userId)) throw viewNotFound();
      await this.objects.holdDefinitions(tx);
      const found = await this.models.findById(tx, view.objectId, 'options');
      // Who made it may always change what they can no longer read.
      const isOwn = view.ownerId === principal.userId;
      const isThere = found?.isActive || (ofRetired && isOwn);
      if (!found || !isThere || !isVisibleTo(found.model.object, principal) || !isInScope(principal, found.model)) {
        throw viewNotFound();
      }
      if (!isOwn && !isReadable(view, found.model.planFor(principal.roles))) throw viewNotFound();
      if (!canChange(view, principal, found.model))
        throw new PlatformError('FORBIDDEN', 'Only admins can change shared views');
      return work(view, found.model, tx);
    });
  }
}

const canChange = ({ shared, ownerId }: SavedView, principal: Principal, model: ObjectModel): boolean =>
  shared ? mayShare(principal, model) : ownerId === principal.userId;

const isInScope = (principal: Principal, { object }: ObjectModel): boolean =>
  hasScope(principal, scopeOf(object.id), 'read');

function requireScope(principal: Principal, model: ObjectModel): void {
  if (!isInScope(principal, model)) throw objectNotFound();
}

function requireSharing(principal: Principal, model: ObjectModel): void {
  if (!mayShare(principal, model)) throw new PlatformError('FORBIDDEN', 'Only admins can share views');
}

/** What a view is about is not told to who cannot read the fields: not even that others filter by them. */
const isReadable = ({ filter, sort }: SavedView, { readable }: AccessPlan): boolean =>
  [...filteredFields(filter), ...sortedFields(sort)].every((name) => readable.has(name));

type Parts = Pick<SavedView, 'filter' | 'sort' | 'columns'>;
const NOTHING: Parts = { filter: null, sort: null, columns: [] };

/** @throws VALIDATION_FAILED naming what a list would refuse */
function requireValid({ filter, sort, columns }: Parts, model: ObjectModel, plan: AccessPlan): void {
  const clock = { now: new Date() };
  const text = filter === null ? undefined : JSON.stringify(filter);
  const problems = [
    text !== undefined && text.length > MAX_FILTER
      ? problem('/filter', `filter: use up to ${MAX_FILTER} characters`)
      : refusal('/filter', () => rowConditions(model, plan, { filter: text }, 3, clock)),
    refusal('/sort', () => parseSort(model, plan, sort ?? undefined, clock)),
    ...columns.map((name, index) =>
      isColumn(name, plan) ? undefined : problem(`/columns/${index}`, `Unknown field "${name}"`),
    ),
  ].filter((found) => found !== undefined);
  requireNoProblems(problems);
}

const problem = (pointer: string, detail: string): FieldProblem => ({ pointer, code: 'INVALID_VALUE', detail });

/** The problem that a list would have with a part of a view. */
function refusal(pointer: string, parse: () => unknown): FieldProblem | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'INVALID_QUERY') throw error;
    return problem(pointer, error.message);
  }
}

const EVERY_RECORD: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt']);
const isColumn = (name: string, { readable }: AccessPlan): boolean => readable.has(name) || EVERY_RECORD.has(name);

/** The columns that the caller cannot see stay, each behind the column that it stood behind, where that stays. */
function withUnseen(
  columns: readonly string[],
  before: readonly string[],
  { fieldsByName }: ObjectModel,
  plan: AccessPlan,
): string[] {
  const all = [...columns];
  for (const [index, name] of before.entries()) {
    if (isColumn(name, plan) || !fieldsByName.has(name)) continue;
    const place = before.slice(0, index).findLast((earlier) => all.includes(earlier));
    all.splice(place === undefined ? 0 : all.indexOf(place) + 1, 0, name);
  }
  return all;
}

function shown(view: SavedView, model: ObjectModel, plan: AccessPlan, principal: Principal): SavedViewView {
  const { object } = model;
  const usable = isReadable(view, plan);
  return {
    id: view.id,
    object: object.apiName,
    name: view.name,
    filter: usable ? view.filter : null,
    sort: usable ? view.sort : null,
    columns: view.columns.filter((name) => isColumn(name, plan)),
    shared: view.shared,
    ownerId: view.ownerId,
    writable: canChange(view, principal, model),
    usable,
  };
}
