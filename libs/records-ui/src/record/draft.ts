import { ApiProblem, type CrmRecord, type FieldValue, type RecordFields } from '@crm/api-client';
import { type DraftValue, viewOf } from '../objects/field-types.js';
import { parseNumber } from '../objects/number-input.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';

export type Draft = Readonly<Record<string, DraftValue>>;

/** Problems that the form finds itself, by field. */
export type DraftProblems = Readonly<Record<string, Fault>>;
type Fault = 'missing' | 'notANumber';

/** Returns whether there is an input for a field. */
export const isWritable = ({ writable, type, target, targets }: FieldModel): boolean =>
  writable && viewOf(type).control !== null && (type !== 'reference' || (target ?? targets) !== undefined);

export const writableFields = ({ fields }: ObjectModel): readonly FieldModel[] => fields.filter(isWritable);

/** @param record undefined for one that is being created @param tag whose numbers are typed */
export const draftOf = (model: ObjectModel, record: CrmRecord | undefined, tag: string): Draft =>
  Object.fromEntries(
    writableFields(model).map((field) => [field.apiName, inputOf(field, record?.[field.apiName], tag)]),
  );

export function inputOf({ type }: FieldModel, value: FieldValue | undefined, tag: string): DraftValue {
  const { control, toInput = String } = viewOf(type);
  if (control === 'tick') return value === true;
  if (control === 'options') return Array.isArray(value) ? value : [];
  return value === null || value === undefined ? '' : toInput(String(value), tag);
}

/** An input can hold less than the value, as a time without its seconds: what nobody has touched is not written. */
export const isUntouched = (
  field: FieldModel,
  value: FieldValue | undefined,
  draft: DraftValue,
  tag: string,
): boolean => isSame(draft, inputOf(field, value, tag));

export function faultOf({ type, required }: FieldModel, value: DraftValue | undefined, tag: string): Fault | undefined {
  const isEmpty = typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
  if (isEmpty) return required ? 'missing' : undefined;
  return viewOf(type).isNumber && Number.isNaN(parseNumber(String(value), tag)) ? 'notANumber' : undefined;
}

export const problemsOf = (model: ObjectModel, draft: Draft, tag: string): DraftProblems =>
  Object.fromEntries(
    writableFields(model).flatMap((field) => {
      const fault = faultOf(field, draft[field.apiName], tag);
      return fault ? [[field.apiName, fault]] : [];
    }),
  );

/**
 * What the form changes: only fields whose input is different from before, so that nobody's change of another field is undone,
 * and defaults apply to a new record.
 */
export function changesOf(model: ObjectModel, before: Draft, draft: Draft, tag: string): RecordFields {
  const changed = writableFields(model).filter(({ apiName }) => !isSame(before[apiName], draft[apiName]));
  return Object.fromEntries(changed.map((field) => [field.apiName, fieldValue(field, draft[field.apiName], tag)]));
}

export function fieldValue({ type }: FieldModel, value: DraftValue | undefined, tag: string): FieldValue {
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  if (typeof value !== 'string') return value.length > 0 ? value : null;
  if (value.trim() === '') return null;
  return viewOf(type).fromInput?.(value, tag) ?? value;
}

export const isSame = (
  one: FieldValue | DraftValue | undefined,
  other: FieldValue | DraftValue | undefined,
): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((value, index) => value === other[index])
    : one === other;

/** What the API has refused a field for. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  error instanceof ApiProblem ? error.fields.find(({ pointer }) => pointer === `/${field}`)?.detail : undefined;
