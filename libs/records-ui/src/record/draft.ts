import type { CrmRecord, FieldValue, RecordFields } from '@crm/api-client';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';

/** What is in the inputs of a form: texts, ticks and chosen options. */
export type DraftValue = string | boolean | readonly string[];
export type Draft = Readonly<Record<string, DraftValue>>;

/** Problems that the form finds itself, by field. */
export type DraftProblems = Readonly<Record<string, 'missing' | 'notANumber'>>;

const NUMBERS: readonly FieldModel['type'][] = ['number', 'currency', 'percent'];

/** The fields that the form has inputs for. */
export const writableFields = ({ fields }: ObjectModel): readonly FieldModel[] =>
  fields.filter(
    ({ writable, type, target }) => writable && type !== 'formula' && (type !== 'reference' || target !== undefined),
  );

/** @param record undefined for one that is being created */
export const draftOf = (model: ObjectModel, record: CrmRecord | undefined): Draft =>
  Object.fromEntries(writableFields(model).map((field) => [field.apiName, inputOf(field, record?.[field.apiName])]));

function inputOf({ type }: FieldModel, value: FieldValue | undefined): DraftValue {
  if (type === 'checkbox') return value === true;
  if (type === 'multi_select') return Array.isArray(value) ? value : [];
  if (value === null || value === undefined) return '';
  if (type === 'datetime') return localDateTime(String(value));
  return String(value);
}

export function problemsOf(model: ObjectModel, draft: Draft): DraftProblems {
  const problems: Record<string, 'missing' | 'notANumber'> = {};
  for (const { apiName, type, required } of writableFields(model)) {
    const value = draft[apiName];
    const isEmpty = typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
    if (isEmpty && required) problems[apiName] = 'missing';
    if (!isEmpty && NUMBERS.includes(type) && !Number.isFinite(Number(value))) problems[apiName] = 'notANumber';
  }
  return problems;
}

/**
 * What the form changes: only fields whose input is different from before, so that nobody's change of another field is undone,
 * and defaults apply to a new record.
 */
export function changesOf(model: ObjectModel, before: Draft, draft: Draft): RecordFields {
  const changed = writableFields(model).filter(({ apiName }) => !isSame(before[apiName], draft[apiName]));
  return Object.fromEntries(changed.map((field) => [field.apiName, toValue(field, draft[field.apiName])]));
}

function toValue({ type }: FieldModel, value: DraftValue | undefined): FieldValue {
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  if (typeof value !== 'string') return value.length > 0 ? value : null;
  if (value.trim() === '') return null;
  if (NUMBERS.includes(type)) return Number(value);
  return type === 'datetime' ? new Date(value).toISOString() : value;
}

const isSame = (one: DraftValue | undefined, other: DraftValue | undefined): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((value, index) => value === other[index])
    : one === other;

/** As an input of date and time writes it, in the user's time zone. */
function localDateTime(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
