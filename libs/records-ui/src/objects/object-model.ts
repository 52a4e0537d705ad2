import type { CrmRecord, ObjectName } from '@crm/api-client';

export const FIELD_TYPES = [
  'text',
  'textarea',
  'number',
  'currency',
  'percent',
  'date',
  'datetime',
  'email',
  'phone',
  'url',
  'picklist',
  'multi_select',
  'checkbox',
  'reference',
  'formula',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

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
const NOT_IN_A_COLUMN: readonly FieldType[] = ['textarea', 'multi_select', 'reference'];

export const columnsOf = ({ fields, titleFields }: ObjectModel): readonly FieldModel[] =>
  fields
    .filter(({ apiName, type }) => !titleFields.includes(apiName) && !NOT_IN_A_COLUMN.includes(type))
    .slice(0, MAX_COLUMNS);
