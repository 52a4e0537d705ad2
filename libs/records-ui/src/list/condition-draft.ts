import { type DraftValue, viewOf } from '../objects/field-types.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { fieldValue, inputOf } from '../record/draft.js';
import { type Condition, conditionsOf, type Filter, filterOf, isCondition, isRelative, type Period } from './filter.js';

const EVERY_RECORD = ['createdAt', 'updatedAt'] as const;

/** The fields by which a list can be filtered. @param labels of the times that every record has */
export const filterFields = (
  { fields }: Pick<ObjectModel, 'fields'>,
  labels: Readonly<Record<(typeof EVERY_RECORD)[number], string>>,
): FieldModel[] => [
  ...fields.filter((field) => operatorsOf(field).length > 0),
  ...EVERY_RECORD.map(
    (apiName): FieldModel => ({
      ...{ apiName, label: labels[apiName], type: 'datetime', shownAs: 'datetime', options: [] },
      ...{ required: false, writable: false, sortable: true, filterOps: ['gte', 'lte', 'eq', 'gt', 'lt'] },
    }),
  ),
];

/** What the panel offers: several values where there are options, records and people of one object. */
export function operatorsOf({ type, target, options, filterOps }: FieldModel): readonly string[] {
  const isUnknown = type === 'reference' && target === undefined;
  return filterOps.filter((op) => (isUnknown ? isUnary(op) : op !== 'in' || options.length > 0));
}

export const isUnary = (op: string): boolean => op === 'empty' || op === 'notEmpty';
export const isTemporal = ({ shownAs }: FieldModel): boolean => shownAs === 'date' || shownAs === 'datetime';

/** How the value of a condition is chosen: typed, a period, a number of days, or the caller. */
export type ValueKind = 'typed' | Period | 'daysAgo' | 'daysAhead' | 'me';

/** A condition while it is being put together. */
export interface ConditionDraft {
  readonly field: string;
  readonly op: string;
  readonly kind: ValueKind;
  readonly value: DraftValue;
}

/** Conditions and groups while they are being put together, each with a key by which its inputs stay what they are. */
export interface GroupDraft {
  readonly isAny: boolean;
  readonly lines: readonly Line[];
}
export interface Line {
  readonly key: string;
  readonly draft: ConditionDraft | GroupDraft | Kept;
}

/** A condition of a field that the panel does not offer: without it others would be found. */
export interface Kept {
  readonly kept: Condition;
}

export const isGroup = (draft: Line['draft']): draft is GroupDraft => 'lines' in draft;
export const lineOf = (draft: Line['draft']): Line => ({ key: crypto.randomUUID(), draft });
export const newGroup = (fields: readonly FieldModel[], isAny: boolean): GroupDraft => ({
  isAny,
  lines: fields.slice(0, 1).map(newDraft).map(lineOf),
});

/** What the API accepts of a filter. */
export const MAX_CONDITIONS = 25;

export const sizeOf = ({ lines }: GroupDraft): number =>
  lines.reduce((size, { draft }) => size + (isGroup(draft) ? sizeOf(draft) : 1), 0);

export function groupDraftOf(fields: readonly FieldModel[], filter: Filter | undefined, tag: string): GroupDraft {
  const { isAny, members } = conditionsOf(filter);
  const drafts = members.map((member): Line['draft'] => {
    if (!isCondition(member)) return groupDraftOf(fields, member, tag);
    const field = fields.find(({ apiName }) => apiName === member.field);
    return field ? draftOf(field, member, tag) : { kept: member };
  });
  return { isAny, lines: drafts.map(lineOf) };
}

/** @returns undefined for no condition that is complete */
export function filterOfGroup(
  fields: readonly FieldModel[],
  { isAny, lines }: GroupDraft,
  tag: string,
): Filter | undefined {
  const members = lines.flatMap(({ draft }): Filter | Filter[] => {
    if (isGroup(draft)) return filterOfGroup(fields, draft, tag) ?? [];
    if ('kept' in draft) return draft.kept;
    const field = fields.find(({ apiName }) => apiName === draft.field);
    return (field && conditionOf(field, draft, tag)) ?? [];
  });
  return filterOf({ isAny, members });
}

/** The field as an input of the panel shows it. @param words of a checkbox */
export function inputField(
  field: FieldModel,
  op: string,
  words: { readonly yes: string; readonly no: string },
): FieldModel {
  // A formula has the type of its result, which can be typed as one of a field.
  const input = { ...field, type: field.shownAs, required: false };
  if (op === 'in') return { ...input, type: 'multi_select' };
  if (op === 'contains' || op === 'startsWith') return { ...input, type: 'text' };
  if (field.shownAs !== 'checkbox') return input;
  const options = [
    { value: 'true', label: words.yes },
    { value: 'false', label: words.no },
  ];
  return { ...input, type: 'picklist', options };
}

/** An empty condition for a field. */
export function newDraft(field: FieldModel): ConditionDraft {
  const [op = 'eq'] = operatorsOf(field);
  const kind = field.target === 'user' ? 'me' : isTemporal(field) ? 'today' : 'typed';
  return { field: field.apiName, op, kind, value: emptyValue(field, op) };
}

export const emptyValue = (field: FieldModel, op: string): DraftValue =>
  op === 'in' || field.shownAs === 'multi_select' ? [] : '';

export function draftOf(field: FieldModel, { op = 'eq', value }: Condition, tag: string): ConditionDraft {
  const draft = { field: field.apiName, op, kind: 'typed' as const };
  if (isRelative(value)) {
    const { relative } = value;
    if (typeof relative === 'string') return { ...draft, kind: relative, value: '' };
    return { ...draft, kind: relative.days < 0 ? 'daysAgo' : 'daysAhead', value: String(Math.abs(relative.days)) };
  }
  if (value === undefined) return { ...draft, value: emptyValue(field, op) };
  if (Array.isArray(value)) return { ...draft, value };
  return { ...draft, value: inputOf({ ...field, type: typeOfInput(field) }, value, tag) };
}

/** @param tag language in which numbers are typed @returns undefined while something is missing */
export function conditionOf(
  field: FieldModel,
  { op, kind, value }: ConditionDraft,
  tag: string,
): Condition | undefined {
  const condition = { field: field.apiName, ...(op === 'eq' ? {} : { op }) };
  if (isUnary(op)) return condition;
  if (kind === 'daysAgo' || kind === 'daysAhead') {
    const days = Number(value);
    if (value === '' || !Number.isInteger(days)) return undefined;
    return { ...condition, value: { relative: { days: kind === 'daysAgo' ? -days : days } } };
  }
  if (kind !== 'typed') return { ...condition, value: { relative: kind } };
  const typed = fieldValue({ ...field, type: typeOfInput(field) }, value, tag);
  if (typed === null || Number.isNaN(typed)) return undefined;
  return { ...condition, value: field.shownAs === 'checkbox' ? typed === 'true' : typed };
}

/** A checkbox is one of two options here: what is not ticked can be asked for, too. */
const typeOfInput = ({ shownAs }: FieldModel) => (viewOf(shownAs).control === 'tick' ? 'text' : shownAs);
