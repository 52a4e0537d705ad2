import { setImmediate } from 'node:timers/promises';
import { hasScope, type Principal } from '@crm/access';
import {
  CORE_OBJECTS,
  type CoreObject,
  type Language,
  rolesAllow,
  type StandardField,
  type StandardObject,
} from '@crm/contracts';
import { Database } from '@crm/database';
import { type AccessPlan, fieldTypes, normaliseOptions, onDeleteOf } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isSortable, operatorsOf } from './filter-operators.js';
import type { ObjectView } from './object.dto.js';
import { isOfApp, ObjectRepository } from './object.repository.js';
import type { CatalogueFieldView, CatalogueObjectView } from './object-catalogue.dto.js';
import {
  accessOf,
  isVisibleTo,
  type ObjectDefinition,
  objectNotFound,
  STANDARD_OBJECTS,
  type StoredField,
  scopeOf,
  standardObjectNamed,
  standardObjectWithId,
  titleFieldsOf,
} from './object-definition.js';
import { type ObjectModel, ObjectModelStore } from './object-model.js';
import { labelOf, nameOf, type PicklistOption, type Stage } from './picklist.js';

/** UTF-16 units of the descriptions that are kept. */
const DESCRIPTIONS_KEPT = 16_000_000;

/** What an object's description depends on besides its model. */
interface Reader {
  readonly principal: Principal;
  readonly language: Language;
  /** The names of the custom objects that the caller sees, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The definitions of all objects, as pages need them that are made of them. Which revisions are in force is read; what they say is
 * made one object at a time, and kept as the JSON that is answered.
 */
@Injectable()
export class ObjectCatalogueService {
  private readonly kept = new LRUCache<string, string>({
    maxSize: DESCRIPTIONS_KEPT,
    sizeCalculation: (json, key) => json.length + key.length,
  });

  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly models: ObjectModelStore,
  ) {}

  /** The JSON of each: standard objects first, then custom ones by name; those that the caller may read. */
  list(principal: Principal, language: Language = 'en'): Promise<string[]> {
    return this.eachOf(principal, language, () => true, this.json);
  }

  /** @throws NOT_FOUND for an object that the list does not have */
  async get(principal: Principal, apiName: string, language: Language = 'en'): Promise<string> {
    const [found] = await this.eachOf(principal, language, (name) => name === apiName, this.json);
    if (found === undefined) throw objectNotFound();
    return found;
  }

  /** The routes of custom objects answer in this form. */
  listCustom(principal: Principal): Promise<ObjectView[]> {
    return this.eachOf(principal, 'en', (name) => !standardObjectNamed(name), customView);
  }

  /** @throws NOT_FOUND */
  async getCustom(principal: Principal, apiName: string): Promise<ObjectView> {
    const isWanted = (name: string): boolean => name === apiName && !standardObjectNamed(name);
    const [found] = await this.eachOf(principal, 'en', isWanted, customView);
    if (!found) throw objectNotFound();
    return found;
  }

  private async eachOf<T>(
    principal: Principal,
    language: Language,
    isWanted: (apiName: string) => boolean,
    show: (model: ObjectModel, reader: Reader) => T,
  ): Promise<T[]> {
    const { tenantId } = principal;
    const heads = await this.objects.listRevisions(this.database, tenantId);
    const revisions = new Map(heads.map(({ id, revision }) => [id, revision]));
    const custom = heads.filter(isOfApp).filter((head) => isVisibleTo(head, principal));
    custom.sort((one, other) => (one.apiName < other.apiName ? -1 : 1));
    const reader = { principal, language, names: new Map(custom.map(({ id, apiName }) => [id, apiName])) };
    const shown: T[] = [];
    for (const { id, apiName } of [...Object.values(STANDARD_OBJECTS), ...custom]) {
      const revision = revisions.get(id) ?? 0;
      if (!isWanted(apiName) || !hasScope(principal, scopeOf(id), 'read')) continue;
      const model = await this.models.atRevision(tenantId, { apiName, id, revision });
      // Gone, or shared no more, since the revisions were read.
      if (!model || !isVisibleTo(model.object, principal)) continue;
      shown.push(show(model, reader));
      await setImmediate();
    }
    return shown;
  }

  private readonly json = (model: ObjectModel, reader: Reader): string => {
    const { principal, language, names } = reader;
    const { id, revision, standard } = model.object;
    const [owner, seen] = standard && revision === 0 ? ['', ''] : [principal.tenantId, [...names].join()];
    const who = [[...principal.roles].sort(), canWriteTo(model.object, principal), language];
    const key = JSON.stringify([owner, id, revision, who, standard ? '' : seen]);
    let json = this.kept.get(key);
    if (json === undefined) {
      json = JSON.stringify(view(model, reader));
      this.kept.set(key, json);
    }
    return json;
  };
}

const canWriteTo = (object: ObjectDefinition, principal: Principal): boolean =>
  rolesAllow(principal.roles, 'write') &&
  hasScope(principal, scopeOf(object.id), 'write') &&
  accessOf(object, principal) === 'write';

