import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import {
  type AccessPlan,
  accessPlan,
  compileFieldFormulas,
  compileFieldSteps,
  formulaFieldTypes,
  onDeleteOf,
} from '@crm/fields';
import { type CheckedFormula, type CompiledFormulaSet, checkFormula, inPieces, type ValueType } from '@crm/formula';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ObjectRepository, STALE_DEFINITION } from './object.repository.js';
import {
  type ObjectDefinition,
  objectNotFound,
  requireAccess,
  type StoredField,
  standardObjectNamed,
  standardObjectWithId,
} from './object-definition.js';

/** Access plans kept for one object, one per combination of roles; when there are more, all are made again. */
const PLANS_KEPT = 200;

/**
 * A definition with compiled formulas, fields by name and the access plan of each combination of roles. Immutable apart
 * from the plans; a new revision is a new model.
 */
export class ObjectModel {
  /** What the fields' values are in formulas and filters. */
  private readonly valueTypes: ReadonlyMap<string, ValueType>;
  readonly fieldsByName: ReadonlyMap<string, StoredField>;
  /** The fields whose values no two records share, in the order of their ids, in which values are claimed. */
  readonly uniqueFields: readonly StoredField[];
  /** The fields that refer to records; a user's id is none. */
  readonly referenceFields: readonly StoredField[];
  /**
   * Those that only some readers see: neither version nor event of the record says that their target has gone, come back or been merged,
   * as everybody sees these.
   */
  readonly hiddenReferences: readonly StoredField[];
  /** The fields that name users. */
  readonly userFields: readonly StoredField[];
  /** By field the options that no record takes any more. */
  readonly retired: ReadonlyMap<string, ReadonlySet<unknown>>;
  /** The fields that everyone can read: nothing else reaches events. */
  readonly publicPlan: AccessPlan;
  private readonly plans = new Map<string, AccessPlan>();
  private readonly checked = new Map<string, CheckedFormula>();

  /** A model whose formulas are compiled in pieces, between which the process does what else there is to do. */
  static async of(object: ObjectDefinition): Promise<ObjectModel> {
    return new ObjectModel(object, await inPieces(compileFieldSteps(object.fields)));
  }

  constructor(
    readonly object: ObjectDefinition,
    readonly formulas: CompiledFormulaSet = compileFieldFormulas(object.fields),
  ) {
    const ofFormulas = [...formulas.formulas].map(([name, { resultType }]) => [name, resultType] as const);
    this.valueTypes = new Map([...formulaFieldTypes(object.fields), ...ofFormulas]);
    this.fieldsByName = new Map(object.fields.map((field) => [field.apiName, field]));
    this.uniqueFields = object.fields.filter((field) => field.is_unique).sort((a, b) => (a.id < b.id ? -1 : 1));
    this.referenceFields = object.fields.filter(({ referenceObjectIds }) => referenceObjectIds.length > 0);
    this.hiddenReferences = this.referenceFields.filter(({ readRoles = [] }) => readRoles.length > 0);
    this.userFields = object.fields.filter(
      ({ type, referenceObjectIds }) => type === 'reference' && referenceObjectIds.length === 0,
    );
    this.retired = retiredOf(object);
    this.publicPlan = accessPlan(object.fields, []);
  }

  /** A formula as a tree, from which SQL is generated; parsed when a query first needs it. @returns undefined for a plain field */
  checkedFormula(name: string): CheckedFormula | undefined {
    if (!this.formulas.formulas.has(name)) return undefined;
    let checked = this.checked.get(name);
    if (!checked) {
      checked = checkFormula(this.fieldsByName.get(name)?.expression ?? '', this.valueTypes);
      this.checked.set(name, checked);
    }
    return checked;
  }

  /** What a field's values are in formulas and filters; of a formula the type of its result. */
  valueTypeOf({ apiName }: StoredField): ValueType {
    return this.valueTypes.get(apiName) ?? 'any';
  }

  /** Returns whether a new record sets a unique field that the caller cannot read: a conflict would reveal its values. */
  setsHiddenUnique(plan: AccessPlan): boolean {
    return this.uniqueFields.some((field) => (field.default ?? null) !== null && !plan.readable.has(field.apiName));
  }

