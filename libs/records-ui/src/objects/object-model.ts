import {
  type CatalogueFieldView,
  type CatalogueObjectView,
  type CrmRecord,
  type ObjectName,
  objectNameOf,
} from '@crm/api-client';
import { type FieldType, isFieldType, viewOf } from './field-types.js';

export interface FieldOption {
  readonly value: string;
  readonly label: string;
  /** False for one that is retired: records keep it, and no other takes it. */
  readonly active?: boolean;
  /** A stage has the status of the deals in it, and where it belongs. */
  readonly meaning?: string;
  readonly pipelineId?: string;
}

/** A field that the caller can read. */
export interface FieldModel {
  readonly apiName: string;
  readonly label: string;
  readonly type: FieldType;
  /** The type that its values are shown as: that of the result of a formula. */
  readonly shownAs: FieldType;
  /** True when a new record needs a value that has no default. */
  readonly required: boolean;
  readonly writable: boolean;
  /** The platform writes it, and nobody else. */
  readonly readOnly?: boolean | undefined;
  readonly sortable: boolean;
  /** The operators by which lists can be filtered. */
  readonly filterOps: readonly string[];
  readonly options: readonly FieldOption[];
  /** A reference has the object whose records it names, if it is always the same; `user` for people. */
  readonly target?: ObjectName | 'user';
  /** The objects whose records a reference may name, if there are several. */
  readonly targets?: readonly ObjectName[];
  readonly maxLength?: number;
}

/** An object as the page shows it to this caller. */
export interface ObjectModel {
  /** The name in addresses of pages. */
  readonly apiName: string;
  /** The name in the record API and for hosts of frames. */
  readonly name: ObjectName;
  readonly label: string;
  readonly pluralLabel: string;
  readonly fields: readonly FieldModel[];
  /** The fields that name a record, in the order in which they are read. */
  readonly titleFields: readonly string[];
  readonly creatable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  /** Where its records are in stages; new ones begin in the first. */
  readonly pipelines: readonly { readonly id: string; readonly name: string }[];
}

/** @returns an empty text for a record whose name the caller cannot read */
export const titleOf = ({ titleFields }: Pick<ObjectModel, 'titleFields'>, record: CrmRecord): string =>
  titleFields
    .map((field) => record[field])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(' ')
    .trim();

/** Beside the title. @param chosen names of fields, in their order; those that suit a column when there are none */
export const columnsOf = (
  { fields, titleFields }: ObjectModel,
  chosen: readonly string[] = [],
): readonly FieldModel[] => {
  const others = fields.filter(({ apiName }) => !titleFields.includes(apiName));
  if (chosen.length > 0) return chosen.flatMap((name) => others.find(({ apiName }) => apiName === name) ?? []);
  return others.filter(
    ({ shownAs, target, readOnly }) => !viewOf(shownAs).notInColumn && target !== 'user' && !readOnly,
  );
};

/** References that a list asks the API to follow, at most. */
const MAX_EXPANDED = 5;

/** Those of the fields that name records, as `expand` of a list; undefined for none. */
export const expandOf = (fields: readonly FieldModel[]): string | undefined =>
  fields
    .filter(({ type, target }) => type === 'reference' && target !== 'user')
    .slice(0, MAX_EXPANDED)
    .map(({ apiName }) => apiName)
    .join(',') || undefined;

/** Those that name records of one of several objects, as `expand` of a record: else nobody knows of which. */
export const manyTargetsOf = ({ fields }: Pick<ObjectModel, 'fields'>): string | undefined =>
  expandOf(fields.filter(({ targets }) => targets !== undefined));

/** @param hasPeople whether people can be chosen */
export function objectModel(object: CatalogueObjectView, hasPeople: boolean): ObjectModel {
  const { apiName, label, pluralLabel, standard, titleFields, pipelines = [] } = object;
  const { creatable, updatable, deletable } = object;
  return {
    apiName,
    name: objectNameOf(standard ? apiName : `custom:${apiName}`),
    ...{ label, pluralLabel, creatable, updatable, deletable, pipelines },
    titleFields: titleFields.length > 0 ? titleFields : firstTexts(object),
    fields: object.fields.map((field) => ({
      ...fieldModel(field, creatable || updatable, hasPeople),
      readOnly: standard && creatable && !field.writable,
    })),
  };
}

const firstTexts = ({ fields }: CatalogueObjectView): string[] =>
  fields
    .filter(({ type }) => type === 'text')
    .slice(0, 1)
    .map(({ apiName }) => apiName);

function fieldModel(field: CatalogueFieldView, canWrite: boolean, hasPeople: boolean): FieldModel {
  const { apiName, label, type, required, writable, options = [], referenceTargets = [], maxLength } = field;
  const known = isFieldType(type);
  const targets = referenceTargets.map(targetOf);
  const [target] = targets;
  return {
    ...{ apiName, label, options, sortable: field.sortable },
    // A type that a later version of the platform adds is shown as text, and never written.
    type: known ? type : 'formula',
    shownAs: known && type !== 'formula' ? type : resultType(field.formula?.type),
    required: required && field.default === undefined,
    writable: writable && canWrite && known && (target !== 'user' || hasPeople),
    filterOps: field.filterOps,
    ...(targets.length > 1 ? { targets: targets as ObjectName[] } : target !== undefined && { target }),
    ...(maxLength !== undefined && { maxLength }),
  };
}

function resultType(type: string | undefined): FieldType {
  if (type === 'boolean') return 'checkbox';
  return type === 'number' || type === 'date' || type === 'datetime' ? type : 'text';
}

const targetOf = (target: string): ObjectName | 'user' => (target === 'user' ? target : objectNameOf(target));

/** A field of an object by which its records refer to those of another one. */
export interface Relation {
  readonly other: ObjectModel;
  readonly field: FieldModel;
  /** True when no other field of the object does. */
  readonly isOnly: boolean;
}

/** By the fields of all definitions. */
export const relationsTo = ({ name }: ObjectModel, objects: readonly ObjectModel[]): Relation[] =>
  objects.flatMap((other) =>
    other.fields
      .filter(
        ({ target, targets, filterOps }) => (target === name || targets?.includes(name)) && filterOps.includes('eq'),
      )
      .map((field, _, all) => ({ other, field, isOnly: all.length === 1 })),
  );