function view(model: ObjectModel, { principal, language, names }: Reader): CatalogueObjectView {
  const object: ObjectDefinition & { readonly sandbox?: boolean } = model.object;
  const plan = model.planFor(principal.roles);
  const core: StandardObject | undefined = object.standard ? CORE_OBJECTS[object.apiName as CoreObject] : undefined;
  const isNameReadable = object.nameField !== null && plan.readable.has(object.nameField);
  const canWrite = canWriteTo(object, principal);
  return {
    apiName: object.apiName,
    label: core?.label[language] ?? object.label,
    pluralLabel: core?.pluralLabel[language] ?? object.pluralLabel,
    description: object.description,
    standard: core !== undefined,
    appKey: object.appKey,
    sandbox: object.sandbox ?? false,
    recordsPath: core ? `/api/crm/${core.path}` : `/api/crm/custom/${object.apiName}/records`,
    nameField: isNameReadable ? object.nameField : null,
    titleFields: core || isNameReadable ? [...titleFieldsOf(object)] : [],
    creatable: canWrite && canCreate(model, plan),
    updatable: canWrite && plan.writable.size > 0,
    deletable: canWrite,
    fields: object.fields
      .filter(({ apiName }) => plan.readable.has(apiName))
      .map((field) => ({
        ...fieldView(model, field, names),
        writable: canWrite && plan.writable.has(field.apiName),
        ...(core && standardTexts(core.fields[field.apiName] as StandardField, language)),
        ...(object.picklists?.[field.apiName] && { options: optionViews(object, field.apiName, language) }),
      })),
    ...(object.pipelines && {
      pipelines: object.pipelines.map((pipeline) => ({ id: pipeline.id, name: nameOf(pipeline, language) })),
    }),
  };
}

const customView = (model: ObjectModel, reader: Reader): ObjectView => shownAsCustom(view(model, reader));

const shownAsCustom = ({ appKey, fields, ...object }: CatalogueObjectView): ObjectView => ({
  ...{ apiName: object.apiName, label: object.label, pluralLabel: object.pluralLabel, description: object.description },
  ...{ appKey: appKey as string, sandbox: object.sandbox, nameField: object.nameField },
  fields: fields.map(
    ({ apiName, label, type, required, is_unique, readable, writable, options, onDelete, ...field }) => ({
      ...{ apiName, label, type, required, isUnique: is_unique, readable, writable },
      ...(options && { options }),
      ...(field.referenceTargets && { referenceTarget: field.referenceTargets[0] as string }),
      ...(onDelete !== undefined && { onDelete }),
    }),
  ),
});

const canCreate = (model: ObjectModel, plan: AccessPlan): boolean =>
  !model.setsHiddenUnique(plan) &&
  model.object.fields.every(
    (field) => !field.required || (field.default ?? null) !== null || plan.writable.has(field.apiName),
  );

function fieldView(
  model: ObjectModel,
  field: StoredField,
  names: ReadonlyMap<string, string>,
): Omit<CatalogueFieldView, 'writable'> {
  const valueType = model.valueTypeOf(field);
  const maxLength = maxLengthOf(field);
  const targets = field.type === 'reference' ? targetsOf(field, names) : undefined;
  return {
    apiName: field.apiName,
    label: field.label,
    type: field.type,
    required: field.required ?? false,
    is_unique: field.is_unique ?? false,
    readable: true,
    indexed: field.slot !== null,
    sortable: isSortable(field, valueType),
    filterOps: operatorsOf(field, valueType),
    ...(field.options && { options: normaliseOptions(field.options) }),
    ...((field.default ?? null) !== null && { default: field.default }),
    ...(maxLength !== undefined && { maxLength }),
    ...(targets && { referenceTargets: targets }),
    ...(field.type === 'reference' && { onDelete: onDeleteOf(field) }),
    ...(field.type === 'formula' && { formula: { type: valueType } }),
  };
}

/** The shorter of what the rules and the type of a text allow. */
function maxLengthOf({ type, validationRules = [] }: StoredField): number | undefined {
  const { bound, schema } = fieldTypes.get(type) ?? {};
  if (schema?.type !== 'string' || bound === undefined) return undefined;
  const rules = validationRules.filter((rule) => rule.type === 'maxLength').map(({ value }) => Number(value));
  return Math.min(bound, ...rules);
}

/** @returns undefined when the object was removed, or the caller does not see it */
function targetsOf({ referenceObjectIds }: StoredField, names: ReadonlyMap<string, string>): string[] | undefined {
  const targets = referenceObjectIds.flatMap((id) => {
    const standard = standardObjectWithId(id);
    if (standard) return standard.apiName;
    return names.has(id) ? `custom:${names.get(id)}` : [];
  });
  if (referenceObjectIds.length === 0) return ['user'];
  return targets.length > 0 ? targets : undefined;
}

/** What the catalogue of standard objects says in every language; a phone number is stored as a text there. */
const standardTexts = (field: StandardField, language: Language) => ({
  label: field.label[language],
  type: field.type,
  ...('default' in field && {
    options: Object.entries(field.options).map(([value, label]) => ({ value, label: label[language] })),
  }),
});

/** The options of the workspace; a stage says what it means and whose it is. */
const optionViews = ({ apiName, picklists, pipelines = [] }: ObjectDefinition, field: string, language: Language) => {
  const pipelineIds = new Map<PicklistOption, string>(
    pipelines.flatMap(({ id, stages }) => stages.map((stage) => [stage, id] as const)),
  );
  return (picklists?.[field] ?? []).map((option) => {
    const { value, active } = option;
    const pipelineId = pipelineIds.get(option);
    const { meaning, probability } = option as Partial<Stage>;
    const stage = pipelineId !== undefined && { meaning, probability, pipelineId };
    return { value, label: labelOf(apiName, field, option, language), active, ...stage };
  });
};