  /** The fields that a caller with these roles can read and write. */
  planFor(roles: readonly string[]): AccessPlan {
    // Role names cannot contain a line break, so the joined text names one combination.
    const key = [...roles].sort().join('\n');
    const known = this.plans.get(key);
    if (known) return known;
    if (this.plans.size >= PLANS_KEPT) this.plans.clear();
    const plan = accessPlan(this.object.fields, roles);
    this.plans.set(key, plan);
    return plan;
  }
}

/** Returns whether a deletion unsets a reference without a new version of its record, of which those would learn who do not see the field. */
export const isUnsetSilently = ({ hiddenReferences }: ObjectModel, fieldKey: number): boolean =>
  hiddenReferences.some((field) => field.key === fieldKey && onDeleteOf(field) === 'set_null');

function retiredOf({ picklists = {} }: ObjectDefinition): ReadonlyMap<string, ReadonlySet<unknown>> {
  const all = Object.entries(picklists).map(
    ([field, options]) => [field, options.filter(({ active }) => !active).map(({ value }) => value)] as const,
  );
  return new Map(all.filter(([, values]) => values.length > 0).map(([field, values]) => [field, new Set(values)]));
}

/**
 * Size of the cache in UTF-16 units of the definitions; 20 fields have some 4,000. A model takes several times that in
 * memory, and of its formulas, a node of which may be two characters long, FORMULA_WEIGHT times that.
 */
const DEFINITIONS_KEPT = 24_000_000;
const FORMULA_WEIGHT = 12;
const weightOf = ({ object }: ObjectModel): number =>
  object.fields.reduce(
    (sum, { expression }) => sum + (expression?.length ?? 0) * FORMULA_WEIGHT,
    JSON.stringify(object).length,
  );
/** How often work is tried while its definition keeps changing. */
const ATTEMPTS = 3;

/** Work that relied on a definition that has changed. */
export class StaleModel extends Error {}

/** Returns whether a write failed because the definition had changed by which it was prepared: with the new one it may succeed. */
export const isStale = (error: unknown): boolean =>
  error instanceof StaleModel || (error instanceof Error && 'code' in error && error.code === STALE_DEFINITION);

/**
 * Caches models and runs work on them. Every transaction compares the revision first, so that no outdated definition is
 * ever used.
 */
