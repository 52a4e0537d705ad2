import {
  type CallerView,
  type CrmRecord,
  type FieldView,
  type ObjectName,
  type ObjectView,
  STANDARD_OBJECTS,
  type StandardObjectName,
} from '@crm/api-client';
import { CORE_OBJECTS, type CoreObject } from '@crm/contracts/objects';
import { type FieldType, isFieldType, viewOf } from './field-types.js';

export interface FieldOption {
  readonly value: string;
  readonly label: string;
}

/** A field that the caller can read. */
export interface FieldModel {
  readonly apiName: string;
  readonly label: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly writable: boolean;
  readonly options: readonly FieldOption[];
  /** Of a reference: the object whose records it names, if it is always the same. */
  readonly target?: ObjectName;
  readonly maxLength?: number;
}

/** An object as the page shows it to this caller. */
export interface ObjectModel {
  readonly name: ObjectName;
  readonly label: string;
  readonly pluralLabel: string;
  readonly fields: readonly FieldModel[];
  /** The fields that name a record, in the order in which they are read. */
  readonly titleFields: readonly string[];
  /** Whether the caller may create and change records; single fields may still be closed. */
  readonly canWrite: boolean;
}

/** @returns an empty text for a record whose name the caller cannot read */
export const titleOf = ({ titleFields }: ObjectModel, record: CrmRecord): string =>
  titleFields
    .map((field) => record[field])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(' ')
    .trim();

/** Columns beside the title: what fits, and says something at a glance. */
const MAX_COLUMNS = 5;

export const columnsOf = ({ fields, titleFields }: ObjectModel): readonly FieldModel[] =>
  fields
    .filter(({ apiName, type }) => !titleFields.includes(apiName) && !viewOf(type).notInColumn)
    .slice(0, MAX_COLUMNS);

/** @param canWrite whether role and scopes of the caller allow writing at all */
export function customObject(
  { apiName, label, pluralLabel, nameField, fields }: ObjectView,
  canWrite: boolean,
): ObjectModel {
  const title = nameField ?? fields.find(({ type }) => type === 'text')?.apiName;
  return {
    name: `custom:${apiName}`,
    label,
    pluralLabel,
    titleFields: title === undefined ? [] : [title],
    canWrite: canWrite && fields.some(({ writable }) => writable),
    fields: fields.map((field) => customField(field, canWrite)),
  };
}

const customField = (
  { apiName, label, type, required, writable, options = [], referenceTarget }: FieldView,
  canWrite: boolean,
): FieldModel => ({
  apiName,
  label,
  // A type that a later version of the platform adds is shown as text, and never written.
  type: isFieldType(type) ? type : 'formula',
  required,
  writable: writable && canWrite && isFieldType(type),
  options,
  ...(referenceTarget === undefined ? {} : { target: targetOf(referenceTarget) }),
});

const targetOf = (target: string): ObjectName | undefined =>
  target.startsWith('custom:')
    ? (target as ObjectName)
    : Object.hasOwn(CORE_OBJECTS, target)
      ? CORE_OBJECTS[target as CoreObject].path
      : STANDARD_OBJECTS.find((name) => name === target);

/** The scope that opens each object. */
const SCOPE_OF: ReadonlyMap<string, string> = new Map([
  ...Object.values(CORE_OBJECTS).map(({ path, scope }) => [path, scope] as const),
  ['custom', 'custom_objects'],
]);

/** Roles that write records; every other role reads at most. */
const WRITERS = ['owner', 'admin', 'member'];

type Caller = Pick<CallerView, 'roles' | 'scopes'>;

/** What the page offers. The API decides again with every call. */
export const canRead = ({ scopes }: Caller, object: StandardObjectName | 'custom'): boolean =>
  scopes.includes(`${SCOPE_OF.get(object)}`) || scopes.includes(`${SCOPE_OF.get(object)}:read`);

export const canWrite = ({ roles, scopes }: Caller, object: StandardObjectName | 'custom'): boolean =>
  scopes.includes(`${SCOPE_OF.get(object)}`) && roles.some((role) => WRITERS.includes(role));
