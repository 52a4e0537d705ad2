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
import { isSortable, operatorsOf } from './filter-operators.js';
import type { ObjectView } from './object.dto.js';
import { ObjectRepository } from './object.repository.js';
import type { CatalogueFieldView, CatalogueObjectView } from './object-catalogue.dto.js';
import {
  accessOf,
  isVisibleTo,
  noSuchObject,
  type ObjectDefinition,
  type StoredField,
  scopeOf,
  standardObjectWithId,
  titleFieldsOf,
} from './object-definition.js';
import { ObjectModel } from './object-model.js';
import { labelOf, nameOf, type Stage } from './picklist.js';

/** The definitions of all objects, as pages need them that are made of them. */
@Injectable()
export class ObjectCatalogueService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
  ) {}

  /** Standard objects first, then custom ones by name; those that the caller may read. */
  async list(principal: Principal, language: Language = 'en'): Promise<CatalogueObjectView[]> {
    const all = await this.database.transaction(principal.tenantId, (tx) => this.objects.listAll(tx));
    const custom = all.ofApps.filter((object) => isVisibleTo(object, principal));
    const names = new Map(custom.map(({ id, apiName }) => [id, apiName]));
    return [...all.standard, ...custom]
      .filter((object) => hasScope(principal, scopeOf(object.id), 'read'))
      .map((object) => view(object, principal, language, names));
  }

  /** @throws NOT_FOUND for an object that the list does not have */
  async get(principal: Principal, apiName: string, language?: Language): Promise<CatalogueObjectView> {
    const found = (await this.list(principal, language)).find((object) => object.apiName === apiName);
    if (!found) throw noSuchObject();
    return found;
  }

  /** As the routes of custom objects describe them. */
  async listCustom(principal: Principal): Promise<ObjectView[]> {
    return (await this.list(principal)).filter(({ standard }) => !standard).map(customView);
  }

  /** @throws NOT_FOUND */
  async getCustom(principal: Principal, apiName: string): Promise<ObjectView> {
    const found = await this.get(principal, apiName);
    if (found.standard) throw noSuchObject();
    return customView(found);
  }
}

/** @param names of the custom objects that the caller sees, by id */
function view(
  object: ObjectDefinition & { readonly sandbox?: boolean },
  principal: Principal,
  language: Language,
  names: ReadonlyMap<string, string>,
): CatalogueObjectView {
  const model = new ObjectModel(object);
  const plan = model.planFor(principal.roles);
  const core: StandardObject | undefined = object.standard ? CORE_OBJECTS[object.apiName as CoreObject] : undefined;
  const isNameReadable = object.nameField !== null && plan.readable.has(object.nameField);
  const canWrite =
    rolesAllow(principal.roles, 'write') &&
    hasScope(principal, scopeOf(object.id), 'write') &&
    accessOf(object, principal) === 'write';
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

const customView = ({ appKey, fields, ...object }: CatalogueObjectView): ObjectView => ({
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

/** Of a text: the shorter of what its rules and its type allow. */
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
const optionViews = ({ apiName, picklists, pipelines = [] }: ObjectDefinition, field: string, language: Language) =>
  (picklists?.[field] ?? []).map((option) => {
    const { value, active } = option;
    const pipeline = pipelines.find(({ stages }) => stages.some((stage) => stage === option));
    const { meaning, probability } = option as Partial<Stage>;
    const stage = pipeline && { meaning, probability, pipelineId: pipeline.id };
    return { value, label: labelOf(apiName, field, option, language), active, ...stage };
  });