@Injectable()
export class ObjectModelStore {
  private readonly models = new LRUCache<string, ObjectModel, string>({
    maxSize: DEFINITIONS_KEPT,
    sizeCalculation: weightOf,
    // Who waits for a model gets it, also when it was dropped or evicted meanwhile: the revision decides.
    ignoreFetchAbort: true,
    // Requests that need the same model wait for one to be made.
    fetchMethod: (key, _known, { context: tenantId }) => this.load(tenantId, key.slice(tenantId.length + 1)),
  });

  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
  ) {}

  /** For reads. @throws NOT_FOUND when the tenant has no such object, or the caller does not see it */
  read<T>(
    caller: Principal,
    apiName: string,
    work: (model: ObjectModel, tx: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    return this.withModel(caller.tenantId, apiName, async (model) => {
      await this.decide(caller, [model], 'read', async () => undefined);
      return this.database.transaction(caller, (tx) =>
        this.underRevision(this.objects.findRevision(tx, model.object.id), model, () => work(model, tx)),
      );
    });
  }

  /**
   * For a read of one statement that returns the definition's revision from the same snapshot. A result under another
   * revision is discarded and the read repeated.
   * @throws NOT_FOUND when the object does not exist or the caller does not see it; CONFLICT when its definition keeps
   *   changing
   */
  readAtOnce<T>(
    caller: Principal,
    apiName: string,
    read: (model: ObjectModel) => Promise<{ readonly revision: number | null; readonly result: T }>,
  ): Promise<{ readonly model: ObjectModel; readonly result: T }> {
    return this.withModel(caller.tenantId, apiName, async (model) => {
      const { revision, result } = await this.decide(caller, [model], 'read', () => read(model));
      if (!isInForce(model, revision)) throw new StaleModel();
      return { model, result };
    });
  }

  /** Like {@link readAtOnce} for several objects, whose revisions come by their ids. */
  readSeveralAtOnce<T>(
    caller: Principal,
    apiNames: readonly string[],
    read: (models: readonly ObjectModel[]) => Promise<{ revisions: Readonly<Record<string, number>>; result: T }>,
  ): Promise<{ readonly models: readonly ObjectModel[]; readonly result: T }> {
    return this.withModels(caller.tenantId, apiNames, async (models) => {
      const { revisions, result } = await this.decide(caller, models, 'read', () => read(models));
      if (!models.every((model) => isInForce(model, revisions[model.object.id] ?? null))) throw new StaleModel();
      return { models, result };
    });
  }

  /**
   * For writes.
   * @param prepare validation and calls before the transaction; runs again when the definition has changed
   * @param write works in transactions of {@link transaction}
   * @throws as {@link readAtOnce}; FORBIDDEN when the caller may only read
   */
  decideWrite<P, T>(
    caller: Principal,
    apiName: string,
    prepare: (model: ObjectModel) => Promise<P>,
    write: (model: ObjectModel, prepared: P) => Promise<T>,
  ): Promise<T> {
    return this.withModel(caller.tenantId, apiName, async (model) =>
      write(model, await this.decide(caller, [model], 'write', () => prepare(model))),
    );
  }

  /** Like {@link decideWrite} for several objects: the models come in the order of their names. */
  decideWrites<P, T>(
    caller: Principal,
    apiNames: readonly string[],
    prepare: (models: readonly ObjectModel[]) => Promise<P>,
    write: (models: readonly ObjectModel[], prepared: P) => Promise<T>,
  ): Promise<T> {
    return this.withModels(caller.tenantId, apiNames, async (models) =>
      write(models, await this.decide(caller, models, 'write', () => prepare(models))),
    );
  }

  /**
   * A transaction during which the definitions cannot change.
   * @throws an error that {@link isStale} recognises when one has changed already
   */
  transaction<T>(
    origin: TransactionOrigin,
    models: ObjectModel | readonly ObjectModel[],
    work: (tx: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(origin, (tx) => {
      for (const { object } of [models].flat()) this.objects.holdDefinition(tx, object.id, object.revision);
      return work(tx);
    });
  }

  /**
   * Finds a model by its id, in a transaction that holds the definitions.
   * @param needs `options` when values are judged by those of the tenant's picklists; fields are the same in every tenant
   * @returns null when there is none; isActive false for a removed object
   */
  async findById(
    tx: TenantTransaction,
    id: string,
    needs?: 'options',
  ): Promise<{ model: ObjectModel; isActive: boolean } | null> {
    const standard = standardObjectWithId(id);
    if (standard) {
      const object = needs ? await this.objects.findStandard(tx, standard) : standard;
      return { model: await this.modelOf(tx.tenantId, object), isActive: true };
    }
    const found = await this.objects.findById(tx, id);
    return found && { model: await this.modelOf(tx.tenantId, found.object), isActive: found.isActive };
  }

  /**
   * For a description of an object of which the revision is known.
   * @returns null when the object is gone meanwhile
   */
  async atRevision(
    tenantId: string,
    { apiName, id, revision }: Pick<ObjectDefinition, 'apiName' | 'id' | 'revision'>,
  ): Promise<ObjectModel | null> {
    const isCurrent = ({ object }: ObjectModel): boolean => object.id === id && object.revision >= revision;
    try {
      const known = await this.get(tenantId, apiName, revision > 0);
      if (isCurrent(known)) return known;
      this.models.delete(keyOf(tenantId, apiName));
      const loaded = await this.get(tenantId, apiName, true);
      return isCurrent(loaded) ? loaded : null;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /** The one that is kept, where the definition has been read anyway. */
  private modelOf(tenantId: string, object: ObjectDefinition): ObjectModel | Promise<ObjectModel> {
    const known = this.models.peek(keyOf(tenantId, object.apiName));
    return known && known.object.id === object.id && known.object.revision === object.revision
      ? known
      : makeModel(object);
  }

  private withModel<T>(tenantId: string, apiName: string, attempt: (model: ObjectModel) => Promise<T>): Promise<T> {
    return this.withModels(tenantId, [apiName], ([model]) => attempt(model as ObjectModel));
  }

  /** Makes the attempt again, with fresh models, while it finds one stale. */
  private async withModels<T>(
    tenantId: string,
    apiNames: readonly string[],
    attempt: (models: readonly ObjectModel[]) => Promise<T>,
  ): Promise<T> {
    for (let count = 1; ; count += 1) {
      const models = await Promise.all(apiNames.map((apiName) => this.get(tenantId, apiName, count > 1)));
      try {
        return await attempt(models);
      } catch (error) {
        if (!isStale(error)) throw error;
        for (const model of models) {
          const key = keyOf(tenantId, model.object.apiName);
          // Not the one that another request has begun to load since.
          if (this.models.peek(key) === model) this.models.delete(key);
        }
        if (count === ATTEMPTS)
          throw new PlatformError('CONFLICT', 'The object definition is being changed. Try again');
      }
    }
  }

  /** Decides before the revisions are known; a refusal counts only when the models are current. */
  private async decide<T>(
    caller: Principal,
    models: readonly ObjectModel[],
    mode: 'read' | 'write',
    decision: () => Promise<T>,
  ): Promise<T> {
    try {
      for (const { object } of models) requireAccess(object, caller, mode);
      return await decision();
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      const current = await this.database.transaction(caller, (tx) =>
        Promise.all(models.map(({ object }) => this.objects.findRevision(tx, object.id))),
      );
      throw models.every((model, index) => isInForce(model, current[index] ?? null)) ? error : new StaleModel();
    }
  }

  /** The revision is sent together with the first statements of the work, so it costs no round trip. */
  private async underRevision<T>(
    revision: Promise<number | null>,
    model: ObjectModel,
    work: () => Promise<T>,
  ): Promise<T> {
    const [current, outcome] = await Promise.allSettled([revision, work()]);
    if (current.status === 'rejected') throw current.reason;
    if (!isInForce(model, current.value)) throw new StaleModel();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** Returns for a standard object the model that most tenants share, until it has been found stale or the tenant's own is known. */
  private async get(tenantId: string, apiName: string, wasStale: boolean): Promise<ObjectModel> {
    const key = keyOf(tenantId, apiName);
    const known = this.models.get(key);
    if (known) return known;
    const standard = standardObjectNamed(apiName);
    if (standard && !wasStale) return standardModel(standard);
    return (await this.models.fetch(key, { context: tenantId })) as ObjectModel;
  }

  private async load(tenantId: string, apiName: string): Promise<ObjectModel> {
    const standard = standardObjectNamed(apiName);
    if (standard) {
      return makeModel(await this.database.transaction(tenantId, (tx) => this.objects.findStandard(tx, standard)));
    }
    const object = await this.database.transaction(tenantId, (tx) => this.objects.findByApiName(tx, apiName));
    if (!object) throw objectNotFound();
    return makeModel(object);
  }
}

const keyOf = (tenantId: string, apiName: string): string => `${tenantId}/${apiName}`;

const makeModel = (object: ObjectDefinition): ObjectModel | Promise<ObjectModel> =>
  object.revision === 0 ? standardModel(object) : ObjectModel.of(object);

/** Tenants that have changed nothing have the same standard objects, whose models are made once. */
const standardModels = new Map<string, ObjectModel>();

function standardModel(object: ObjectDefinition): ObjectModel {
  let model = standardModels.get(object.id);
  if (!model) {
    model = new ObjectModel(object);
    standardModels.set(object.id, model);
  }
  return model;
}

/** @param revision of the tenant's row; null when it has none, as for standard objects to which it has added nothing */
export const isInForce = ({ object }: ObjectModel, revision: number | null): boolean =>
  (revision ?? 0) === object.revision;
