import type { FieldValue } from '@crm/api-client';

/** Periods in the time zone of the workspace. */
export const PERIODS = [
  ...(['today', 'yesterday', 'tomorrow'] as const),
  ...(['thisWeek', 'lastWeek', 'nextWeek', 'thisMonth', 'lastMonth', 'nextMonth'] as const),
  ...(['thisQuarter', 'lastQuarter', 'nextQuarter', 'thisYear', 'lastYear', 'nextYear'] as const),
] as const;
export type Period = (typeof PERIODS)[number];

export interface Relative {
  readonly relative: Period | 'me' | { readonly days: number };
}

export interface Condition {
  readonly field: string;
  /** `eq` when left out. */
  readonly op?: string;
  readonly value?: FieldValue | Relative;
}

/** The API's form: a condition, or a group of conditions and groups. */
export type Filter = Condition | { readonly and: readonly Filter[] } | { readonly or: readonly Filter[] };

/** The conditions of a filter, and whether one of them is enough. */
export interface Conditions {
  readonly isAny: boolean;
  readonly members: readonly Filter[];
}

export const isCondition = (filter: Filter): filter is Condition => 'field' in filter;

export function conditionsOf(filter: Filter | undefined): Conditions {
  if (!filter) return { isAny: false, members: [] };
  if (isCondition(filter)) return { isAny: false, members: [filter] };
  return 'or' in filter ? { isAny: true, members: filter.or } : { isAny: false, members: filter.and };
}

export const filterOf = ({ isAny, members }: Conditions): Filter | undefined =>
  members.length === 0 ? undefined : isAny ? { or: members } : { and: members };

/** The conditions of a filter and of the groups in it. */
export const leavesOf = (filter: Filter): readonly Condition[] =>
  isCondition(filter) ? [filter] : conditionsOf(filter).members.flatMap(leavesOf);

/** A filter in words; a group within a group stands in brackets. */
export function filterText(
  filter: Filter,
  joints: Readonly<Record<'and' | 'or', string>>,
  textOf: (condition: Condition) => string,
): string {
  if (isCondition(filter)) return textOf(filter);
  const { isAny, members } = conditionsOf(filter);
  const parts = members.map((member) => {
    const text = filterText(member, joints, textOf);
    return isCondition(member) || members.length === 1 ? text : `(${text})`;
  });
  return parts.join(` ${isAny ? joints.or : joints.and} `);
}

/** What stands in an address, if it has the form of a filter; whether its fields exist is the API's to say. */
export function readFilter(value: unknown): Filter | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { field, and, or } = value as Record<string, unknown>;
  const members = and ?? or;
  if (members === undefined) return typeof field === 'string' ? (value as Filter) : undefined;
  return Array.isArray(members) && members.length > 0 && members.every(readFilter) ? (value as Filter) : undefined;
}

export const isRelative = (value: unknown): value is Relative =>
  typeof value === 'object' && value !== null && 'relative' in value;
